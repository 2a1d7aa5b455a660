#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/task.hpp"
#include "tuner/driver/driver.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime.hpp"

namespace tuner::detail {

/// A scalar that the description binds to the problem: what a launch must pass.
struct BoundScalar {
  std::size_t position = 0;  ///< in the signature
  std::uint32_t size = 0;    ///< 1, 2, 4 or 8
  std::uint64_t bits = 0;
};

/// What an instance launches at one time. Immutable once published.
struct LaunchPlan {
  PFN_cuLaunchKernel_v4000 launch = nullptr;  ///< null: the fallback, or nothing
  CUfunction function = nullptr;
  Geometry geometry;
  std::vector<BoundScalar> bound;
  const Fallback* fallback = nullptr;
  Provenance provenance;
};

}  // namespace tuner::detail
