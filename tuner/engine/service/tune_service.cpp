#include "tuner/engine/service/tune_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cache/store/store_rules.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/device/lane/shared_lane.hpp"
#include "tuner/engine/lanes/call.hpp"
#include "tuner/engine/service/subject.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/engine/workplace/session_stores.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPoolIdle{30};
constexpr std::chrono::milliseconds kLook{20};
/// A search that ran out of time decides nothing for others unless it timed so many besides the baseline.
constexpr std::size_t kLeastTimed = 20;

SessionOptions session_options(const TuneJob& job) {
  SessionOptions options;
  options.mode = job.timing;
  options.launch_timeout = job.launch_timeout;
  options.contended = job.share.has_value();
  options.serving = job.serving;
  options.least_timed = kLeastTimed;
  if (job.evaluations > 0) {
    options.budget.evaluations = job.evaluations;
  } else {
    options.effort = job.effort;
  }
  return options;
}

/// By a clock that was wrong: it would look new for ever.
bool is_of_the_future(const cache::Decision& decision) {
  constexpr std::int64_t kSkewMs = 5000;  // between hosts that share a database
  return decision.created_unix_ms > cache::now_unix_ms() + kSkewMs;
}

bool ties_with_winner(const cache::Decision& decision, const std::string& configuration) {
  return std::any_of(decision.ties.begin(), decision.ties.end(),
                     [&](const cache::Tie& tie) { return tie.configuration == configuration; });
}

/// The race and what follows it need some of the time that is left.
std::chrono::milliseconds time_to_search(std::chrono::milliseconds left) {
  using std::chrono::milliseconds;
  constexpr milliseconds kForRace{2000};
  return std::max(left - std::max(std::min(kForRace, left / 2), left / 5), milliseconds(1));
}

}  // namespace

/// One job.
class TuneService::Work {
 public:
  Work(TuneService& service, const TuneJob& job)
      : service_(service),
        job_(job),
        description_(description_of(job.subject)),
        task_(description_, job.subject.problem, job.subject.device, {}, {}, search::Listing::when_needed),
        stores_(open_for_session(job.subject.database)) {
    for (const std::string& warning : stores_.warnings) listener_.warning(warning);
  }

  TuneAnswer run() {
    // The answer is made with the turn over: others wait for it.
    TuneAnswer answer = decide();
    if (!listener_.text().empty()) answer.message += (answer.message.empty() ? "" : " ") + listener_.text();
    if (answer.result == TuneAnswer::Result::decided) add_binary(answer);
    return answer;
  }

 private:
  TuneAnswer decide() {
    Turn turn;
    if (!take_lease(task_, job_.timing, stores_.path, waiting(), turn)) return gave_up();
    if (auto found = decided_by_others()) return std::move(*found);
    if (!take_gpu(task_.device(), waiting(), turn)) return gave_up();
    return tune();
  }

  TurnWait waiting() {
    return {.look = kLook,
            .overdue = &service_.overdue_,
            .gives_up = [this] { return service_.stop_ || (job_.limit && left() <= std::chrono::milliseconds(0)); },
            .waits = [this](const std::string& busy) { waits_for_ = busy; },
            .warning = [this](const std::string& sentence) { listener_.warning(sentence); }};
  }

