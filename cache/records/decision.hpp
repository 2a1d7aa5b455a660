#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/run.hpp"
#include "tuner/effort.hpp"

namespace tuner::cache {

/// A finalist that the race could not show to be slower than the winner by more than the tie threshold.
struct Tie {
  std::string configuration;
  double relative_time = 1;  ///< its time / the winner's, paired estimate
};

template <class Fields, MaybeConst<Tie> Some>
void describe(Fields& fields, Some& tie) {
  fields("configuration", tie.configuration);
  fields("relative_time", tie.relative_time);
}

/// The outcome of one tuning session: derived from trials, and what is served.
struct Decision : Run {
  std::string configuration;  ///< the winner, canonical text
  std::string baseline;       ///< what it is compared with; empty if the space has no valid default
  double time_ns = 0;
  std::optional<double> baseline_time_ns;
  std::optional<double> speedup;      ///< baseline / winner, paired
  std::optional<double> speedup_low;  ///< confidence interval of the speed-up
  std::optional<double> speedup_high;
  double confidence = 0;  ///< level of that interval, 0.99 for example
  std::vector<Tie> ties;  ///< the winner included
  std::int64_t race_blocks = 0;
  bool verified = false;  ///< reproduced the reference on fresh inputs after the race
  /// At how many awkward sizes the winner reproduced the reference, too; 0: it serves its exact size only.
  std::int64_t awkward_sizes = 0;
  bool noisy = false;      ///< the device was disturbed while it was measured
  bool contended = false;  ///< other processes had the GPU open meanwhile
  /// How thoroughly the space was searched; nothing: unknown, in rows of earlier versions.
  std::optional<Effort> effort;
  std::optional<std::int64_t> evaluated;   ///< configurations that this search tried; unknown likewise
  std::optional<std::int64_t> space_size;  ///< valid configurations of the space that was searched; unknown likewise
  std::string space_hash;                  ///< of its parameters, values and constraints; empty: unknown
  std::string stopped_because;             ///< the rule that ended the search before the whole space; empty: none
  Hash binary_hash;
  std::string launch;
  std::map<std::string, std::int64_t> counters;  ///< asked, compiled, deduplicated, launched, stored, failed_<outcome>
  std::int64_t created_unix_ms = 0;              ///< set by the store when 0
  std::int64_t row = 0;  ///< its number in the database, `decision_id`; 0: not stored. Set by the store

  // A kernel without parameters has one configuration, whose text is empty: it is its own baseline.
  bool has_winner() const { return !configuration.empty() || time_ns > 0; }
  bool has_baseline() const { return !baseline.empty() || (configuration.empty() && time_ns > 0); }
};

/// Table `decision`, behind its run: what belongs to the decision alone, in one value each.
template <class Fields, MaybeConst<Decision> Some>
void describe_columns(Fields& fields, Some& decision) {
  fields("configuration", decision.configuration);
  fields("baseline", decision.baseline);
  fields("time_ns", decision.time_ns);
  fields("baseline_time_ns", decision.baseline_time_ns);
  fields("speedup", decision.speedup);
  fields("speedup_low", decision.speedup_low);
  fields("speedup_high", decision.speedup_high);
  fields("confidence", decision.confidence);
  fields("race_blocks", decision.race_blocks);
  fields("verified", decision.verified);
  fields("awkward_sizes", decision.awkward_sizes);
  fields("noisy", decision.noisy);
  fields("contended", decision.contended);
  fields("binary_hash", decision.binary_hash);
  fields("launch", decision.launch);
  fields("created_unix_ms", decision.created_unix_ms);
  fields("effort", decision.effort);
  fields("evaluated", decision.evaluated);
  fields("space_size", decision.space_size);
  fields("space_hash", decision.space_hash);
  fields("stopped_because", decision.stopped_because);
}

/// All of it.
template <class Fields, MaybeConst<Decision> Some>
void describe(Fields& fields, Some& decision) {
  describe(fields, decision.key);
  describe_run(fields, decision);
  describe_columns(fields, decision);
  fields("ties", decision.ties);
  fields("counters", decision.counters);
  fields("row", decision.row);
}

/// What is served for one key of a kernel, in short: what choosing among sizes and devices needs.
struct Site {
  std::string kernel_name;
  std::string problem;
  std::string device;
  std::string configuration;
  double time_ns = 0;
  std::int64_t awkward_sizes = 0;  ///< as in Decision
  std::int64_t created_unix_ms = 0;
  std::int64_t row = 0;  ///< of the decision
};

}  // namespace tuner::cache
