#include "tuner/core/task/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner {

namespace {

/// With less, a good part of it is still in the cache when it is needed again, and memory does not bind.
constexpr std::uint64_t kCaches = 2;

constexpr double kSecond = 1e9;

std::uint64_t buffer_bytes(const Task& task) {
  std::uint64_t bytes = 0;
  for (const BoundArgument& argument : task.arguments()) {
    if (!is_by_value(argument.role)) bytes += argument.length * element_size(argument);
  }
  return bytes;
}

}  // namespace

std::optional<RooflineBound> roofline_bound(const Roofline& roofline, const Task& task,
                                            const search::Configuration& configuration) {
  using By = RooflineBound::By;
  std::optional<RooflineBound> bound;
  const auto add = [&](const std::optional<double>& work, const std::optional<double>& rate, By by) {
    if (!work || !rate) return;
    const double time_ns = *work / *rate * kSecond;
    if (!bound || time_ns > bound->time_ns) bound = {time_ns, by};
  };
  add(task.work_bytes(configuration), roofline.bytes_per_s, By::bandwidth);
  add(task.work_flops(configuration), roofline.flops_per_s, By::arithmetic);
  if (bound && bound->time_ns <= 0) bound.reset();
  return bound;
}

std::string bound_text(const RooflineBound& bound, const Roofline& roofline, const Task& task,
                       const search::Configuration& configuration) {
  if (bound.by == RooflineBound::By::bandwidth) {
    return fmt::format("its {:.4g} bytes take {} at {}", *task.work_bytes(configuration), time_text(bound.time_ns),
                       rate_text(*roofline.bytes_per_s, "B/s"));
  }
  return fmt::format("its {:.4g} operations take {} at {}", *task.work_flops(configuration), time_text(bound.time_ns),
                     rate_text(*roofline.flops_per_s, "FLOP/s"));
}

void require_roofline(const Task& task, Timing mode) {
  const KernelDescription& description = task.description();
  const auto refuse = [&](const std::string& why, const std::string& way_out) {
    throw Error(Errc::bad_usage,
                fmt::format("--stop-at with a percentage compares with what the GPU's memory and arithmetic were "
                            "measured to reach, but {}. {}, or give a time or a speed-up instead, such as 1.5x.",
                            why, way_out));
  };
  const WorkDescription& work = description.work;
  if (mode == Timing::warm) {
    refuse("with --mode warm the data may come from the L2 cache", "Leave --mode warm out");
  }
  if (!work.bytes && !work.flops) {
    refuse(fmt::format("`{}` declares no work", description.kernel),
           "Declare the least that it must do, as in `#pragma tuner work(bytes = 8 * n)`");
  }
  if (work.flops) {
    const std::optional<ElementType> type = task.work_type();
    if (!type) {
      refuse(fmt::format("the work of `{}` does not say of which type its operations are", description.kernel),
             "Declare it, as in `work(flops = 2 * n, type = float)`");
    }
    if (std::find(kRooflineTypes.begin(), kRooflineTypes.end(), *type) == kRooflineTypes.end()) {
      refuse(fmt::format("the rate of operations in {} is not measured, only in float and double", to_string(*type)),
             "Declare the bytes alone");
    }
  }
  if (!work.bytes) return;
  const std::uint64_t least = kCaches * task.device().l2_bytes;
  const auto refuse_small = [&](std::string_view what, std::string_view verb, std::uint64_t bytes) {
    refuse(fmt::format("{} `{}` {} {} bytes for this problem, less than twice the L2 cache of {}", what,
                       description.kernel, verb, grouped(bytes), grouped(task.device().l2_bytes)),
           "Choose a larger problem");
  };
  const auto moved = static_cast<std::uint64_t>(*task.work_bytes(task.baseline().value_or(task.space().at(0))));
  if (moved < least) refuse_small("the work of", "is", moved);
  // What is moved more than once may be moved from the cache.
  const std::uint64_t held = buffer_bytes(task);
  if (held < least) refuse_small("the buffers of", "have", held);
}

}  // namespace tuner
