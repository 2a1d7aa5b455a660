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
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/engine_protocol/compiling_engine.hpp"
#include "tuner/engine_protocol/engine_process.hpp"
#include "tuner/engine_protocol/job_answers.hpp"
#include "tuner/engine_protocol/tuning_engine.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"
#include "tuner/process/quiet_thread.hpp"
#include "tuner/process/shortage.hpp"

namespace tuner {
namespace {

using service::EngineProcess;
using service::not_compiled;
using service::not_tuned;
using service::PendingCompile;
using service::PendingTune;
using service::title;
using Clock = std::chrono::steady_clock;

/// What an engine may take to end by itself before it is killed. One that compiles may just have answered, and be
/// storing the binary so that the next program finds it; otherwise it ends at once, as one that tunes does.
constexpr std::chrono::milliseconds kGoodbye{300};

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
    let_go();
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

  void let_go() {
    for (EngineProcess* const engine : {compiling_.process(), tuning_.process()}) {
      if (engine != nullptr) engine->let_go();
    }
  }

  // ---- The thread

  void run() noexcept {
    while (go_on()) {
    }
    let_go();
    const auto now = Clock::now();
    for (EngineProcess* const engine : {compiling_.process(), tuning_.process()}) {
      if (engine != nullptr) engine->wait_until(now + kGoodbye);
    }
    compiling_.end();
    tuning_.end();
  }

  /// Whatever is thrown, the program's memory running out included, must not end the program.
  bool go_on() noexcept try {
    if (!take_new_work()) return false;
    tuning_.start();
    wait();
    compiling_.read();
    tuning_.read();
    compiling_.end_what_hangs();
    tuning_.end_what_hangs();
    return true;
  } catch (...) {
    compiling_.give_up();
    tuning_.give_up();
    return true;
  }

  bool take_new_work() {
    std::vector<PendingCompile> compiles;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
      compiles = std::exchange(new_compiles_, {});
      tuning_.add(new_tunes_);
    }
    for (PendingCompile& compile : compiles) compiling_.start(std::move(compile));
    return true;
  }

  void wait() {
    EngineProcess* const compiler = compiling_.process();
    EngineProcess* const tuner = tuning_.process();
    // A descriptor of -1 is passed over.
    std::array<pollfd, 3> entries{{{wake_.get(), POLLIN, 0},
                                   {compiler != nullptr ? compiler->fd() : -1, POLLIN, 0},
                                   {tuner != nullptr ? tuner->fd() : -1, POLLIN, 0}}};
    const bool lost = (compiler != nullptr && compiler->lost()) || (tuner != nullptr && tuner->lost());
    const Clock::time_point next = std::min(compiling_.next_deadline(), tuning_.next_deadline());
    poll(entries.data(), entries.size(), lost ? 0 : milliseconds_until(next));
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t ignored = read(wake_.get(), &count, sizeof count);
  }

  static int milliseconds_until(Clock::time_point time) {
    if (time == Clock::time_point::max()) return -1;
    constexpr std::chrono::milliseconds kNone{0}, kLongest{60'000};
    const auto left = std::min<Clock::duration>(time - Clock::now(), kLongest);
    return static_cast<int>(std::max(std::chrono::ceil<std::chrono::milliseconds>(left), kNone).count());
  }

  const pid_t owner_ = getpid();

  std::mutex mutex_;
  bool stopping_ = false;
  std::thread thread_;
  UniqueFd wake_;
  std::vector<PendingCompile> new_compiles_;
  std::list<PendingTune> new_tunes_;

  // The thread's own.
  service::CompilingEngine compiling_;
  service::TuningEngine tuning_;
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
