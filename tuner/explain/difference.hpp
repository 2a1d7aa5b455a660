#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "tuner/explain/facts.hpp"

namespace tuner::explain {

/// Of a multiprocessor, since Volta.
inline constexpr int kSchedulers = 4;

/// A number of both configurations.
struct Both {
  double slower = 0, faster = 0;
  double times_less() const;  ///< slower / faster: more than 1 where the faster one has less
  double times_more() const;  ///< faster / slower
};

/// Two configurations whose times differ, and which part of that difference a change could account for. A warp spends
/// its cycles issuing or stalled for one reason, and a kernel's time is what its warps spend divided by how many there
/// are at a time; so the reasons share the time of a kernel in the proportion of their cycles. All parts are less what
/// measurements leave open.
class Difference {
 public:
  /// Nothing where it does not show in time.
  static std::optional<Difference> between(const ConfigurationFacts& slower, const ConfigurationFacts& faster,
                                           const DeviceInfo& device);

  const ConfigurationFacts& slower() const { return *slower_; }
  const ConfigurationFacts& faster() const { return *faster_; }
  const DeviceInfo& device() const { return *device_; }
  /// Time of the slower over that of the faster, more than 1.
  double ratio() const { return ratio_; }

  /// Whether both have the counters that say where time goes.
  bool counted() const { return counted_; }
  std::optional<Both> counter(std::string_view name) const;
  /// The sum of two or more; one that is missing counts nothing, unless all are.
  std::optional<Both> sum(std::initializer_list<std::string_view> names) const;

  /// The part that the stalls of these reasons make up, 0 to 1.
  double share_of_stalls(std::initializer_list<std::string_view> reasons) const;
  /// The part that a share of the slower one's time makes up which is saved, 0 to 1.
  double share_of_time(double saved) const;
  /// The part that a factor of the time accounts for, 0 to 1: of instructions to execute, or of warps at a time.
  double share_of_factor(double factor) const;
  /// The part that so many cycles of every multiprocessor make up, 0 to 1.
  double share_of_cycles(double cycles_per_sm) const;
  /// The cycles that a multiprocessor works longer; 0 if unknown.
  double more_cycles() const;
  /// Cycles in which the multiprocessors of the slower one work, each.
  double cycles_of_slower() const;

 private:
  const ConfigurationFacts* slower_ = nullptr;
  const ConfigurationFacts* faster_ = nullptr;
  const DeviceInfo* device_ = nullptr;
  double ratio_ = 1;
  bool counted_ = false;
};

}  // namespace tuner::explain
