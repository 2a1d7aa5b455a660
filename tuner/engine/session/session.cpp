#include "tuner/engine/session/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <set>
#include <utility>

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/report/payback.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/engine/measure/decide.hpp"
#include "tuner/engine/measure/interruptions.hpp"
#include "tuner/engine/session/awkward_sizes.hpp"
#include "tuner/engine/session/final_race.hpp"
#include "tuner/engine/session/gpu_time.hpp"
#include "tuner/engine/session/pipeline.hpp"
#include "tuner/engine/session/repeated_blocks.hpp"
#include "tuner/engine/session/session_report.hpp"
#include "tuner/version.hpp"

namespace tuner::engine {

namespace {

std::string new_session_id() {
  static std::atomic<int> count{0};
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{}-{}", fmt::gmtime(std::time(nullptr)), getpid(), ++count);
}

/// The fields that all trials of a session share.
cache::Trial common_fields(const Task& task, const SessionOptions& options) {
  cache::Trial trial;
  trial.key = task.key(to_string(options.mode));
  // What was measured while others were at work on the GPU is not what a session alone there would take over.
  trial.reuse_hash = task.reuse_hash() + (options.contended ? "-contended" : "");
  trial.session = new_session_id();
  trial.origin = options.origin;
  trial.conditions.tuner_version = kVersion;
  trial.conditions.driver = task.device().driver_version;
  return trial;
}

class Session {
 public:
  Session(const Task& task, const SessionOptions& options, const SessionParts& parts)
      : task_(task),
        options_(options),
        parts_(parts),
        common_(common_fields(task, options)),
        log_(parts.store, parts.observer),
        pipeline_(task, options, parts, common_, log_),
        awkward_sizes_(task, options, parts, pipeline_) {}

  TuneReport run() {
    pipeline_.search();
    log_.flush();
    if (!parts_.stop) race();
    log_.flush();
    return conclude();
  }

 private:
  /// Whoever fails in the race may have kept others out of it, by a time that was too good. They race then.
  void race() {
    constexpr int kMostRaces = 5;
    for (int races = 1; race_once() && races < kMostRaces; ++races) pipeline_.observe("searching");
  }

  /// True if somebody should race now who did not.
  bool race_once() {
    const Candidates& candidates = pipeline_.candidates();
    std::vector<Screened> pool;
    std::vector<Finalist> entrants;
    do {
      pool = screened();
      if (pool.empty() || parts_.stop) return false;
      entrants =
          choose_finalists(pool, pipeline_.noise().finalist_policy(), pipeline_.baseline(), pipeline_.previous());
      add_serving(entrants);
      for (Finalist& entrant : entrants) entrant.id = spokesman(entrant.id);
      if (final_ && !left_out(entrants)) return false;
    } while (!pipeline_.bring_binaries(ids(entrants)));
    if (parts_.stop) return false;
    for (const Finalist& entrant : entrants) raced_.insert(entrant.id);
    const std::optional<FinalResult> before = std::move(final_);
    const std::size_t failed_before = failed_.size();
    const TournamentOptions tournament = tournament_options(pool, pipeline_.time().screening_gpu_s * 1e9,
                                                            lead_in_ns(task_.device(), options_.mode), options_.seed);
    pipeline_.observe("racing");
    final_ = run_final_race(
        candidates, entrants, tournament,
        {pipeline_.baseline(), pipeline_.reference(), options_.seed,
         [this](std::size_t entry) { return awkward_sizes_.check(entry); }},
        device(),
        [this](std::size_t entry, const DeviceReply& reply) {
          pipeline_.record_late_failure(entry, reply);
          for (const std::size_t twin : pipeline_.candidates().twins(entry)) failed_.insert(twin);
        },
        parts_.stop);
    for (const std::size_t entry : final_->rested) raced_.erase(entry);
    // A winner that was verified before somebody stopped is still one.
    if (before && before->winner && parts_.stop && !final_->winner) final_ = before;
    if (before) final_->add_costs(*before);
    return failed_.size() > failed_before;
  }

