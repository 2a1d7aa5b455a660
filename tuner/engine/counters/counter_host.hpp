#pragma once

#include "tuner/engine/counters/cupti.hpp"

#if __has_include(<cupti_range_profiler.h>)

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/counters/counters.hpp"
#include "tuner/engine/counters/counter_plan.hpp"

namespace tuner::engine {

/// CUPTI's host half for one kind of GPU: which counters there are, how they are collected, and what was collected in
/// numbers. Throws CountingRefused.
class CounterHost {
 public:
  /// `availability` is what the driver says about one GPU; without it, all that the chip has is there.
  CounterHost(std::string chip, std::vector<std::uint8_t> availability, std::span<const std::string> names);

  const CounterPlan& plan() const { return plan_; }
  /// Of the first range in what was collected by the plan.
  Counters values(std::span<const std::uint8_t> collected) const;

 private:
  struct Release {
    void operator()(CUpti_Profiler_Host_Object* object) const noexcept;
  };
  using Object = std::unique_ptr<CUpti_Profiler_Host_Object, Release>;

  Object open() const;
  static CUptiResult add(const Object& object, std::span<const std::string> names);
  void choose(std::span<const std::string> names);
  void make_image();

  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CounterPlan plan_;
  Object object_;
};

}  // namespace tuner::engine

#endif
