#pragma once

#include <optional>
#include <string>

#include "cache/records/decision.hpp"
#include "cache/store/store.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidates.hpp"

namespace tuner::engine {

/// What a session measures whatever the strategy asks for: the baseline, the winner of an earlier session, and what a
/// program uses now. `add_…` returns what is to be compiled and run for that; nothing where there is nothing new.
/// Everything handed over outlives this.
class Incumbents {
 public:
  Incumbents(const Task& task, Candidates& candidates) : task_(task), candidates_(candidates) {}

  /// Nothing if the defaults are not valid.
  std::optional<EntryId> add_baseline();
  /// A replay goes on without it.
  void drop_baseline() { baseline_.reset(); }
  /// Measured again although `where` may exclude it: it is what users run now, and only something faster may replace
  /// it. The baseline must be known.
  std::optional<EntryId> add_previous(const cache::Store& store, const cache::DecisionKey& key);
  /// `configuration`: what a program uses; may be empty.
  std::optional<EntryId> add_serving(const std::string& configuration);

  const std::optional<EntryId>& baseline() const { return baseline_; }
  /// What the store had of this task, as it is now, before the session; nothing: nothing, or of another version.
  const std::optional<cache::Decision>& earlier_decision() const { return earlier_decision_; }

  /// Whether nothing has to wait for the baseline's binary any more.
  bool is_baseline_compiled() const;
  /// Whether what a winner has to beat, the baseline aside, is known.
  bool others_are_finished() const;
  /// Whether this is one of them, or the one whose binary it shares.
  bool need(EntryId entry) const;

  // Those that can race. An entry that shares its binary with another one is named by that.

  std::optional<EntryId> raceable_baseline() const { return raceable(baseline_); }
  std::optional<EntryId> raceable_previous() const { return raceable(previous_); }
  std::optional<EntryId> raceable_serving() const { return raceable(serving_); }

 private:
  std::optional<EntryId> raceable(std::optional<EntryId> entry) const;

  const Task& task_;
  Candidates& candidates_;
  std::optional<EntryId> baseline_, previous_, serving_;
  std::optional<cache::Decision> earlier_decision_;
};

}  // namespace tuner::engine
