#pragma once

#include <memory>
#include <span>
#include <string>

#include "tuner/core/counters/counters.hpp"
#include "tuner/engine/counters/counter_plan.hpp"

namespace tuner::engine {

/// Counts what the hardware does in one kernel launch, with CUPTI's Range Profiler, in the context that is current. The
/// launch is repeated by the caller, once for each pass, and must do the same each time:
///
///     do {
///       // whatever the launch needs is restored, and waited for
///       counter.begin_pass();
///       // one launch
///     } while (!counter.end_pass());
///     counter.values()
///
/// Inside a pass the driver waits for the kernel to end before it returns from the launch.
///
/// Everything throws CountingRefused, with the call and its error code. Takes some 100 ms to make. Nothing should be
/// timed while one lives.
class RangeCounter {
 public:
  explicit RangeCounter(std::span<const std::string> names);
  ~RangeCounter();
  RangeCounter(const RangeCounter&) = delete;
  RangeCounter& operator=(const RangeCounter&) = delete;

  const CounterPlan& plan() const;
  void begin_pass();
  /// Whether that was the last.
  bool end_pass();
  /// Passes that have ended.
  int passes() const;
  /// After the last pass. What has no value, such as a share of nothing, is missing.
  Counters values();

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace tuner::engine
