#include "tuner/engine/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <utility>

#include "tuner/core/identity.hpp"
#include "tuner/engine/candidates.hpp"
#include "tuner/engine/final_race.hpp"
#include "tuner/engine/measure/finalists.hpp"
#include "tuner/engine/session_report.hpp"
#include "tuner/engine/trial_log.hpp"
#include "tuner/engine/wait.hpp"
#include "tuner/version.hpp"

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// How often a waiting session looks at the stop flag and tells the observer.
constexpr std::chrono::milliseconds kHeartbeat{100};

std::string new_session_id() {
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(std::time(nullptr)), getpid());
}

/// `auto`, see search/strategy.hpp.
std::string strategy_name(const SessionOptions& options) {
  const bool limited = options.budget.evaluations || options.budget.time;
  return options.strategy == "auto" && limited ? "random" : options.strategy;
}

std::string_view to_string(CacheMode mode) {
  return mode == CacheMode::cold ? "cold" : "warm";
}

class Session {
 public:
  Session(const Task& task, const SessionOptions& options, const SessionParts& parts)
      : task_(task),
        options_(options),
        parts_(parts),
        replay_(options.origin == cache::Origin::replay),
        strategy_(search::make_strategy(strategy_name(options), task.space(), options.seed)),
        common_(common_fields()),
        candidates_(task, common_),
        log_(parts.store, parts.observer) {}

  TuneReport run() {
    begin();
    search();
    log_.flush();
    if (!parts_.stop) race();
    log_.flush();
    return finish();
  }

 private:
  cache::Trial common_fields() const {
    cache::Trial trial;
    trial.key = task_.key(to_string(options_.mode));
    trial.reuse_hash = task_.reuse_hash();
    trial.session = new_session_id();
    trial.origin = options_.origin;
    trial.conditions.tuner_version = kVersion;
    trial.conditions.driver = task_.device().driver_version;
    return trial;
  }

  // --- starting: what every candidate needs
  // ---------------------------------------------------------------------------

  void begin() {
    if (task_.space().size() == 0) throw Error(Errc::empty_space, task_.space().why_empty());
    baseline_configuration_ = task_.baseline();
    if (!baseline_configuration_ && !replay_) {
      throw Error(Errc::baseline_failed,
                  fmt::format("The baseline, which all candidates are compared with, is not valid: {} Choose defaults "
                              "that satisfy every constraint.",
                              task_.space().why_invalid(task_.space().defaults()).value_or("")));
    }
    if (const std::string_view source = parts_.device.support_source(); !source.empty()) {
      CompileRequest request;
      request.source = std::string(source);
      request.file_name = "support.cu";
      request.architecture = task_.device().architecture();
      support_ticket_ = next_ticket_++;
      parts_.compile.submit(*support_ticket_, std::move(request));
    } else {
      prepare({});
    }
    if (baseline_configuration_) baseline_ = add(*baseline_configuration_);
    if (!baseline_) baseline_compiled_ = reference_done_ = true;
    add_previous_winner();
  }

  /// A winner of an earlier session is measured again whatever the strategy asks: it is what users run now. A replay
  /// repeats a recording and nothing else.
  void add_previous_winner() {
    if (replay_) return;
    try {
      const auto decision = parts_.store.find_decision(common_.key);
      if (!decision || decision->reuse_hash != common_.reuse_hash) return;
      const search::Configuration previous = task_.space().parse(decision->configuration);
      if (!task_.space().contains(previous) || previous == baseline_configuration_) return;
      previous_ = add(previous);
    } catch (const Error&) {
      // An unreadable store is reported when trials are written; values that are gone from the space need no words.
    }
  }

  std::size_t add(const search::Configuration& configuration) {
    const std::size_t entry = candidates_.add(configuration);
    submit_compile(entry);
    return entry;
  }

  void submit_compile(std::size_t entry) {
    compiling_[next_ticket_] = entry;
    parts_.compile.submit(next_ticket_++, candidates_.request(entry));
  }

  void prepare(std::vector<std::byte> support_cubin) {
    PrepareProblem request;
    request.arguments = task_.arguments();
    request.seed = options_.seed;
    request.mode = options_.mode;
    request.support_cubin = std::move(support_cubin);
    request.launch_timeout = options_.launch_timeout;
    prepare_ticket_ = next_ticket_++;
    parts_.device.submit(*prepare_ticket_, std::move(request));
    ++on_device_;
  }

  // --- searching: strategy → compile workers → device → rows
  // ----------------------------------------------------------

