#include "tuner/engine_protocol/engine_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/engine_protocol/engine_process.hpp"
#include "tuner/engine_protocol/engine_wire.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"
#include "tuner/process/quiet_thread.hpp"
#include "tuner/process/shortage.hpp"

namespace tuner {
namespace {

using service::EngineProcess;
using service::Ticket;
using Clock = std::chrono::steady_clock;

/// What an engine may take to end by itself before it is killed. One that compiles may just have answered, and be
/// storing the binary so that the next program finds it; otherwise it ends at once, as one that tunes does.
constexpr std::chrono::milliseconds kGoodbye{300};
constexpr int kAttempts = 2;  ///< an engine may be lost by accident once

/// An engine answers a compile that has taken its limit, by itself; one that has not by this much later is taken to
/// hang, whatever it does.
constexpr std::chrono::milliseconds kCompilerGrace{4000};
/// The race and the winner's binary may take longer than a limit for tuning, and what they end with is worth having.
constexpr std::chrono::milliseconds kTunerGrace{20'000};

/// The part of a request's time that the compiler gets: one source on which it hangs must not take up all the time of
/// another request that came after it. Even for a request that hardly waits it is worth to compile: the next one finds
/// the binary.
std::chrono::milliseconds compiler_limit(Clock::time_point deadline) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLeast{3000}, kMost{std::chrono::hours(24)};
  const Clock::time_point now = Clock::now();
  if (deadline <= now) return kLeast;
  if (deadline - now >= kMost) return kMost;
  return std::max(std::chrono::duration_cast<milliseconds>(deadline - now) * 2 / 3, kLeast);
}

double seconds(std::chrono::milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

std::string title(const JobSubject& subject) {
  return fmt::format("`{}` for {}", subject.kernel, problem_text(subject.problem));
}

CompileAnswer not_compiled(Outcome outcome, std::string sentence) {
  return {.outcome = outcome, .message = std::move(sentence)};
}

TuneAnswer not_tuned(std::string sentence) {
  return {.message = std::move(sentence)};
}

CompileAnswer not_given(const JobSubject& subject, const std::exception& error) noexcept try {
  return not_compiled(Outcome::worker_lost,
                      fmt::format("{} could not be sent to an engine: {}", title(subject), error.what()));
} catch (...) {  // no memory for words
  return {.outcome = Outcome::worker_lost};
}

/// The engine may stand in another folder when it looks.
void make_absolute(JobSubject& subject) {
  std::error_code error;
  if (subject.database.empty()) return;
  if (std::filesystem::path path = std::filesystem::absolute(subject.database, error); !error) {
    subject.database = std::move(path);
  }
}

}  // namespace

/// One thread talks to both engines and starts them. Others leave it work and wake it. A process that was forked has no
/// such thread; to it the engines belong to another process.
class EngineClient::State {
 public:
  State() = default;
  ~State() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      if (thread_.joinable()) wake();
    }
    if (thread_.joinable()) thread_.join();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool is_of_this_process() const { return owner_ == getpid(); }
  /// In a process that was forked: closes its copies of the connections. Nothing else can be done with this then, not
  /// even destroy it.
  void abandon_after_fork() {
    for (auto* engine : {&compiler_, &tuner_}) {
      if (*engine) (*engine)->let_go();
    }
    wake_.reset();
  }

  std::future<CompileAnswer> add(CompileJob job, Clock::time_point deadline) {
    refuse_to_forked();
    std::promise<CompileAnswer> promise;
    std::future<CompileAnswer> answer = promise.get_future();
    const std::lock_guard lock(mutex_);
    start_thread();
    new_compiles_.push_back({std::move(job), deadline, std::move(promise)});
    wake();
    return answer;
  }

  void add(TuneJob job, std::function<void(TuneAnswer)> done) {
    refuse_to_forked();
    const std::lock_guard lock(mutex_);
    start_thread();
    new_tunes_.push_back({std::move(job), std::move(done)});
    wake();
  }

 private:
  struct Compile {
    CompileJob job;
    Clock::time_point deadline;  ///< after it no caller waits
    std::promise<CompileAnswer> answer;
    int attempts = 0;
    Clock::time_point hangs_at{};  ///< an engine that has not answered by then hangs
  };
  struct Tune {
    TuneJob job;
    std::function<void(TuneAnswer)> done;
    Clock::time_point asked = Clock::now();
    int attempts = 0;
    Clock::time_point hangs_at = Clock::time_point::max();

    Clock::time_point time_is_up() const { return job.limit ? asked + *job.limit : Clock::time_point::max(); }
    /// One that an engine has begun is not given up for being late.
    Clock::time_point waits_until() const { return attempts == 0 ? time_is_up() : Clock::time_point::max(); }
  };

  void refuse_to_forked() const {
    if (!is_of_this_process()) {
      throw Error(Errc::no_worker,
                  "The engine belongs to the process that this one was forked from; make a Runtime here.");
    }
  }