  /// Whether one of them has not raced, although it was faster than the winner, or there is none.
  bool left_out(const std::vector<Finalist>& entrants) const {
    const auto time_of = [&](std::size_t entry) { return *pipeline_.candidates()[entry].trial.time_ns; };
    return std::any_of(entrants.begin(), entrants.end(), [&](const Finalist& entrant) {
      if (raced_.count(entrant.id) > 0) return false;
      return !final_->winner || time_of(entrant.id) < time_of(final_->entries[*final_->winner]);
    });
  }

  /// Everything that ran and was timed, now or in an earlier session, and has not failed since; each binary once.
  std::vector<Screened> screened() const {
    const Candidates& candidates = pipeline_.candidates();
    std::vector<Screened> pool;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const cache::Trial& trial = candidates[i].trial;
      if (!candidates[i].finished || trial.outcome != Outcome::ok || !trial.duplicate_of.empty()) continue;
      if (failed_.count(i) > 0) continue;
      pool.push_back({i, *trial.time_ns, trial.censored});
    }
    return pool;
  }

  AskDevice device() {
    AskDevice ask = [this](DeviceRequest request) { return pipeline_.call(std::move(request)); };
    const std::optional<double> best_ns = pipeline_.candidates().best_ns();
    if (!options_.contended || !best_ns) return ask;
    return repeat_blocks(std::move(ask), samples_against_interruptions(*best_ns));
  }

  /// What a program uses now races to the end, as an earlier winner does.
  void add_serving(std::vector<Finalist>& entrants) const {
    const auto serving = pipeline_.serving();
    if (!serving) return;
    const auto same = std::find_if(entrants.begin(), entrants.end(), [&](const Finalist& entrant) {
      return pipeline_.candidates().original(entrant.id) == *serving;
    });
    (same != entrants.end() ? *same : entrants.emplace_back(Finalist{.id = *serving})).is_previous = true;
  }

  static std::vector<std::size_t> ids(const std::vector<Finalist>& entrants) {
    std::vector<std::size_t> ids;
    for (const Finalist& entrant : entrants) ids.push_back(entrant.id);
    return ids;
  }

  /// Of several configurations that are the same binary and launch, the one that would win a tie speaks for all, so
  /// that it does not matter which was compiled first.
  std::size_t spokesman(std::size_t entry) const {
    const Candidates& candidates = pipeline_.candidates();
    const auto baseline = pipeline_.baseline();
    std::vector<TieCandidate> same;
    for (const std::size_t twin : candidates.twins(entry)) {
      if (!candidates[twin].finished) continue;
      const search::Configuration& configuration = candidates[twin].configuration;
      const int differing = baseline ? differing_parameters(configuration, candidates[*baseline].configuration) : 0;
      same.push_back({twin, differing, 0, candidates.text(twin)});
    }
    return choose_winner(same);
  }

  TuneReport conclude() {
    const SessionFacts facts{task_,
                             options_,
                             common_,
                             pipeline_.candidates(),
                             pipeline_.baseline(),
                             pipeline_.serving(),
                             final_,
                             pipeline_.failures(),
                             pipeline_.warm_start()};
    TuneReport report = build_report(facts);
    report.decision.conditions.toolkit = pipeline_.toolkit();
    report.decision.counters["stored"] = log_.stored();
    report.not_compared = pipeline_.not_compared();
    add_to_counters(report.not_compared, report.decision.counters);
    if (!report.has_fresh_inputs) report.decision.counters[kSameInputsCounter] = 1;
    report.decision.contended = options_.contended || pipeline_.contended();
    if (report.decision.verified && final_->winner && awkward_sizes_.checked(final_->entries[*final_->winner])) {
      report.awkward_problems = awkward_sizes_.verified();
      report.awkward_note = awkward_sizes_.note();
      report.decision.awkward_sizes = static_cast<std::int64_t>(report.awkward_problems.size());
    }
    report.interrupted = parts_.stop && (pipeline_.stopped_early() || !(final_ && final_->winner));
    report.out_of_time = pipeline_.stopped_early() && !report.interrupted;
    report.stopped_because = pipeline_.stopped_because();
    warn_of_unwritten();
    if (final_ && !final_->not_verified.empty()) {
      parts_.observer.warning(
          "The winner was not verified again on fresh inputs, because the reference failed there: " +
          final_->not_verified);
    }
    if (final_ && final_->winner) {
      pipeline_.observe("storing");
      report.stored.has_decision = options_.records_unfinished || !pipeline_.stopped_early();
      if (report.stored.has_decision) report.stored.decision = record(report.decision);
      keep_binaries();
    }
    report.stored.trials = log_.stored();
    report.stored.of_trials = log_.added();
    report.time = time_spent();
    pipeline_.observe("done");
    return report;
  }

