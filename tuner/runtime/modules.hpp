#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/driver/driver.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/launch_plan.hpp"

namespace tuner {

/// The modules that a Runtime has loaded, each binary once a context. They stay until the Runtime ends. Safe to use
/// from several threads.
class Modules {
 public:
  Modules() = default;
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  /// The kernel called `lowered_name`, ready for launches with this geometry. Throws Error{baseline_failed} with a
  /// sentence if the driver refuses the binary or could not launch it like that.
  CUfunction load(const ContextPlace& place, std::span<const std::byte> cubin, const cache::Hash& binary_hash,
                  const std::string& lowered_name, const Geometry& geometry, const DeviceInfo& device);

  /// The arrays in constant memory of that binary, which is loaded, that a launch with these arguments fills. Throws
  /// the same if it has not got them, or of another size.
  std::vector<detail::ConstantCopy> constants(const ContextPlace& place, std::span<const std::byte> cubin,
                                              const cache::Hash& binary_hash, std::span<const BoundArgument> arguments);

 private:
  struct Loaded {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
  };
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, cache::Hash>, Loaded> loaded_;  ///< by context and binary
};

}  // namespace tuner