  void search() {
    for (;;) {
      ask();
      bool busy = take_compiled();
      feed_device();
      busy = take_run() || busy;
      tell();
      log_.flush_if_due();
      observe("searching");
      if (parts_.stop ? on_device_ == 0 : exhausted() && candidates_.all_finished() && on_device_ == 0) return;
      if (busy) continue;
      if (compiling_.empty() && !support_ticket_ && on_device_ == 0 && !parts_.stop) {
        throw Error(Errc::internal, "The session waits for nothing: please report this as a bug.");
      }
      wait();
    }
  }

  bool out_of_budget() const {
    const Budget& budget = options_.budget;
    if (budget.evaluations && static_cast<std::uint64_t>(candidates_.asked()) >= *budget.evaluations) return true;
    return budget.time && Clock::now() - start_ >= *budget.time;
  }

  bool exhausted() const { return nothing_to_ask_ || out_of_budget(); }

  void ask() {
    if (parts_.stop) return give_up_compiling();
    while (!exhausted()) {
      std::size_t wanted = parts_.compile.room();
      if (options_.budget.evaluations) {
        wanted = std::min<std::size_t>(wanted,
                                       *options_.budget.evaluations - static_cast<std::uint64_t>(candidates_.asked()));
      }
      if (wanted == 0) return;
      const std::vector<search::Configuration> asked = strategy_->ask(wanted);
      if (asked.empty()) nothing_to_ask_ = true;
      for (const search::Configuration& configuration : asked) {
        if (const auto entry = candidates_.ask(configuration)) submit_compile(*entry);
      }
    }
  }

  void give_up_compiling() {
    for (const auto& [ticket, entry] : std::exchange(compiling_, {})) parts_.compile.cancel(ticket);
    ready_.clear();
  }

  bool take_compiled() {
    bool any = false;
    for (auto& [ticket, reply] : parts_.compile.poll()) {
      any = true;
      if (ticket == support_ticket_) {
        if (reply.outcome != Outcome::ok) {
          throw Error(Errc::internal, "The device code that checks results does not compile: " + reply.message);
        }
        support_ticket_.reset();
        prepare(std::move(reply.cubin));
        continue;
      }
      const auto found = compiling_.find(ticket);
      if (found == compiling_.end()) continue;  // given up
      const std::size_t entry = found->second;
      compiling_.erase(found);
      if (!reply.toolkit.empty()) toolkit_ = reply.toolkit;
      if (baseline_compiled_ || entry == baseline_) {
        take_binary(entry, std::move(reply));
      } else {
        early_.emplace_back(entry, std::move(reply));
      }
    }
    if (baseline_compiled_) {
      for (auto& [entry, reply] : std::exchange(early_, {})) take_binary(entry, std::move(reply));
    }
    record_finished();
    return any;
  }

  /// The baseline comes first: it must not become the twin of a candidate that waits for the baseline to be run.
  void take_binary(std::size_t entry, CompileReply reply) {
    if (candidates_.compiled(entry, std::move(reply))) ready_.push_back(entry);
    if (entry != baseline_) return;
    baseline_compiled_ = true;
    if (candidates_[entry].finished) fail_baseline(candidates_[entry].trial);
  }

  void feed_device() {
    if (!prepared_) return;
    while (!ready_.empty() && parts_.device.room() > 0) {
      auto next = ready_.begin();
      if (!reference_done_) {
        next = std::find(ready_.begin(), ready_.end(), *baseline_);
        if (next == ready_.end() || reference_submitted_) return;
        reference_submitted_ = true;
      }
      const std::size_t entry = *next;
      ready_.erase(next);
      submit_run(entry);
    }
  }

  void submit_run(std::size_t entry) {
    const ScreenPolicy policy{.early_kill = options_.early_kill};
    end_wait();
    running_[next_ticket_] = entry;
    if (entry == baseline_) {
      parts_.device.submit(next_ticket_++, RunReference{candidates_.candidate(entry), policy});
    } else {
      parts_.device.submit(next_ticket_++,
                           ScreenCandidate{candidates_.candidate(entry), policy, candidates_.best_ns()});
    }
    ++on_device_;
  }

  bool take_run() {
    bool any = false;
    for (auto& [ticket, reply] : parts_.device.poll()) {
      any = true;
      --on_device_;
      if (on_device_ == 0) idle_since_ = Clock::now();
      if (ticket == prepare_ticket_) {
        if (reply.outcome != Outcome::ok) {
          throw Error(reply.outcome == Outcome::out_of_memory ? Errc::bad_problem : Errc::device_lost,
                      fmt::format("The problem {} cannot be set up on {}: {}", problem_text(task_.problem()),
                                  task_.device().name, reply.message));
        }
        prepared_ = true;
        continue;
      }
      take_result(ticket, reply);
    }
    record_finished();
    return any;
  }

