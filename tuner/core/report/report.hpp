#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/records/resource_facts.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/binary/code_facts.hpp"
#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/roofline.hpp"
#include "tuner/core/task/unproven.hpp"
#include "tuner/effort.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner {

/// Where the wall-clock time of a session went: phases that follow each other and add up to the whole, told by what the
/// device is doing, and beside them what other processes and the disk do meanwhile.
struct TimeSpent {
  double total_s = 0;  ///< from the beginning of the command, or the end of the problem before, to the end
  /// Until the device is set up for the problem: reading, workers, turns of others, the roofline's rates, buffers.
  double starting_s = 0;
  double waiting_s = 0;     ///< the device had nothing to do: it waited for compiled candidates
  double loading_s = 0;     ///< device: modules loaded
  double verifying_s = 0;   ///< device: correctness launches and comparisons
  double timing_s = 0;      ///< device: samples, the race included
  double exchanging_s = 0;  ///< device: requests and answers, data for them, workers that take over
  double ending_s = 0;      ///< workers end, where there is one problem
  /// The device rested while the session chose, compared and wrote.
  double deciding_s() const {
    const double told = starting_s + waiting_s + loading_s + verifying_s + timing_s + exchanging_s + ending_s;
    return std::max(0.0, total_s - told);
  }
  /// Without what depends on who else was at work, and on how many problems there are.
  double tuning_s() const { return total_s - starting_s - ending_s; }
  double compile_cpu_s = 0;  ///< beside them: busy time of all compile workers together
  double storing_s = 0;      ///< beside them: writing to the database
  /// What timing kept the GPU busy with, launches and about what precedes them; `timing_s` has the host's part too.
  double screening_gpu_s = 0;
  double racing_gpu_s = 0;
};

/// One finalist of the race as reports show it.
struct FinalistReport {
  std::string configuration;
  double time_ns = 0;                          ///< median of its race samples
  double relative_time = 1;                    ///< to the winner, paired
  double relative_low = 1, relative_high = 1;  ///< its interval; equal where it is not known
  bool tied = false;
  bool is_baseline = false;
  std::vector<double> samples_ns;  ///< one for each block it took part in, blocks that were dropped left out
  int differing_parameters = 0;
  cache::ResourceFacts facts;
  CodeFacts code;
};

/// What a session was told about when to stop, as it was told: whichever came first.
struct ReportBudget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  std::optional<double> share;  ///< of the space, 0 to 1
  std::optional<double> target_ns;
  std::optional<double> target_speedup;
  std::optional<double> roofline;     ///< share of the roofline, 0 to 1
  std::optional<std::uint64_t> idle;  ///< configurations in a row that are not faster
  std::optional<double> gain;         ///< 0.02: expected to gain less than 2 %
  bool any() const {
    return evaluations || seconds || share || target_ns || target_speedup || roofline || idle || gain;
  }
};

/// Configurations that earlier results suggested and that were tried.
struct WarmStart {
  std::int64_t tried = 0;
  bool won = false;  ///< one of them is the winner
};

struct FailureReport {
  Outcome outcome = Outcome::ok;
  std::int64_t count = 0;
  std::string example_configuration;
  std::string example_message;
};

/// A file that an argument's content came from, or was compared with.
struct DataReport {
  std::string argument;
  std::string file;
  cache::Hash hash;          ///< of its data
  bool is_expected = false;  ///< what the argument must hold afterwards
};

/// How near the winner is to what the GPU was measured to reach.
struct RooflineReport {
  Roofline rates;          ///< that the GPU reaches
  RooflineBound bound;     ///< of the winner
  std::string bound_text;  ///< the same in words
  double share = 0;        ///< the bound over the winner's time
};

/// What of a session is in the database.
struct Stored {
  std::int64_t trials = 0;
  std::int64_t of_trials = 0;  ///< how many the session made
  bool decision = false;
  bool has_decision = false;  ///< there is one to store
  bool anything() const { return trials > 0 || decision; }
  bool everything() const { return trials == of_trials && decision == has_decision; }
};

/// What one tuning session found: everything its text and JSON forms print. A value.
struct TuneReport {
  std::string kernel;
  std::string file;
  std::string problem;
  std::string device;  ///< name, or "recorded on …"
  std::string mode;    ///< cold or warm; empty in a replay of a recording that does not say
  std::string strategy;
  std::uint64_t seed = 0;
  std::string session;
  std::vector<DataReport> data;
  bool has_fresh_inputs = true;  ///< another seed gives other inputs
  bool replayed = false;         ///< nothing was compiled or launched
  std::string replay_file;       ///< the recording
  std::string replay_note;       ///< when and where it was made
  bool interrupted = false;      ///< stopped by the user before the strategy was done
  bool out_of_time = false;      ///< stopped by the budget's seconds before the strategy was done
  std::string stopped_because;   ///< the rule that ended the search, "the budget of 60.0 s is spent"; empty: none did
  /// The chance that something untried is one per cent faster, as the strategy believes; nothing: it has no belief, or
  /// everything was tried.
  std::optional<double> chance_left;
  /// How often beliefs are right is known of spaces up to this size: docs/results/search.md. Of larger ones none is
  /// said.
  static constexpr std::uint64_t kLargestJudged = 18'000;
  bool is_belief_judged() const { return space_size <= kLargestJudged; }
  std::vector<std::string> where;  ///< what `--where` narrowed the space to
  ReportBudget budget;
  std::optional<Effort> effort;  ///< that was asked for; nothing: the budget alone
  bool from_store = false;       ///< nothing was searched: a decision of more effort was stored
  WarmStart warm_start;
  bool baseline_excluded = false;  ///< `where` excludes the baseline, which is raced all the same
  bool winner_excluded = false;    ///< `where` excludes the winner, which is that of an earlier session
  std::uint64_t space_size = 0;
  double cartesian_size = 0;
  cache::Decision decision;  ///< winner, speed-up, ties, counters; configuration empty if nothing ran
  cache::ResourceFacts winner_facts;
  CodeFacts winner_code;
  cache::ResourceFacts baseline_facts;
  CodeFacts baseline_code;
  std::vector<FinalistReport> finalists;
  std::vector<FailureReport> failures;
  std::optional<double> bytes_per_second;  ///< achieved by the winner, from the declared work
  std::optional<double> flops_per_second;
  std::optional<RooflineReport> roofline;     ///< nothing unless the search was to stop there
  std::vector<std::string> awkward_problems;  ///< at which the winner reproduced the reference, besides its own
  std::string awkward_note;                   ///< why there are none
  std::vector<NotCompared> not_compared;      ///< what the reference leaves unwritten
  std::vector<Unproven> unproven;             ///< what agrees with a kernel that computes nothing
  std::string counting_inputs;                ///< integers that no generator is given for, as a sentence
  TimeSpent time;
  /// Lower end of the interval of (time of what a program used meanwhile / time of the winner), where both raced.
  std::optional<double> gain_low;
  Stored stored;
  std::string stored_in;  ///< path of a database that is kept; empty if what is stored is in memory only
  std::vector<std::string> warnings;
};

/// Text without colour codes, wrapped where lines take more than `width` columns (see `labelled`).
std::string to_text(const TuneReport& report, std::size_t width = kUnwrapped);
/// One JSON object; docs/json.md is its manual. `with_times` false leaves out everything that differs between two runs
/// of the same replay (durations, session, dates), so that equal runs give equal bytes.
std::string to_json(const TuneReport& report, bool with_times = true);

}  // namespace tuner