  std::chrono::milliseconds left() const {
    return *job_.limit - std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_);
  }

  TuneAnswer gave_up() const {
    TuneAnswer answer;
    if (!service_.stop_) answer.message = fmt::format("{}, and did not finish in time.", waits_for_);
    return answer;
  }

  std::optional<TuneAnswer> decided_by_others() {
    try {
      std::optional<cache::Decision> decision = stores_.store->find_decision(task_.key(to_string(job_.timing)));
      if (!decision || decision->created_unix_ms < job_.since_unix_ms || is_of_the_future(*decision)) {
        return std::nullopt;
      }
      // Unknown: of an earlier version.
      if (job_.evaluations == 0 && decision->effort.value_or(Effort::normal) < job_.effort) return std::nullopt;
      TuneAnswer answer = decided(std::move(*decision));
      if (job_.serving == answer.decision.configuration || ties_with_winner(answer.decision, job_.serving)) {
        answer.gain_low = 1;  // it is not known to be slower
      } else if (job_.serving == answer.decision.baseline) {
        answer.gain_low = answer.decision.speedup_low;
      }
      return answer;
    } catch (const Error& error) {
      listener_.warning(error.what());
      return std::nullopt;
    }
  }

  TuneAnswer decided(cache::Decision decision) const {
    return {.result = TuneAnswer::Result::decided, .decision = std::move(decision), .database = stores_.path};
  }

  TuneAnswer tune() {
    CompilePool& compile = service_.compilers(job_);
    const DeviceInfo& asked = job_.subject.device;
    DeviceLaneOptions device_options{.ordinal = asked.ordinal, .uuid = asked.uuid, .stop = &service_.stop_};
    if (job_.share) device_options.spares = 1;  // the memory is the program's
    DeviceProcessLane device(std::move(device_options));
    const DeviceInfo& found = device.info();
    if (found.identity() != asked.identity() || found.uuid != asked.uuid) {
      throw Error(Errc::device_lost, fmt::format("The program's GPU is {} ({}), but its engine sees {} ({}).",
                                                 asked.identity(), asked.uuid, found.identity(), found.uuid));
    }
    std::optional<SharedLane> shared;
    if (job_.share) shared.emplace(device, *job_.share);
    DeviceLane& lane = shared ? static_cast<DeviceLane&>(*shared) : device;

    const Task task(description_, job_.subject.problem, found);
    SessionOptions options = session_options(job_);
    if (job_.limit) options.budget.time = time_to_search(left());
    const TuneReport report =
        run_session(task, options, {compile, lane, *stores_.store, stores_.binaries.get(), listener_, service_.stop_});
    return answer_of(report);
  }

  /// A session that concludes records its decision; as the store has it, with date and row, it is the answer. Without a
  /// race nothing is claimed of the best, and nothing is recorded.
  TuneAnswer answer_of(const TuneReport& report) const {
    TuneAnswer answer;
    try {
      auto kept = stores_.store->find_decision(task_.key(to_string(job_.timing)));
      if (kept && kept->session == report.session) answer = decided(std::move(*kept));
    } catch (const Error&) {
      // The session has said so.
    }
    if (answer.result != TuneAnswer::Result::decided && report.decision.race_blocks > 0) {
      answer = decided(report.decision);
      answer.database.clear();
    }
    answer.cut_short = report.interrupted || report.out_of_time;
    answer.gain_low = report.gain_low;
    if (answer.result == TuneAnswer::Result::decided) return answer;
    answer.message =
        fmt::format("Nothing was decided for `{}` with {}: {}.", report.kernel, report.problem,
                    answer.cut_short ? "time ran out before anything had raced" : "no configuration passed the race");
    return answer;
  }

  /// Of the winner: a stored one, or else it is compiled.
  void add_binary(TuneAnswer& answer) {
    const search::Configuration winner = task_.space().parse(answer.decision.configuration);
    if (auto stored = stored_binary(binary_key(task_, winner))) {
      answer.cubin = *std::move(stored);
      return;
    }
    auto compiled = call(service_.compilers(job_), compile_request(task_, winner), service_.stop_);
    if (!compiled) return;
    answer.cubin = std::move(compiled->cubin);
    if (compiled->outcome != Outcome::ok) answer.message = compiled->message;
  }

  std::optional<cache::Binary> stored_binary(const std::string& key) const {
    try {
      if (stores_.binaries) return stores_.binaries->find_compiled(key);
    } catch (const Error&) {
      // It can be compiled.
    }
    return std::nullopt;
  }

  /// What a program may want to log, and no more: the first few warnings of a session.
  class Listener final : public Observer {
   public:
    void warning(const std::string& sentence) override {
      constexpr std::size_t kMost = 3;
      if (++count_ <= kMost) text_ += (text_.empty() ? "" : " ") + sentence;
    }
    const std::string& text() const { return text_; }

   private:
    std::string text_;
    std::size_t count_ = 0;
  };

  TuneService& service_;
  const TuneJob& job_;
  const Clock::time_point start_ = Clock::now();
  const std::shared_ptr<const KernelDescription> description_;
  const Task task_;
  SessionStores stores_;
  Listener listener_;
  std::string waits_for_;
};

TuneAnswer TuneService::tune(const TuneJob& job) {
  TuneAnswer answer;
  try {
    answer = Work(*this, job).run();
  } catch (const Error& error) {
    answer.result = TuneAnswer::Result::failed;
    answer.message = error.what();
    pool_.reset();  // whatever it was, the next job begins afresh
  }
  idle_since_ = Clock::now();
  return answer;
}

CompilePool& TuneService::compilers(const TuneJob& job) {
  const bool background = job.share.has_value();
  const int workers = background && job.compile_workers == 0 ? 1 : job.compile_workers;
  if (pool_ && workers_ == workers && background_ == background) return *pool_;
  CompilePoolOptions options{.workers = workers};
  if (background) {
    options.niceness = 19;
    options.timeout *= 4;  // it may take several times as long then
  }
  pool_.emplace(std::move(options));
  workers_ = workers;
  background_ = background;
  return *pool_;
}

Clock::time_point TuneService::next_deadline() const {
  return pool_ ? idle_since_ + kPoolIdle : Clock::time_point::max();
}

void TuneService::tend() {
  if (pool_ && Clock::now() - idle_since_ >= kPoolIdle) pool_.reset();
}

}  // namespace tuner::engine
