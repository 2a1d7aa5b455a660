#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cache/file/hash.hpp"
#include "tuner/core/task/launch_facts.hpp"
#include "tuner/driver/driver.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime.hpp"

namespace tuner {
class ContextScratch;
}

namespace tuner::detail {

/// An array in constant memory that is filled before each launch, from the device pointer that is passed for it.
struct ConstantCopy {
  std::size_t position = 0;     ///< among the arguments of a launch
  CUdeviceptr memory = 0;       ///< of the module
  std::size_t bytes = 0;        ///< that are described
  std::size_t array_bytes = 0;  ///< of the whole array: what is not described keeps its initial values
};

/// An argument that is a value, and the bytes of it that the compiled kernel takes.
struct ValueSize {
  std::size_t position = 0;  ///< among the arguments of a launch
  std::uint32_t bytes = 0;
};

/// What an instance launches at one time. Immutable once published.
struct LaunchPlan {
  // What every launch looks at stands together.
  PFN_cuLaunchKernel_v4000 launch = nullptr;  ///< null: with constants, the fallback, or nothing
  CUfunction function = nullptr;
  Geometry geometry;
  std::vector<BoundScalar> bound;
  std::atomic<std::uint64_t>* launches = nullptr;  ///< of a problem that is noted as missing; outlives the plan
  /// `launch` for a kernel with constants, which takes another way, so that all others need not ask whether they have
  /// some.
  PFN_cuLaunchKernel_v4000 launch_after_copies = nullptr;
  PFN_cuMemcpyDtoDAsync_v3020 copy = nullptr;
  std::vector<ValueSize> value_sizes;   ///< in the order of the arguments
  std::vector<ConstantCopy> constants;  ///< in the order of the arguments
  std::vector<BufferNeed> buffers;      ///< in the order of the arguments
  ContextScratch* scratch = nullptr;    ///< of the context; outlives the plan
  TunedValues values;
  const Fallback* fallback = nullptr;
  Provenance provenance;
  cache::Hash binary;  ///< content_hash of what is loaded; empty where nothing is

  Instance::Shape shape() const { return {geometry.grid, geometry.block, geometry.shared_bytes, function}; }
  /// After a launch. Two threads at once may count as one: that costs the others nothing.
  void count_launch() const noexcept {
    if (launches == nullptr) return;
    launches->store(launches->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  bool has_kernel() const { return launch != nullptr || launch_after_copies != nullptr; }
};

}  // namespace tuner::detail
