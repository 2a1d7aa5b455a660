#include "tuner/fleet/queue/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::fleet {
namespace {

using Clock = std::chrono::steady_clock;

/// Rows go to the server in parts of so many, or so many bytes.
constexpr std::size_t kMostRows = 256, kMostBytes = std::size_t{4} << 20;

std::vector<std::vector<std::string>> in_batches(const std::set<std::string>& rows) {
  std::vector<std::vector<std::string>> batches;
  std::size_t bytes = 0;
  for (const std::string& row : rows) {
    if (batches.empty() || batches.back().size() == kMostRows || bytes + row.size() > kMostBytes) {
      batches.emplace_back();
      bytes = 0;
    }
    bytes += row.size();
    batches.back().push_back(row);
  }
  return batches;
}

}  // namespace

/// Says to the queue that the job is worked on, several times a lease, from a thread and over a connection of its own;
/// and tells the work to stop, when the worker is to stop, the job is no longer its own, or it takes too long.
class Worker::Heart {
 public:
  Heart(const Worker& worker, const Taken& taken)
      : worker_(worker), taken_(taken), end_(Clock::now() + worker.options_.longest_job), thread_([this] { beat(); }) {}
  ~Heart() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    woken_.notify_all();
  }
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  const std::atomic<bool>& stop() const { return stop_; }
  bool is_lost() const { return lost_; }
  bool is_late() const { return late_; }

 private:
  void beat() {
    const auto between = std::chrono::duration<double>(worker_.lease_s_ / 6);
    auto next = Clock::now() + between;
    constexpr std::chrono::milliseconds kLook{50};
    std::unique_lock lock(mutex_);
    while (!woken_.wait_for(lock, kLook, [this] { return over_; })) {
      late_ = late_ || Clock::now() > end_;
      if (*worker_.stop_ || late_) stop_ = true;
      if (Clock::now() < next) continue;
      lock.unlock();
      beat_once();
      next = Clock::now() + between;
      lock.lock();
    }
  }

  /// A server that cannot be reached says nothing: whether the job is lost is seen in the end.
  void beat_once() noexcept try {
    if (!queue_) queue_.emplace(worker_.address_);
    if (queue_->beat(taken_)) return;
    lost_ = true;
    stop_ = true;
  } catch (const std::exception&) {
    queue_.reset();
  }

  const Worker& worker_;
  const Taken& taken_;
  const Clock::time_point end_;
  std::optional<Queue> queue_;  ///< of the thread alone
  std::atomic<bool> stop_ = false, lost_ = false, late_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool over_ = false;
  std::jthread thread_;  ///< last: it uses all of these
};

Worker::Worker(const Address& address, WorkerOptions options, JobWork job_work,
               std::function<void(const std::string&)> tell)
    : address_(address), options_(std::move(options)), job_work_(std::move(job_work)), tell_(std::move(tell)) {}

void Worker::wait(std::chrono::milliseconds time) const {
  constexpr std::chrono::milliseconds kLook{50};
  for (const auto end = Clock::now() + time; !*stop_ && Clock::now() < end;) {
    std::this_thread::sleep_for(std::min<Clock::duration>(kLook, end - Clock::now()));
  }
}

template <class Ask>
auto Worker::patiently(const Ask& ask) {
  using Said = decltype(ask(*queue_));
  bool told = false;
  for (std::chrono::milliseconds pause(100);; pause = std::min(2 * pause, std::chrono::milliseconds(5000))) {
    try {
      if (!queue_) queue_.emplace(address_);
      return std::optional<Said>(ask(*queue_));
    } catch (const Unreachable& error) {
      if (!std::exchange(told, true)) tell_(fmt::format("{} Waiting for it.", error.what()));
      queue_.reset();
    }
    if (*stop_) return std::optional<Said>();
    wait(pause);
  }
}

WorkerTally Worker::run(const std::atomic<bool>& stop) {
  stop_ = &stop;
  lease_s_ = patiently([](Queue& queue) { return queue.lease_s(); }).value_or(0);
  while (!stop) {
    const auto taken = patiently([&](Queue& queue) { return queue.take(options_.name, options_.device); });
    if (!taken) break;
    if (*taken) {
      work(**taken);
      continue;
    }
    if (options_.until_empty) {
      const auto open = patiently([&](Queue& queue) { return queue.count_open(options_.device); });
      if (!open || *open == 0) break;
    }
    wait(options_.poll);
  }
  return tally_;
}

