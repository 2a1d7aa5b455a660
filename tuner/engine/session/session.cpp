#include "tuner/engine/session/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <random>
#include <utility>

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/report/payback.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/served_winner.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/searching/search_loop.hpp"
#include "tuner/engine/session/awkward_sizes.hpp"
#include "tuner/engine/session/decision_texts.hpp"
#include "tuner/engine/session/final_race.hpp"
#include "tuner/engine/session/races.hpp"
#include "tuner/engine/session/session_report.hpp"
#include "tuner/engine/session/stored_answer.hpp"
#include "tuner/version.hpp"

namespace tuner::engine {

namespace {

/// No two are the same, of containers with equal process numbers either: `tuner pull` knows results by it.
std::string new_session_id() {
  static std::atomic<int> count{0};
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{}-{}-{:08x}", fmt::gmtime(std::time(nullptr)), getpid(), ++count,
                     std::random_device()());
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
        journal_(parts.store, parts.observer, options),
        candidates_(task, common_, options.contended),
        compile_(parts.compile, journal_, parts.stop),
        device_(task, options, parts.device, parts.observer, journal_),
        search_(task, options, parts, common_, {candidates_, compile_, device_, journal_}),
        awkward_sizes_(task, options, parts, candidates_, compile_, device_),
        races_(task, options, parts, {candidates_, compile_, device_, journal_}, search_, awkward_sizes_) {}

  TuneReport run() {
    search_.run();
    for (const auto& [entry, failure] : search_.late_failures()) races_.record_failure(entry, failure);
    journal_.flush();
    races_.run();
    journal_.flush();
    compile_.give_up();
    return conclude();
  }

 private:
  TuneReport conclude() {
    const SessionFacts facts{task_,
                             options_,
                             common_,
                             candidates_,
                             incumbents_.raceable_baseline(),
                             incumbents_.raceable_serving(),
                             final_,
                             journal_.failures(),
                             search_.warm_start()};
    TuneReport report = build_report(facts);
    report.decision.conditions.toolkit = compile_.toolkit();
    report.decision.counters["stored"] = journal_.stored();
    report.decision.counters["launched"] = device_.launches();
    report.not_compared = device_.not_compared();
    add_to_counters(report.not_compared, report.decision.counters);
    report.unproven = unproven();
    add_to_counters(report.unproven, report.decision.counters);
    add_to_counters(device_.like_rounding(), report.decision.counters);
    if (const auto beyond = beyond_what_memory_delivers(report)) add_to_counters(*beyond, report.decision.counters);
    if (!report.has_fresh_inputs) report.decision.counters[kSameInputsCounter] = 1;
    report.decision.contended = options_.contended || device_.contended();
    if (report.decision.verified && final_->winner && awkward_sizes_.checked(*final_->winner_entry())) {
      report.awkward_problems = awkward_sizes_.verified();
      report.awkward_note = awkward_sizes_.note();
      report.decision.awkward_sizes = static_cast<std::int64_t>(report.awkward_problems.size());
    }
    report.interrupted = parts_.stop && (search_.stopped_early() || !(final_ && final_->winner));
    report.out_of_time = search_.stopped_early() && !report.interrupted;
    report.stopped_because = search_.stopped_because();
    report.chance_left = search_.chance_left();
    describe_search(report.decision);
    warn_of_unwritten();
    warn_of_unproven(report.unproven);
    if (const std::string text = waiting_loop_text(task_.description(), task_.headers()); !text.empty())
      parts_.observer.warning(text);
    report.counting_inputs = counting_inputs(task_.description(), task_.arguments());
    if (final_ && !final_->not_verified.empty()) {
      parts_.observer.warning(
          "The winner was not verified again on fresh inputs, because the reference failed there: " +
          final_->not_verified);
    }
    if (final_ && final_->winner) {
      search_.observe("storing");
      report.stored.has_decision = !search_.stopped_early() || timed() > options_.least_timed;
      if (report.stored.has_decision) report.stored.decision = record(report);
      keep_binaries();
      if (report.stored.decision) keep_for_starts(report.decision);
    }
    report.stored.trials = journal_.stored();
    report.stored.of_trials = journal_.added();
    report.time = time_spent();
    search_.observe("done");
    return report;
  }