  /// With the mutex.
  void start_thread() {
    if (thread_.joinable()) return;
    wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_) refused_by_system("No engine can be started", errno);
    thread_ = quiet_thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "tuner-engines");
  }

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = write(wake_.get(), &one, sizeof one);
  }

  // ---- The thread

  void run() noexcept {
    while (go_on()) {
    }
    const auto now = Clock::now();
    for (auto* engine : {&compiler_, &tuner_}) {
      if (*engine) (*engine)->let_go();
    }
    for (auto* engine : {&compiler_, &tuner_}) {
      if (*engine) (*engine)->wait_until(now + kGoodbye);
    }
    compiler_.reset();
    tuner_.reset();
  }

  /// Whatever is thrown, the program's memory running out included, must not end the program.
  bool go_on() noexcept try {
    if (!take_new_work()) return false;
    start_tuning();
    wait();
    read_compiler();
    read_tuner();
    end_what_hangs();
    return true;
  } catch (...) {
    give_up_all();
    return true;
  }

  void give_up_all() noexcept {
    compiler_.reset();
    tuner_.reset();
    compiling_.clear();  // a promise that is broken is an answer
    if (tuning_) finish(std::move(*tuning_), TuneAnswer{});
    tuning_.reset();
    for (Tune& tune : tunes_) finish(std::move(tune), TuneAnswer{});
    tunes_.clear();
  }

  bool take_new_work() {
    std::vector<Compile> compiles;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
      compiles = std::exchange(new_compiles_, {});
      tunes_.splice(tunes_.end(), new_tunes_);
    }
    for (Compile& compile : compiles) start_compiling(std::move(compile));
    return true;
  }

  void start_compiling(Compile compile) {
    try {
      read_compiler();  // perhaps it is gone
      if (!compiler_) compiler_.emplace("compile");
      const Ticket ticket = ++last_ticket_;
      ++compile.attempts;
      compile.job.limit = compiler_limit(compile.deadline);
      compile.hangs_at = Clock::now() + compile.job.limit + kCompilerGrace;
      compiler_->send(service::encode(ticket, compile.job));
      compiling_.emplace(ticket, std::move(compile));
    } catch (const std::exception& error) {
      compile.answer.set_value(not_compiled(Outcome::worker_lost, error.what()));
    }
  }

  void start_tuning() {
    answer_those_too_late();
    while (!tuning_ && !tunes_.empty()) {
      read_tuner();  // perhaps it is gone
      tuning_ = std::move(tunes_.front());
      tunes_.pop_front();
      ++tuning_->attempts;
      try {
        if (!tuner_) tuner_.emplace("tune");
        TuneJob job = tuning_->job;
        if (job.limit) {
          const auto left = std::chrono::ceil<std::chrono::milliseconds>(tuning_->time_is_up() - Clock::now());
          job.limit = std::max(left, std::chrono::milliseconds(1));
          tuning_->hangs_at = Clock::now() + *job.limit + *tuning_->job.limit + kTunerGrace;
        }
        tuner_->send(service::encode(job));
      } catch (const std::exception& error) {
        finish_tuning(not_tuned(error.what()));
      }
    }
  }

  /// A limit counts from when the program asked, whatever was tuned before.
  void answer_those_too_late() {
    const Clock::time_point now = Clock::now();
    for (auto it = tunes_.begin(); it != tunes_.end();) {
      const auto next = std::next(it);
      if (it->waits_until() <= now) {
        std::string sentence =
            fmt::format("{:g} s passed before it was the turn of {}: the engine was tuning something else.",
                        seconds(*it->job.limit), title(it->job.subject));
        std::list<Tune> late;
        late.splice(late.end(), tunes_, it);
        finish(std::move(late.front()), not_tuned(std::move(sentence)));
      }
      it = next;
    }
  }

  Clock::time_point next_deadline() const {
    Clock::time_point next = tuning_ ? tuning_->hangs_at : Clock::time_point::max();
    for (const auto& [ticket, compile] : compiling_) next = std::min(next, compile.hangs_at);
    for (const Tune& tune : tunes_) next = std::min(next, tune.waits_until());
    return next;
  }

  void wait() {
    // A descriptor of -1 is passed over.
    std::array<pollfd, 3> entries{{{wake_.get(), POLLIN, 0},
                                   {compiler_ ? compiler_->fd() : -1, POLLIN, 0},
                                   {tuner_ ? tuner_->fd() : -1, POLLIN, 0}}};
    const bool lost = (compiler_ && compiler_->lost()) || (tuner_ && tuner_->lost());
    poll(entries.data(), entries.size(), lost ? 0 : milliseconds_until(next_deadline()));
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t ignored = read(wake_.get(), &count, sizeof count);
  }

  static int milliseconds_until(Clock::time_point time) {
    if (time == Clock::time_point::max()) return -1;
    constexpr std::chrono::milliseconds kNone{0}, kLongest{60'000};
    const auto left = std::min<Clock::duration>(time - Clock::now(), kLongest);
    return static_cast<int>(std::max(std::chrono::ceil<std::chrono::milliseconds>(left), kNone).count());
  }

  void end_what_hangs() {
    const Clock::time_point now = Clock::now();
    const auto hangs = [&](const auto& entry) { return entry.second.hangs_at <= now; };
    if (std::any_of(compiling_.begin(), compiling_.end(), hangs)) replace_compiler(now);
    if (tuning_ && tuning_->hangs_at <= now) {
      tuner_.reset();
      finish_tuning(
          not_tuned(fmt::format("The engine that tuned {} did not answer within its {:g} s nor long after, and was "
                                "terminated. What was measured is stored.",
                                title(tuning_->job.subject), seconds(*tuning_->job.limit))));
    }
  }

  /// What only waited behind those on which the engine hangs is given to another one, once.
  void replace_compiler(Clock::time_point now) {
    compiler_.reset();
    for (auto& [ticket, compile] : std::exchange(compiling_, {})) {
      if (compile.hangs_at > now && compile.deadline > now && compile.attempts < kAttempts) {
        start_compiling(std::move(compile));
      } else {
        compile.answer.set_value(not_compiled(
            Outcome::compile_timeout,
            fmt::format("The engine did not answer for {:g} s while it was to compile {}, and was terminated.",
                        seconds(compile.job.limit + kCompilerGrace), title(compile.job.subject))));
      }
    }
  }

  void read_compiler() {
    if (!compiler_) return;
    while (const std::optional<Message> message = compiler_->receive()) {
      try {
        auto [ticket, answer] = service::decode_compiled(*message);
        const auto found = compiling_.find(ticket);
        if (found == compiling_.end()) continue;
        found->second.answer.set_value(std::move(answer));
        compiling_.erase(found);
      } catch (const Error&) {
        compiler_->let_go();  // nonsense: as good as lost
      }
    }
    if (!compiler_->lost()) return;
    const std::string end = compiling_.empty() ? "" : compiler_->exit_description();
    compiler_.reset();
    for (auto& [ticket, compile] : std::exchange(compiling_, {})) {
      compile.answer.set_value(not_compiled(
          Outcome::worker_lost,
          fmt::format("The engine was lost while it compiled {}: it {}", title(compile.job.subject), end)));
    }
  }

  void read_tuner() {
    if (!tuner_) return;
    while (const std::optional<Message> message = tuner_->receive()) {
      try {
        if (message->type == service::kTuned && tuning_) finish_tuning(service::decode_tuned(*message));
      } catch (const Error&) {
        tuner_->let_go();
      }
    }
    if (!tuner_->lost()) return;
    const std::string end = tuning_ ? tuner_->exit_description() : "";
    tuner_.reset();
    if (!tuning_) return;
    if (tuning_->attempts < kAttempts) {
      tunes_.push_front(std::move(*tuning_));
      tuning_.reset();
    } else {
      finish_tuning(
          not_tuned(fmt::format("The engine was lost {} times while it tuned {}; the last time it {} What "
                                "was measured is stored.",
                                kAttempts, title(tuning_->job.subject), end)));
    }
  }

  void finish_tuning(TuneAnswer answer) {
    Tune tune = std::move(*tuning_);
    tuning_.reset();
    finish(std::move(tune), std::move(answer));
  }

  static void finish(Tune tune, TuneAnswer answer) noexcept try { tune.done(std::move(answer)); } catch (...) {
    // It must not throw; what it throws must not end a program.
  }

  const pid_t owner_ = getpid();

  std::mutex mutex_;
  bool stopping_ = false;
  std::thread thread_;
  UniqueFd wake_;
  std::vector<Compile> new_compiles_;
  std::list<Tune> new_tunes_;

  // The thread's own.
  std::optional<EngineProcess> compiler_, tuner_;
  std::map<Ticket, Compile> compiling_;
  std::list<Tune> tunes_;
  std::optional<Tune> tuning_;  ///< with the engine
  Ticket last_ticket_ = 0;
};

