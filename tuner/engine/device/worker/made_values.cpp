#include "tuner/engine/device/worker/made_values.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "tuner/core/signature/value_source.hpp"

namespace tuner::engine {
namespace {

struct Global {
  CUdeviceptr memory = 0;
  std::size_t bytes = 0;
};

Global global(const Module& module, const std::string& name) {
  Global found;
  check(driver().module_global(&found.memory, &found.bytes, module.get(), name.c_str()),
        fmt::format("cuModuleGetGlobal(\"{}\")", name));
  return found;
}

}  // namespace

Verdict make_values(std::span<const std::byte> cubin, std::vector<ArgumentState>& arguments, WorkStream& stream) {
  std::vector<ArgumentState*> values;
  std::vector<ValueNumber> numbers;
  for (ArgumentState& state : arguments) {
    if (state.argument.role != Argument::Role::value) continue;
    values.push_back(&state);
    for (const ValueNumber& number : value_numbers(state.argument)) numbers.push_back(number);
  }
  if (values.empty()) return {};

  const Module module = load_module(cubin);
  CUfunction function = nullptr;
  check(driver().module_function(&function, module.get(), kValueKernel), "cuModuleGetFunction");
  stream.upload(global(module, kValueNumbers).memory, std::as_bytes(std::span(numbers)));
  check(driver().launch(function, 1, 1, 1, 1, 1, 1, 0, stream.get(), nullptr, nullptr), "cuLaunchKernel");
  const Global found = global(module, kValueMisfits);
  const std::vector<std::byte> misfits = stream.download(found.memory, found.bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ArgumentState& state = *values[i];
    int misfit = 0;
    std::memcpy(&misfit, misfits.data() + i * sizeof misfit, sizeof misfit);
    if (misfit != 0) return {Outcome::launch_refused, fmt::format("{}.", value_misfit(state.argument, misfit))};
    const Global bytes = global(module, value_bytes(static_cast<std::size_t>(state.position)));
    state.scalar = stream.download(bytes.memory, bytes.bytes);
  }
  return {};
}

}  // namespace tuner::engine
