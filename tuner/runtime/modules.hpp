#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/driver/driver.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/launch_plan.hpp"

namespace tuner {

/// The modules that a Runtime has loaded, each binary once a context, and once more for each length of arrays in
/// constant memory that are filled in part. They stay until the Runtime ends. Safe to use from several threads.
class Modules {
 public:
  Modules() = default;
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  /// The kernel called `lowered_name`, ready for launches with this geometry. Throws Error{baseline_failed} with a
  /// sentence if the driver refuses the binary or could not launch it like that.
  CUfunction load(const ContextPlace& place, std::span<const std::byte> cubin, const cache::Hash& binary_hash,
                  const std::string& lowered_name, const LaunchFacts& launch, const DeviceInfo& device);

  /// The arrays in constant memory of that binary, which is loaded for these arguments, that a launch fills. Throws
  /// the same if it has not got them, or smaller ones.
  std::vector<detail::ConstantCopy> constants(const ContextPlace& place, std::span<const std::byte> cubin,
                                              const cache::Hash& binary_hash, std::span<const BoundArgument> arguments);

 private:
  struct Loaded {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
  };
  /// Context, binary, and the bytes that are filled where that is not all of an array.
  using Key = std::tuple<std::uint64_t, cache::Hash, std::vector<std::uint64_t>>;
  static Key key_of(const ContextPlace& place, std::span<const std::byte> cubin, const cache::Hash& binary_hash,
                    std::span<const BoundArgument> arguments);
  std::mutex mutex_;
  std::map<Key, Loaded> loaded_;
};

}  // namespace tuner