  /// A length that is too large, or a grid that is too small, shows in this way alone.
  void warn_of_unwritten() const {
    const std::vector<BoundArgument> arguments = task_.arguments();
    for (const NotCompared& left : pipeline_.not_compared()) {
      const auto called = [&](const BoundArgument& argument) { return argument.name == left.buffer; };
      const auto argument = std::find_if(arguments.begin(), arguments.end(), called);
      if (argument == arguments.end() || argument->is_partial) continue;
      parts_.observer.warning(fmt::format(
          "The reference leaves {} unwritten, so nothing is compared there{}", text_of({left}),
          left.is_tail() ? ". Nothing behind that is written: correct the output's length, or declare it `partial`."
                         : "; see whether that is intended."));
    }
  }

  /// With what it cost, so that whoever reads the decision can tell what it is worth.
  bool record(cache::Decision decision) {
    decision.counters[kTuningCounter] = std::llround(pipeline_.seconds() * 1e3);
    return log_.record(decision);
  }

  TimeSpent time_spent() const {
    TimeSpent time = pipeline_.time();
    if (final_) {
      time.loading_s += final_->load_ms / 1000;
      time.verifying_s += final_->verify_ms / 1000;
      time.timing_s += final_->timing_ms / 1000;
      time.racing_gpu_s = final_->gpu_ms / 1000;
    }
    time.compile_cpu_s = pipeline_.candidates().compile_seconds();
    time.storing_s = log_.seconds();
    time.total_s = pipeline_.seconds();
    return time;
  }

  /// Binaries of the finalists: what a program will ask for next. They can be rebuilt, so trouble costs a warning.
  void keep_binaries() {
    if (parts_.binaries == nullptr) return;
    try {
      for (std::size_t i = 0; i < final_->entries.size(); ++i) {
        const Entry& entry = pipeline_.candidates()[final_->entries[i]];
        const CompileReply& compiled =
            pipeline_.candidates()[pipeline_.candidates().original(final_->entries[i])].binary;
        if (compiled.cubin.empty() || final_->race.standings[i].withdrawn) continue;
        cache::Binary binary;
        binary.architecture = task_.device().architecture();
        binary.compile_key = binary_key(task_, entry.configuration);
        binary.kernel = compiled.lowered_name;
        binary.resource_log = compiled.log;
        binary.bytes = compiled.cubin;
        const bool served = i == final_->winner || final_->entries[i] == pipeline_.baseline();
        parts_.binaries->put(binary, served ? cache::Keep::pinned : cache::Keep::while_room);
      }
    } catch (const Error& error) {
      parts_.observer.warning(fmt::format("{} The winner's binary will be compiled again.", error.what()));
    }
  }

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const cache::Trial common_;
  TrialLog log_;
  Pipeline pipeline_;
  AwkwardSizes awkward_sizes_;
  std::optional<FinalResult> final_;  ///< of the last race
  std::set<std::size_t> raced_;       ///< in any race
  std::set<std::size_t> failed_;      ///< in a race or after it, with their twins
};

}  // namespace

TuneReport run_session(const Task& task, const SessionOptions& options, const SessionParts& parts) {
  return Session(task, options, parts).run();
}

}  // namespace tuner::engine
