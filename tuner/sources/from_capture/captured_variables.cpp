#include "tuner/sources/from_capture/captured_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "search/expression/quoting.hpp"
#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/reach.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner::sources {
namespace {

/// "weights" of "_ZN6filter7weightsE".
std::string last_name(const std::string& mangled) {
  const std::string readable = capture::readable_name(mangled);
  const std::size_t scope = readable.rfind("::");
  return scope == std::string::npos ? readable : readable.substr(scope + 2);
}

/// "__constant__ float weights", with which the source declares it; empty if it does not say that it is one.
std::string declaration_of(std::string_view code, std::string_view name, std::string_view memory) {
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::size_t before = code.substr(0, at).find_last_of(";{}");
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;  // npos + 1 is 0
    const std::string_view statement = code.substr(begin, at + name.size() - begin);
    if (const std::size_t word = find_word(statement, memory); word != std::string_view::npos)
      return std::string(statement.substr(word));
  }
  return {};
}

/// Of which numbers an array is; bytes where its declaration does not say it.
std::string element_type(const std::string& declaration, const std::string& name, std::uint64_t bytes) {
  std::string type = plain_type(declaration, name);
  const auto shape = shape_of_type(type);
  const bool fits = shape && bytes % (size_of(shape->element) * static_cast<std::uint64_t>(shape->lanes)) == 0;
  return fits ? type : "uint8";
}

bool holds_zeros(const CapturedKernel& kernel, const capture::StoredMemory& memory) {
  return std::ranges::all_of(kernel.load(memory.before), [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

CapturedVariables captured_variables(const CapturedKernel& kernel, const KernelSkeleton& skeleton,
                                     const std::string& folder) {
  CapturedVariables result;
  const std::string_view code = skeleton.source.code.code;
  const capture::MemoryMap map(kernel.launch);
  for (std::size_t i = kernel.launch.allocations.size(); i < map.size(); ++i) {
    const capture::StoredMemory& variable = map[i];
    const std::string name = last_name(variable.name);
    if (!may_use(skeleton, name)) continue;
    const std::string constant = declaration_of(code, name, "__constant__");
    if (kernel.constants.contains(variable.name) && !constant.empty()) {
      const std::string type = element_type(constant, name, variable.before.size);
      const TypeShape shape = *shape_of_type(type);
      const std::uint64_t element = size_of(shape.element) * static_cast<std::uint64_t>(shape.lanes);
      result.data.push_back({name + ".npy", variable.before, 0, variable.before.size, shape});
      result.lines.push_back(fmt::format("constant({}, {}, {}, file({}))", name, type, variable.before.size / element,
                                         search::quote(fmt::format("{}/{}.npy", folder, name))));
      continue;
    }
    if (declaration_of(code, name, "__device__").empty()) continue;
    const engine::MemoryUse use = kernel.replayed.memories[i].use;
    const bool is_read = use == engine::MemoryUse::in || use == engine::MemoryUse::unreached;
    if (is_read && holds_zeros(kernel, variable)) continue;
    refuse_captured(kernel,
                    fmt::format("it {} the variable `{}` in global memory, which a description cannot give: pass "
                                "it as a parameter",
                                is_read ? "may read" : "writes", name));
  }
  return result;
}

}  // namespace tuner::sources