EngineClient::EngineClient() : state_(std::make_unique<State>()) {}
EngineClient::~EngineClient() {
  if (state_->is_of_this_process()) return;
  state_->abandon_after_fork();
  static_cast<void>(state_.release());
}

CompileAnswer EngineClient::compile(const CompileJob& job, Clock::time_point deadline) {
  try {
    CompileJob own = job;
    make_absolute(own.subject);
    std::future<CompileAnswer> answer = state_->add(std::move(own), deadline);
    if (answer.wait_until(deadline) == std::future_status::ready) return answer.get();
    return not_compiled(Outcome::compile_timeout,
                        fmt::format("Compiling {} takes longer than this request waits; it continues, and a later "
                                    "request may find the binary stored.",
                                    title(job.subject)));
  } catch (const std::exception& error) {
    return not_given(job.subject, error);
  }
}

void EngineClient::tune(TuneJob job, std::function<void(TuneAnswer)> done) {
  std::string title_of_job;
  try {
    title_of_job = title(job.subject);
    make_absolute(job.subject);
    constexpr std::chrono::hours kLongest{24 * 365};
    if (job.limit) job.limit = std::min<std::chrono::milliseconds>(*job.limit, kLongest);
    state_->add(std::move(job), done);
  } catch (const std::exception& error) {
    done(not_tuned(fmt::format("{} could not be sent to an engine: {}", title_of_job, error.what())));
  }
}

}  // namespace tuner