  /// How thoroughly the space was searched. Where the race had an earlier winner, of a search of more effort, or of as
  /// much that tried more, that search counts: only something faster could take its place.
  void describe_search(cache::Decision& decision) const {
    const bool narrowed = !task_.where().empty();
    const bool is_hasty = options_.percent_worth < SessionOptions{}.percent_worth;
    const std::uint64_t size = task_.space().size();
    decision.evaluated = decision.counters.at("asked");
    decision.space_size = static_cast<std::int64_t>(size);
    decision.space_hash = space_hash(task_.space());
    decision.stopped_because = search_.stopped_because();
    decision.effort = Effort::quick;
    if (search_.through() && !narrowed) {
      // A search that was to be short, of a space so small that it is done, is as good as a longer one.
      decision.effort = std::max(options_.effort.value_or(Effort::full), Effort::normal);
    } else if (options_.effort && !search_.stopped_early() && !narrowed && !is_hasty) {
      decision.effort = options_.effort;
    }
    const std::optional<cache::Decision>& earlier = incumbents_.earlier_decision();
    const auto extent = [](const cache::Decision& one) { return std::pair(*one.effort, one.evaluated.value_or(0)); };
    if (!earlier || !earlier->effort || extent(*earlier) <= extent(decision)) return;
    if (earlier->origin == cache::Origin::imported) return;  // searched elsewhere
    if (earlier->conditions.driver != task_.device().driver_version) return;
    if (!narrowed && earlier->space_hash != decision.space_hash) return;
    if (!incumbents_.raceable_previous() && earlier->configuration != decision.baseline) return;
    decision.effort = earlier->effort;
    decision.evaluated = earlier->evaluated;
    decision.space_size = earlier->space_size;
    decision.space_hash = earlier->space_hash;
    decision.stopped_because = earlier->stopped_because;
  }

  /// Configurations that ran, the baseline among them.
  std::size_t timed() const {
    std::size_t count = 0;
    for (const EntryId entry : candidates_.ids()) {
      if (candidates_[entry].finished && candidates_[entry].trial.outcome == Outcome::ok) ++count;
    }
    return count;
  }

  /// Whether the winner is faster than memory, which is measured only where it may be. Memory delivers less than its
  /// clock promises, and not every driver tells that clock. Good kernels come near what it delivers, and measuring
  /// takes time.
  std::optional<BeyondMemory> beyond_what_memory_delivers(const TuneReport& report) const {
    constexpr double kLeastPartOfPeak = 0.9;
    if (!report.bytes_per_second || task_.device().l2_bytes == 0 ||
        *report.bytes_per_second < kLeastPartOfPeak * peak_bytes_per_s(task_.device()) || !options_.memory_rates ||
        parts_.stop)
      return std::nullopt;
    const std::optional<MemoryRates> rates = options_.memory_rates();
    return rates ? beyond_memory(*report.bytes_per_second, *rates) : std::nullopt;
  }

  /// What agrees with a kernel that computes nothing; where that is known, other seeds say nothing more.
  std::vector<Unproven> unproven() const {
    std::vector<Unproven> all = device_.unproven();
    if (!final_) return all;
    for (const Unproven& one : final_->unproven) {
      const auto is_known = [&](const Unproven& other) {
        return other.buffer == one.buffer && other.why != Unproven::Why::not_a_number;
      };
      if (std::none_of(all.begin(), all.end(), is_known)) all.push_back(one);
    }
    return all;
  }

  /// A length that is too large, or a grid that is too small, shows in this way alone.
  void warn_of_unwritten() const {
    const std::vector<BoundArgument> arguments = task_.arguments();
    for (const NotCompared& left : device_.not_compared()) {
      const auto called = [&](const BoundArgument& argument) { return argument.name == left.buffer; };
      const auto argument = std::find_if(arguments.begin(), arguments.end(), called);
      if (argument == arguments.end() || argument->is_partial) continue;
      parts_.observer.warning(fmt::format(
          "The reference leaves {} unwritten, so nothing is compared there{}", text_of({left}),
          left.is_tail() ? ". Nothing after that is written: correct the output's length, or declare it `partial`."
                         : "; check whether that is intended."));
    }
  }

