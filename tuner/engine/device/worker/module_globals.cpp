#include "tuner/engine/device/worker/module_globals.hpp"

#include "tuner/core/binary/cubin.hpp"

namespace tuner::engine {

ModuleGlobals::ModuleGlobals(std::span<const std::byte> cubin, CUmodule module, DeviceSupport& support) {
  for (const CubinArray& global : globals_in_cubin(cubin)) {
    CUdeviceptr memory = 0;
    std::size_t bytes = 0;
    const CUresult result = driver().module_global(&memory, &bytes, module, global.symbol.c_str());
    if (is_sticky(result)) check(result, "cuModuleGetGlobal");
    if (result == CUDA_SUCCESS) {
      variables_.push_back({memory, bytes});
    } else {
      has_hidden_ = true;
    }
  }
  sum_ = sum(support);
}

bool ModuleGlobals::changed(DeviceSupport& support) const {
  return has_hidden_ || sum(support) != sum_;
}

std::uint64_t ModuleGlobals::sum(DeviceSupport& support) const {
  constexpr std::uint64_t kWord = 8;
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t total = 0, place = 0;
  std::size_t asked = 0;
  const auto collect = [&] {
    // By place: one variable's change does not undo another's.
    for (const Finding& finding : support.findings()) total += finding.sum * (2 * kOdd * place++ + 1);
    asked = 0;
  };
  for (const Variable& variable : variables_) {
    // Whole words are read, where they are aligned.
    if (variable.memory % kWord == 0) {
      support.checksum(variable.memory, variable.bytes);
    } else {
      support.checksum_elements(variable.memory, variable.bytes, ElementType::uint8, 0);
    }
    if (++asked == kMaxFindings) collect();
  }
  if (asked > 0) collect();
  return total;
}

}  // namespace tuner::engine
