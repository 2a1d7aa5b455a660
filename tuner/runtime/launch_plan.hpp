#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/driver/driver.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime.hpp"

namespace tuner {
class ContextScratch;
}

namespace tuner::detail {

/// A scalar that the description binds to the problem: what a launch must pass.
struct BoundScalar {
  std::size_t position = 0;  ///< in the signature
  std::uint32_t size = 0;    ///< 1, 2, 4 or 8
  std::uint64_t bits = 0;
};

/// An array in constant memory that is filled before each launch, from the device pointer that is passed for it.
struct ConstantCopy {
  std::size_t position = 0;  ///< among the arguments of a launch
  CUdeviceptr memory = 0;    ///< of the module
  std::size_t bytes = 0;
};

/// A buffer among the arguments of a launch, as one configuration needs it.
struct BufferNeed {
  std::size_t position = 0;
  std::uint64_t elements = 0, bytes = 0;
  std::uint64_t alignment = 0;  ///< that is declared; 0: natural
  bool is_scratch = false;
};

/// What an instance launches at one time. Immutable once published.
struct LaunchPlan {
  // What every launch looks at stands together.
  PFN_cuLaunchKernel_v4000 launch = nullptr;  ///< null: with constants, the fallback, or nothing
  CUfunction function = nullptr;
  Geometry geometry;
  std::vector<BoundScalar> bound;
  /// `launch` for a kernel with constants, which takes another way, so that all others need not ask whether they have
  /// some.
  PFN_cuLaunchKernel_v4000 launch_after_copies = nullptr;
  PFN_cuMemcpyDtoDAsync_v3020 copy = nullptr;
  std::vector<ConstantCopy> constants;  ///< in the order of the arguments
  std::vector<BufferNeed> buffers;      ///< in the order of the arguments
  ContextScratch* scratch = nullptr;    ///< of the context; outlives the plan
  TunedValues values;
  const Fallback* fallback = nullptr;
  Provenance provenance;

  Instance::Shape shape() const { return {geometry.grid, geometry.block, geometry.shared_bytes, function}; }
  bool has_kernel() const { return launch != nullptr || launch_after_copies != nullptr; }
};

/// The buffers that launches of this configuration take. Throws Error{bad_description, bad_problem} if the length of a
/// scratch cannot be computed.
std::vector<BufferNeed> buffer_needs(const Task& task, const search::Configuration& configuration);
TunedValues tuned_values(const search::Space& space, const search::Configuration& configuration);

}  // namespace tuner::detail
