#include "tuner/engine/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "tuner/core/identity.hpp"
#include "tuner/engine/final_race.hpp"
#include "tuner/engine/pipeline.hpp"
#include "tuner/engine/session_report.hpp"
#include "tuner/version.hpp"

namespace tuner::engine {

namespace {

std::string new_session_id() {
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(std::time(nullptr)), getpid());
}

/// The fields that all trials of a session share.
cache::Trial common_fields(const Task& task, const SessionOptions& options) {
  cache::Trial trial;
  trial.key = task.key(options.mode == CacheMode::cold ? "cold" : "warm");
  trial.reuse_hash = task.reuse_hash();
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
        pipeline_(task, options, parts, common_, log_) {}

  TuneReport run() {
    pipeline_.search();
    log_.flush();
    if (!parts_.stop) race();
    log_.flush();
    return conclude();
  }

 private:
  void race() {
    const Candidates& candidates = pipeline_.candidates();
    std::vector<Screened> pool;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const cache::Trial& trial = candidates[i].trial;
      if (!candidates[i].finished || trial.outcome != Outcome::ok || !trial.duplicate_of.empty()) continue;
      pool.push_back({i, *trial.time_ns, trial.censored});
    }
    if (pool.empty()) return;
    std::vector<std::size_t> finalists;
    for (const Finalist& finalist : choose_finalists(pool, {}, pipeline_.baseline(), pipeline_.previous())) {
      finalists.push_back(finalist.id);
    }
    pipeline_.observe("racing");
    final_ = run_final_race(
        candidates, finalists, {pipeline_.baseline(), pipeline_.reference(), options_.seed},
        [this](DeviceRequest request) { return pipeline_.call(std::move(request)); },
        [this](std::size_t entry, const DeviceReply& reply) { pipeline_.record_late_failure(entry, reply); },
        parts_.stop);
  }

  TuneReport conclude() {
    const SessionFacts facts{
        task_, options_, common_, pipeline_.candidates(), pipeline_.baseline(), final_, pipeline_.failures()};
    TuneReport report = build_report(facts);
    report.decision.conditions.toolkit = pipeline_.toolkit();
    report.decision.counters["stored"] = log_.stored();
    report.excluded_words = pipeline_.excluded_words();
    report.interrupted = parts_.stop;
    if (final_ && final_->winner && !report.interrupted) {
      pipeline_.observe("storing");
      log_.record(report.decision);
      keep_binaries();
    }
    report.time = time_spent();
    pipeline_.observe("done");
    return report;
  }

  TimeSpent time_spent() const {
    TimeSpent time = pipeline_.time();
    if (final_) {
      time.loading_s += final_->load_ms / 1000;
      time.verifying_s += final_->verify_ms / 1000;
      time.timing_s += final_->timing_ms / 1000;
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
        if (entry.binary.cubin.empty()) continue;
        cache::Binary binary;
        binary.architecture = task_.device().architecture();
        binary.compile_key = binary_key(task_, entry.configuration);
        binary.kernel = entry.binary.lowered_name;
        binary.resource_log = entry.binary.log;
        binary.bytes = entry.binary.cubin;
        const bool served = i == final_->winner || final_->entries[i] == pipeline_.baseline();
        parts_.binaries->put(binary, served ? cache::Keep::pinned : cache::Keep::while_room);
      }
    } catch (const Error& error) {
      parts_.observer.warning(fmt::format("{} The winner is stored; its binary will be compiled again.", error.what()));
    }
  }

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const cache::Trial common_;
  TrialLog log_;
  Pipeline pipeline_;
  std::optional<FinalResult> final_;
};

}  // namespace

TuneReport run_session(const Task& task, const SessionOptions& options, const SessionParts& parts) {
  return Session(task, options, parts).run();
}

}  // namespace tuner::engine