  /// What stays as it was beside a result that is proven is most often a counter that the kernel sets back.
  void warn_of_unproven(std::vector<Unproven> unproven) const {
    std::erase_if(unproven, [](const Unproven& one) { return one.why == Unproven::Why::unchanged; });
    if (unproven.empty()) return;
    parts_.observer.warning(
        fmt::format("Little is proven where {}: a kernel that computes something else may agree. "
                    "Give the inputs other contents, if this is not what the kernel is to "
                    "compute; if it is, declare the output `trivial`.",
                    text_of(unproven)));
  }

  /// With what it cost, so that its reader can tell what it is worth, and with its texts. Whether it is stored.
  bool record(const TuneReport& report) {
    cache::Decision decision = report.decision;
    decision.counters[kTuningCounter] = std::llround(search_.seconds() * 1e3);
    const auto row = journal_.record(decision);
    if (row) journal_.record_texts(*row, decision_texts(task_, options_, report));
    return row.has_value();
  }

  TimeSpent time_spent() const {
    TimeSpent time = device_.time();
    time.racing_gpu_s = races_.gpu_ms() / 1000;
    time.compile_cpu_s = candidates_.compile_seconds();
    time.storing_s = journal_.seconds();
    time.exchanging_s = std::max(0.0, time.exchanging_s);
    time.total_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - options_.started).count();
    return time;
  }

  /// Binaries of the finalists: what a program will ask for next. They can be rebuilt, so trouble costs a warning.
  void keep_binaries() {
    if (parts_.binaries == nullptr) return;
    try {
      std::vector<cache::BinaryToKeep> kept;
      for (const EntrantId entrant : final_->entries.ids()) {
        const EntryId entry = final_->entries[entrant];
        const CompileReply& compiled = candidates_[candidates_.original(entry)].binary;
        if (compiled.cubin.bytes.empty() || final_->race.standings[entrant].withdrawn) continue;
        const std::string key = binary_key(task_, candidates_[entry].configuration);
        const bool served = entrant == final_->winner || entry == incumbents_.raceable_baseline();
        kept.push_back({binary_to_keep(compiled, task_.device().architecture(), key),
                        served ? cache::Keep::pinned : cache::Keep::while_room});
      }
      parts_.binaries->put_all(kept);
    } catch (const Error& error) {
      parts_.observer.warning(fmt::format("{} The winner's binary will be compiled again.", error.what()));
    }
  }

  /// What the next program starts with. It is made again where it is missing, so trouble costs nothing.
  void keep_for_starts(const cache::Decision& decided) {
    const EntryId winner = *final_->winner_entry();
    const CompileReply& compiled = candidates_[candidates_.original(winner)].binary;
    if (compiled.cubin.bytes.empty() || decided.origin == cache::Origin::replay) return;
    try {
      const auto source = served_source(task_);
      const auto stored = parts_.store.find_decision(decided.key);
      if (!source || !stored || stored->session != decided.session) return;
      parts_.store.record_served(served_row(task_, *source, *stored, compiled.cubin));
    } catch (const Error&) {
    }
  }

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const cache::Trial common_;
  TrialJournal journal_;
  Candidates candidates_;
  CompileSession compile_;
  DeviceSession device_;
  SearchLoop search_;
  const Incumbents& incumbents_ = search_.incumbents();
  AwkwardSizes awkward_sizes_;
  Races races_;
  const std::optional<FinalResult>& final_ = races_.result();
};

}  // namespace

TuneReport run_session(const Task& task, const SessionOptions& options, const SessionParts& parts) {
  if (auto stored = stored_answer(task, options, parts)) return stored_report(task, options, std::move(*stored));
  return Session(task, options, parts).run();
}

}  // namespace tuner::engine
