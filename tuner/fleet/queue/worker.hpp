#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/fleet/job/job.hpp"
#include "tuner/fleet/queue/address.hpp"
#include "tuner/fleet/queue/queue.hpp"

namespace tuner::fleet {

/// What a worker says of a job.
struct Answer {
  bool is_done = false;
  // Done:
  std::string session;            ///< that the rows come from
  std::vector<std::string> rows;  ///< row_texts
  // Not done:
  std::string reason;     ///< for everybody in the team: one sentence without what compilers say
  bool is_final = false;  ///< another try would fail, too
  /// What compilers and sessions said: for who submitted it.
  std::string log;
};

/// Does the work of a job. `stop` says that the answer is not wanted any more: then it returns soon, with any. What it
/// throws is the worker's own trouble: the job is given back, and the worker ends.
using JobWork = std::function<Answer(const Package& package, const std::atomic<bool>& stop)>;

struct WorkerOptions {
  std::string name;                                               ///< shown to people: "host:1234 GPU 0"
  std::string device;                                             ///< name of the GPU, as the driver says it
  bool until_empty = false;                                       ///< end when no job for this GPU is queued or running
  std::chrono::milliseconds poll{1000};                           ///< between two looks into an empty queue
  std::chrono::milliseconds longest_job = std::chrono::hours(2);  ///< then the job is set aside
};

/// What happened so far.
struct WorkerTally {
  std::int64_t done = 0, failed = 0;
  std::int64_t refused = 0;  ///< answers that came too late, or to jobs that were cancelled
};

/// Takes jobs from a queue, one after the other, and answers them: what `tuner fleet work` does on one GPU. A server
/// that cannot be reached is waited for. While a job is worked on, a thread with a connection of its own says so to the
/// queue.
class Worker {
 public:
  /// `tell` takes sentences about what happens, from the thread that calls run().
  Worker(const Address& address, WorkerOptions options, JobWork job_work, std::function<void(const std::string&)> tell);

  /// Returns when `stop` is set, or when the queue is empty and that was asked for. A job that is being worked on when
  /// it is told to stop is given back, and the try does not count. Throws what `job_work` throws, and Error for what
  /// the queue refuses.
  WorkerTally run(const std::atomic<bool>& stop);

 private:
  class Heart;

  /// What `ask` says of the queue; nothing if it is told to stop while the server cannot be reached.
  template <class Ask>
  auto patiently(const Ask& ask);
  void work(const Taken& taken);
  /// The job with its files. A sentence in `trouble` if it is none.
  std::optional<Package> fetch(const Taken& taken, std::string& trouble);
  std::optional<bool> send(const Taken& taken, const Answer& answer);
  void blame_worker(const Taken& taken, const std::string& why) noexcept;
  void wait(std::chrono::milliseconds time) const;

  const Address address_;
  const WorkerOptions options_;
  const JobWork job_work_;
  const std::function<void(const std::string&)> tell_;
  const std::atomic<bool>* stop_ = nullptr;
  std::optional<Queue> queue_;
  double lease_s_ = 0;
  WorkerTally tally_;
};

}  // namespace tuner::fleet
