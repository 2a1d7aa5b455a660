#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/worker/device_support.hpp"

namespace tuner::engine {

/// The global variables of a loaded module, and what they held when this was made. They are summed up where they are:
/// nothing is copied, however large they are. A module without any costs nothing.
class ModuleGlobals {
 public:
  ModuleGlobals() = default;
  /// To be made before anything of the module is launched. Throws CallFailed.
  ModuleGlobals(std::span<const std::byte> cubin, CUmodule module, DeviceSupport& support);

  bool empty() const { return variables_.empty() && !has_hidden_; }
  /// Whether they hold anything else now. True as well if there are some that the driver does not show.
  bool changed(DeviceSupport& support) const;

 private:
  struct Variable {
    CUdeviceptr memory = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t sum(DeviceSupport& support) const;

  std::vector<Variable> variables_;
  bool has_hidden_ = false;
  std::uint64_t sum_ = 0;
};

}  // namespace tuner::engine
