#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
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

  /// Whether this is the first time that it is asked for the array of the kernel.
  bool is_news(const std::string& kernel, const std::string& array);

 private:
  struct Loaded {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
  };
  /// Context, binary, and of each array the bytes that are filled, 0 for all.
  using Key = std::tuple<std::uint64_t, cache::Hash, std::vector<std::uint64_t>>;
  static Key key_of(const ContextPlace& place, std::span<const std::byte> cubin, const cache::Hash& binary_hash,
                    std::span<const BoundArgument> arguments);
  std::mutex mutex_;
  std::map<Key, Loaded> loaded_;
  std::set<std::pair<std::string, std::string>> told_;
};

}  // namespace tuner
