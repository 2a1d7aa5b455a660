#include "tuner/core/t1/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/description/compiler_options.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

/// What nvcc does beside compiling for a GPU, and which GPU that is: the tuner knows better.
constexpr std::string_view kForOthers[] = {"-O",         "--optimize",
                                           "-Xcompiler", "--compiler-options",
                                           "-ccbin",     "--compiler-bindir",
                                           "-Xlinker",   "-l",
                                           "-L",         "-shared",
                                           "-m64",       "-g",
                                           "-arch",      "--gpu-architecture",
                                           "-gencode",   "--generate-code",
                                           "-code",      "--gpu-code",
                                           "-cubin",     "-ptx",
                                           "-o",         "-c",
                                           "-x"};

bool is_for_others(std::string_view option) {
  return std::any_of(std::begin(kForOthers), std::end(kForOthers), [option](std::string_view other) {
    if (!option.starts_with(other)) return false;
    const std::string_view rest = option.substr(other.size());
    // -O3 and -lcudart, but not --long or -cudart.
    const bool joined = other == "-O" || other == "-l" || other == "-L";
    return rest.empty() || rest.front() == '=' || rest.front() == ' ' ||
           (joined && !(other == "-l" && rest.starts_with("ineinfo")));
  });
}

/// Options of nvcc whose value may be an element of its own; those that NVRTC has are known elsewhere.
bool wants_value(std::string_view option) {
  constexpr std::string_view kOfNvcc[] = {"-include", "-Xcompiler", "-gencode", "-ccbin", "-o", "-l", "-L"};
  return value_follows(option) || std::find(std::begin(kOfNvcc), std::end(kOfNvcc), option) != std::end(kOfNvcc);
}

}  // namespace

T1Options read_t1_options(const T1Node& specification) {
  const auto node = specification.find("CompilerOptions");
  if (!node) return {};
  const fs::path folder = specification.document().file().parent_path();
  T1Options options;
  std::string list;
  std::string pending;
  const auto take = [&](const T1Node& element, std::string option) {
    if (is_for_others(option)) {
      element.warn("`{}` is not used: kernels are compiled at run time, for the GPU at hand.", option);
      return;
    }
    if (option.starts_with("-I") && option.size() > 2) {
      const fs::path named = search::trimmed(std::string_view(option).substr(2));
      if (named.is_relative()) option = "-I" + fs::absolute(folder / named).lexically_normal().string();
    }
    if (const std::optional<std::string> why = why_refused(option)) element.fail(*why);
    if (const auto named = include_folder(option)) options.folders.emplace_back(*named);
    list += (list.empty() ? "" : ", ") + search::quote(option);
  };
  for (const T1Node& element : node->elements()) {
    std::string option(search::trimmed(element.string()));
    if (!pending.empty()) {
      option = joined_option(std::exchange(pending, {}), option);
    }
    if (option.empty()) continue;
    if (!option.starts_with('-')) element.fail("`{}` is not a compiler option", option);
    if (wants_value(option)) {
      pending = option;
      continue;
    }
    take(element, option);
  }
  if (!pending.empty()) node->fail("the option `{}` needs a value", pending);
  if (!list.empty()) options.line = {fmt::format("options({})", list), node->path()};
  return options;
}

}  // namespace tuner