std::optional<Package> Worker::fetch(const Taken& taken, std::string& trouble) {
  Package package;
  try {
    package.spec = job_from_json(taken.spec);
  } catch (const Error& error) {
    trouble = error.what();
    return std::nullopt;
  }
  for (const std::string& hash : hashes_of(package.spec)) {
    auto content = patiently([&](Queue& queue) { return queue.content(taken.team, hash); });
    if (!content) return std::nullopt;
    if (*content) package.contents.emplace(hash, **std::move(content));
  }
  return package;
}

void Worker::blame_worker(const Taken& taken, const std::string& why) noexcept try {
  queue_.emplace(address_);
  queue_->could_not_work(taken, why);
} catch (const std::exception&) {  // then it is given back when the lease is over
}

void Worker::work(const Taken& taken) {
  const auto begin = Clock::now();
  Answer answer;
  bool is_given_back = false;
  {
    const Heart heart(*this, taken);
    const std::optional<Package> package = fetch(taken, answer.log);
    if (package) {
      try {
        answer = job_work_(*package, heart.stop());
      } catch (const std::exception& error) {
        // What a signal to stop ended was not the job's fault, nor this worker's.
        if (!*stop_) {
          blame_worker(taken, error.what());
          throw;
        }
      }
    } else if (!answer.log.empty()) {
      answer.reason = "It is no job that this program knows.";
      answer.is_final = true;
    }
    if (heart.is_late() && !answer.is_done) {
      answer = {.reason = fmt::format("It took longer than {}.",
                                      duration_text(std::chrono::duration<double>(options_.longest_job).count())),
                .is_final = true,
                .log = std::move(answer.log)};
    } else if (*stop_ && !answer.is_done) {
      is_given_back = true;
    }
  }
  if (is_given_back) {
    const auto back = patiently([&](Queue& queue) { return queue.give_back(taken); });
    const std::string_view fate = !back   ? "goes back to the queue when its lease ends."
                                  : *back ? "is given back."
                                          : "was cancelled or given to another worker meanwhile.";
    tell_(fmt::format("Job {} {}", taken.job, fate));
    return;
  }
  std::optional<bool> is_accepted;
  try {
    is_accepted = send(taken, answer);
  } catch (const Unreachable&) {
    throw;
  } catch (const Error& error) {
    answer = {.reason = "Its results cannot be stored in the queue.", .is_final = true, .log = error.what()};
    is_accepted = send(taken, answer);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!is_accepted) {
    tell_(fmt::format("Job {}: the queue could not be told what became of it; it goes back when its lease ends.",
                      taken.job));
  } else if (!*is_accepted) {
    ++tally_.refused;
    tell_(fmt::format("Job {} was cancelled or given to another worker meanwhile; its results stay here only.",
                      taken.job));
  } else if (answer.is_done) {
    ++tally_.done;
    tell_(fmt::format("Job {} is done after {}: {}.", taken.job, duration_text(seconds),
                      counted(answer.rows.size(), "row")));
  } else {
    ++tally_.failed;
    tell_(fmt::format("Job {} failed: {}", taken.job, answer.reason));
  }
}

/// Whether the queue accepted it; nothing if it was stopped while the server was away.
std::optional<bool> Worker::send(const Taken& taken, const Answer& answer) {
  if (!answer.is_done) {
    return patiently([&](Queue& queue) { return queue.fail(taken, answer.reason, answer.log, answer.is_final); });
  }
  const std::set<std::string> rows(answer.rows.begin(), answer.rows.end());
  for (const std::vector<std::string>& batch : in_batches(rows)) {
    const std::optional<bool> stored = patiently([&](Queue& queue) { return queue.store_rows(taken, batch); });
    if (!stored || !*stored) return stored;
  }
  return patiently([&](Queue& queue) { return queue.finish(taken, answer.session, rows.size(), answer.log); });
}

}  // namespace tuner::fleet