  void take_result(TicketId ticket, const DeviceReply& reply) {
    const std::size_t entry = running_.at(ticket);
    running_.erase(ticket);
    time_.loading_s += reply.load_ms / 1000;
    time_.verifying_s += reply.verify_ms / 1000;
    time_.timing_s += reply.timing_ms / 1000;
    candidates_.ran(entry, reply);
    if (entry == baseline_) {
      reference_done_ = true;
      excluded_words_ = reply.excluded_words;
      if (reply.outcome != Outcome::ok) fail_baseline(candidates_[entry].trial);
    }
  }

  /// Without a baseline nothing can be verified, except in a replay, where the rows say what was right.
  void fail_baseline(const cache::Trial& trial) {
    if (replay_) {
      baseline_.reset();
      reference_done_ = true;
      return;
    }
    record_finished();
    log_.flush();
    throw Error(Errc::baseline_failed,
                fmt::format("The baseline {} fails with {}: {} Every candidate is compared with it, so it has to run: "
                            "correct the kernel or its defaults.",
                            trial.configuration, tuner::to_string(trial.outcome), trial.message));
  }

  void record_finished() {
    for (const std::size_t entry : candidates_.take_finished()) {
      const cache::Trial& trial = candidates_[entry].trial;
      log_.add(trial);
      parts_.observer.trial(trial);
      note_failure(trial);
      forget_slow(entry);
    }
  }

  void note_failure(const cache::Trial& trial) {
    if (trial.outcome == Outcome::ok || !trial.duplicate_of.empty()) return;
    FailureReport& failure = failures_[trial.outcome];
    if (failure.count++ == 0) {
      failure.outcome = trial.outcome;
      failure.example_configuration = trial.configuration;
      failure.example_message = trial.message;
    }
  }

  /// The best time only falls, so whoever is too slow to be a finalist now will never be one.
  void forget_slow(std::size_t entry) {
    const cache::Trial& trial = candidates_[entry].trial;
    const bool slow =
        trial.censored || (trial.time_ns && *trial.time_ns > *candidates_.best_ns() * (1 + finalists_.within));
    if (slow && entry != baseline_ && entry != previous_) candidates_.drop_binary(entry);
  }

  void tell() {
    for (const search::Observation& observation : candidates_.take_observations()) strategy_->tell(observation);
  }

  void wait() {
    const auto until = std::min(log_.next_deadline(), Clock::now() + kHeartbeat);
    wait_for(until, parts_.compile, parts_.device);
  }

  /// Time the device waited for candidates, from its being ready to its next work.
  void end_wait() {
    if (on_device_ == 0 && prepared_)
      time_.waiting_s += std::chrono::duration<double>(Clock::now() - idle_since_).count();
  }

  void observe(std::string_view phase) {
    Observer::Progress progress;
    progress.asked = static_cast<std::uint64_t>(candidates_.asked());
    progress.compiled = static_cast<std::uint64_t>(candidates_.compiled());
    progress.deduplicated = static_cast<std::uint64_t>(candidates_.deduplicated());
    progress.finished = static_cast<std::uint64_t>(candidates_.finished());
    progress.failed = static_cast<std::uint64_t>(candidates_.failed());
    progress.total = std::min(task_.space().size(), options_.budget.evaluations.value_or(task_.space().size()));
    progress.best_ns = candidates_.best_ns();
    if (const auto best = candidates_.best()) progress.best_configuration = candidates_.text(*best);
    progress.elapsed_s = seconds();
    progress.phase = phase;
    parts_.observer.progress(progress);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // --- deciding
  // ---------------------------------------------------------------------------------------------------------

  void race() {
    std::vector<Screened> pool;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const cache::Trial& trial = candidates_[i].trial;
      if (!candidates_[i].finished || trial.outcome != Outcome::ok || !trial.duplicate_of.empty()) continue;
      pool.push_back({i, *trial.time_ns, trial.censored});
    }
    if (pool.empty()) return;
    if (previous_) previous_ = candidates_.original(*previous_);
    if (previous_ && candidates_[*previous_].trial.outcome != Outcome::ok) previous_.reset();
    std::vector<std::size_t> finalists;
    for (const Finalist& finalist : choose_finalists(pool, finalists_, baseline_, previous_)) {
      finalists.push_back(finalist.id);
    }
    observe("racing");
    final_ = run_final_race(
        candidates_, finalists, baseline_, options_.seed,
        [this](DeviceRequest request) { return call(std::move(request)); },
        [this](std::size_t entry, const DeviceReply& reply) { record_late_failure(entry, reply); }, parts_.stop);
    time_.loading_s += final_->load_ms / 1000;
    time_.verifying_s += final_->verify_ms / 1000;
    time_.timing_s += final_->timing_ms / 1000;
  }

