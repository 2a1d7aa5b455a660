#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/task/task.hpp"
#include "tuner/timing.hpp"

namespace tuner {

/// What a GPU was measured to reach: bytes of memory and, in one type, operations. With the work of a kernel this
/// bounds its time from below (S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance
/// model for multicore architectures", Communications of the ACM 52(4), 2009).
struct Roofline {
  std::optional<double> bytes_per_s;  ///< nothing: not measured, because the work has no bytes
  std::optional<double> flops_per_s;  ///< likewise
};

/// The least time that the declared work of a configuration takes at these rates, and which of them it is.
struct RooflineBound {
  enum class By : std::uint8_t { bandwidth, arithmetic };
  double time_ns = 0;
  By by = By::bandwidth;
};

/// More than the roofline by up to this much is what its own measurement may have missed; more than that says that the
/// declared work is not what the kernel does.
inline constexpr double kRooflineTolerance = 0.05;

/// Nothing if the task has no work at these rates.
std::optional<RooflineBound> roofline_bound(const Roofline& roofline, const Task& task,
                                            const search::Configuration& configuration);

/// "its 8e+09 bytes take 2.000 ms at 4.000 TB/s": the bound of these three in words.
std::string bound_text(const RooflineBound& bound, const Roofline& roofline, const Task& task,
                       const search::Configuration& configuration);

/// Throws Error{bad_usage} with a way out where the time of the task's kernel cannot be bound by what a GPU reaches: it
/// declares no work, or operations of no type or of one whose rate is not measured; its data fits into the L2 cache, or
/// is in it when a sample begins.
void require_roofline(const Task& task, Timing mode);

/// The types whose rate is measured.
inline constexpr std::array<ElementType, 2> kRooflineTypes{ElementType::float32, ElementType::float64};

}  // namespace tuner
