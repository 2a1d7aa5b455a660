#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/engine/candidates/candidates.hpp"

namespace tuner::engine {

/// What earlier sessions learnt about a task and a session can take over: trials that need not be made again, and
/// binaries that must not be launched again. Reading throws Error{store_*}.
class EarlierSessions {
 public:
  /// Whether anything was ever recorded for the key. If not, no session needs to wait until it knows its conditions.
  static bool any(const cache::Store& store, const cache::DecisionKey& key);

  /// `common` has the key, the reuse hash and the driver's version.
  void read_quarantine(const cache::Store& store, const cache::Trial& common, std::chrono::milliseconds launch_timeout);
  /// All of them or, if that throws, none.
  void read_trials(const cache::Store& store, const cache::Trial& common, const std::string& toolkit);

  /// The trial that stands for the entry, whose launch is known; null where it must be compiled and run: it is new, it
  /// was launched in another way, it ended by what may have been a fluke, or it ran and was quarantined since.
  const cache::Trial* trial_of(const Entry& entry) const;

  /// What a result costs, as one of them settled it.
  std::optional<double> result_cost_ms() const { return result_cost_ms_; }
  /// Whether a cost is stored with a trial of this configuration, be it taken over or not.
  bool has_cost(const Entry& entry) const;

  /// Null if the entry's binary may be launched.
  const cache::Quarantined* quarantined(const Entry& entry) const;

 private:
  const cache::Quarantined* find(const cache::Hash& binary_hash, const std::string& launch) const;

  std::map<std::string, cache::Trial, std::less<>> trials_;  ///< by configuration
  std::vector<cache::Quarantined> quarantine_;
  std::optional<double> result_cost_ms_;
};

/// Since when the binary is quarantined, why, and what lifts that.
std::string explain(const cache::Quarantined& quarantined);

}  // namespace tuner::engine