  DeviceReply call(DeviceRequest request) {
    const TicketId ticket = next_ticket_++;
    parts_.device.submit(ticket, std::move(request));
    for (;;) {
      for (auto& completion : parts_.device.poll()) {
        if (completion.ticket == ticket) return std::move(completion.reply);
      }
      log_.flush_if_due();
      wait();
    }
  }

  /// It was timed and then failed: the first row stays true, and a second one says what happened.
  void record_late_failure(std::size_t entry, const DeviceReply& reply) {
    cache::Trial trial = candidates_[entry].trial;
    trial.outcome = reply.outcome;
    trial.message = "after it had been timed: " + reply.message;
    trial.time_ns.reset();
    trial.samples_ns.clear();
    log_.add(trial);
    parts_.observer.trial(trial);
    note_failure(trial);
  }

  TuneReport finish() {
    SessionFacts facts{task_, options_, common_, candidates_, baseline_, final_, failures_};
    TuneReport report = build_report(facts);
    report.decision.conditions.toolkit = toolkit_;
    report.excluded_words = excluded_words_;
    report.interrupted = parts_.stop;
    if (final_ && final_->winner && !report.interrupted) {
      report.decision.counters["stored"] = log_.stored();
      log_.record(report.decision);
      keep_binaries();
    }
    report.decision.counters["stored"] = log_.stored();
    report.time = time_;
    report.time.compile_cpu_s = candidates_.compile_seconds();
    report.time.storing_s = log_.seconds();
    report.time.total_s = seconds();
    observe("done");
    return report;
  }

  void keep_binaries();

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const bool replay_;
  const Clock::time_point start_ = Clock::now();
  std::unique_ptr<search::Strategy> strategy_;
  const cache::Trial common_;
  Candidates candidates_;
  TrialLog log_;
  const FinalistPolicy finalists_{};

  TicketId next_ticket_ = 1;
  std::optional<TicketId> support_ticket_, prepare_ticket_;
  std::map<TicketId, std::size_t> compiling_, running_;
  std::vector<std::pair<std::size_t, CompileReply>> early_;  ///< compiled before the baseline was
  std::deque<std::size_t> ready_;                            ///< compiled, waiting for the device
  std::size_t on_device_ = 0;                                ///< requests the device has not answered
  bool prepared_ = false, baseline_compiled_ = false, reference_submitted_ = false, reference_done_ = false,
       nothing_to_ask_ = false;

  std::optional<search::Configuration> baseline_configuration_;
  std::optional<std::size_t> baseline_, previous_;
  std::map<Outcome, FailureReport> failures_;
  std::optional<FinalResult> final_;
  std::uint64_t excluded_words_ = 0;
  std::string toolkit_;
  Clock::time_point idle_since_ = start_;
  TimeSpent time_;
};

/// Binaries of the finalists: what a program will ask for next. They can be rebuilt, so trouble costs a warning.
void Session::keep_binaries() {
  if (parts_.binaries == nullptr) return;
  try {
    for (std::size_t i = 0; i < final_->entries.size(); ++i) {
      const Entry& entry = candidates_[final_->entries[i]];
      if (entry.binary.cubin.empty()) continue;
      cache::Binary binary;
      binary.architecture = task_.device().architecture();
      binary.compile_key = binary_key(task_, entry.configuration);
      binary.kernel = entry.binary.lowered_name;
      binary.resource_log = entry.binary.log;
      binary.bytes = entry.binary.cubin;
      const bool served = i == final_->winner || final_->entries[i] == baseline_;
      parts_.binaries->put(binary, served ? cache::Keep::pinned : cache::Keep::while_room);
    }
  } catch (const Error& error) {
    parts_.observer.warning(fmt::format("{} The winner is stored; its binary will be compiled again.", error.what()));
  }
}

}  // namespace

TuneReport run_session(const Task& task, const SessionOptions& options, const SessionParts& parts) {
  return Session(task, options, parts).run();
}

}  // namespace tuner::engine
