#include "tuner/service/engine_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"
#include "tuner/service/engine_process.hpp"
#include "tuner/service/wire.hpp"

namespace tuner {
namespace {

using service::EngineProcess;
using service::Ticket;
using Clock = std::chrono::steady_clock;

/// What an engine may take to end by itself before it is killed. One that compiles may just have answered, and be
/// storing the binary so that the next program finds it; otherwise it ends at once. One that tunes has stored it all.
constexpr std::chrono::milliseconds kCompilerGoodbye{1000};
constexpr std::chrono::milliseconds kGoodbye{50};
constexpr int kAttempts = 2;  ///< at tuning: an engine may be lost by accident once

std::string title(const JobSubject& subject) {
  return fmt::format("`{}` for {}", subject.kernel, problem_text(subject.problem));
}

CompileAnswer not_compiled(Outcome outcome, std::string sentence) {
  CompileAnswer answer;
  answer.outcome = outcome;
  answer.message = std::move(sentence);
  return answer;
}

TuneAnswer not_tuned(std::string sentence) {
  TuneAnswer answer;
  answer.message = std::move(sentence);
  return answer;
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

/// One thread talks to both engines and starts them. Others leave it work and wake it.
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

  std::future<CompileAnswer> add(CompileJob job) {
    std::promise<CompileAnswer> promise;
    std::future<CompileAnswer> answer = promise.get_future();
    const std::lock_guard lock(mutex_);
    start_thread();
    new_compiles_.push_back({std::move(job), std::move(promise)});
    wake();
    return answer;
  }

  void add(TuneJob job, std::function<void(TuneAnswer)> done) {
    const std::lock_guard lock(mutex_);
    start_thread();
    new_tunes_.push_back({std::move(job), std::move(done)});
    wake();
  }

 private:
  struct Compile {
    CompileJob job;
    std::promise<CompileAnswer> answer;
  };
  struct Tune {
    TuneJob job;
    std::function<void(TuneAnswer)> done;
    int attempts = 0;
  };

  /// With the mutex. The program's signals are not for this thread.
  void start_thread() {
    if (thread_.joinable()) return;
    wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_) throw Error(Errc::no_worker, "No engine can be started: the limit on open files is reached.");
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
      pthread_setname_np(thread_.native_handle(), "tuner-engines");
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = write(wake_.get(), &one, sizeof one);
  }

  // ---- The thread

  void run() {
    while (take_new_work()) {
      start_tuning();
      wait();
      read_compiler();
      read_tuner();
    }
    const auto now = Clock::now();
    for (auto* engine : {&compiler_, &tuner_}) {
      if (*engine) (*engine)->let_go();
    }
    if (tuner_) tuner_->wait_until(now + kGoodbye);
    if (compiler_) compiler_->wait_until(now + kCompilerGoodbye);
    compiler_.reset();
    tuner_.reset();
  }

  bool take_new_work() {
    std::vector<Compile> compiles;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
      compiles = std::exchange(new_compiles_, {});
      for (Tune& tune : new_tunes_) tunes_.push_back(std::move(tune));
      new_tunes_.clear();
    }
    for (Compile& compile : compiles) start_compiling(std::move(compile));
    return true;
  }

  void start_compiling(Compile compile) {
    try {
      read_compiler();  // perhaps it is gone
      if (!compiler_) compiler_.emplace("compile");
      const Ticket ticket = ++last_ticket_;
      compiler_->send(service::encode(ticket, compile.job));
      compiling_.emplace(ticket, std::move(compile));
    } catch (const std::exception& error) {
      compile.answer.set_value(not_compiled(Outcome::worker_lost, error.what()));
    }
  }

  void start_tuning() {
    while (!tuning_ && !tunes_.empty()) {
      read_tuner();  // perhaps it is gone
      tuning_ = std::move(tunes_.front());
      tunes_.pop_front();
      ++tuning_->attempts;
      try {
        if (!tuner_) tuner_.emplace("tune");
        tuner_->send(service::encode(tuning_->job));
      } catch (const std::exception& error) {
        finish_tuning(not_tuned(error.what()));
      }
    }
  }

  void wait() {
    // A descriptor of -1 is passed over.
    std::array<pollfd, 3> entries{{{wake_.get(), POLLIN, 0},
                                   {compiler_ ? compiler_->fd() : -1, POLLIN, 0},
                                   {tuner_ ? tuner_->fd() : -1, POLLIN, 0}}};
    const bool lost = (compiler_ && compiler_->lost()) || (tuner_ && tuner_->lost());
    poll(entries.data(), entries.size(), lost ? 0 : -1);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t ignored = read(wake_.get(), &count, sizeof count);
  }

  void read_compiler() {
    if (!compiler_) return;
    while (const std::optional<Message> message = compiler_->receive()) {
      try {
        const auto found = compiling_.find(service::ticket_of(*message));
        if (found == compiling_.end()) continue;
        found->second.answer.set_value(service::decode_compiled(*message));
        compiling_.erase(found);
      } catch (const Error&) {
        compiler_->let_go();  // nonsense: as good as lost
      }
    }
    if (!compiler_->lost()) return;
    const std::string end = compiling_.empty() ? "" : compiler_->obituary();
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
    const std::string end = tuning_ ? tuner_->obituary() : "";
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
    const Tune tune = std::move(*tuning_);
    tuning_.reset();
    tune.done(std::move(answer));
  }

  std::mutex mutex_;
  bool stopping_ = false;
  std::thread thread_;
  UniqueFd wake_;
  std::vector<Compile> new_compiles_;
  std::vector<Tune> new_tunes_;

  // The thread's own.
  std::optional<EngineProcess> compiler_, tuner_;
  std::map<Ticket, Compile> compiling_;
  std::deque<Tune> tunes_;
  std::optional<Tune> tuning_;  ///< with the engine
  Ticket last_ticket_ = 0;
};

EngineClient::EngineClient() : state_(std::make_unique<State>()) {}
EngineClient::~EngineClient() = default;

CompileAnswer EngineClient::compile(const CompileJob& job, Clock::time_point deadline) {
  try {
    CompileJob own = job;
    make_absolute(own.subject);
    std::future<CompileAnswer> answer = state_->add(std::move(own));
    if (answer.wait_until(deadline) == std::future_status::ready) return answer.get();
    return not_compiled(Outcome::compile_timeout,
                        fmt::format("Compiling {} takes longer than this request waits; it goes on, and a later one "
                                    "may find the binary stored.",
                                    title(job.subject)));
  } catch (const std::exception& error) {
    return not_compiled(Outcome::worker_lost,
                        fmt::format("{} could not be given to an engine: {}", title(job.subject), error.what()));
  }
}

void EngineClient::tune(TuneJob job, std::function<void(TuneAnswer)> done) {
  std::string title_of_job;
  try {
    title_of_job = title(job.subject);
    make_absolute(job.subject);
    state_->add(std::move(job), done);
  } catch (const std::exception& error) {
    done(not_tuned(fmt::format("{} could not be given to an engine: {}", title_of_job, error.what())));
  }
}

}  // namespace tuner
