#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/fleet/queue/address.hpp"
#include "tuner/fleet/queue/connection.hpp"

namespace tuner::fleet {

/// A job as it is submitted.
struct Submission {
  std::string file, kernel, problem;  ///< for people who list jobs
  std::string device;                 ///< a part of the GPU's name; empty: any
  int priority = 0;                   ///< higher is taken first
  std::string spec;                   ///< to_json(JobSpec)
};

/// A job that this worker holds until it answers or is silent for a lease's time.
struct Taken {
  std::int64_t job = 0;
  std::string team;
  int attempt = 0;
  std::string token;  ///< with the number of the attempt it tells this holder from earlier and later ones
  std::string spec;
};

/// A job as it is listed. Times are in seconds ago; negative: not yet.
struct Listed {
  std::int64_t job = 0;
  std::string team, submitter, file, kernel, problem, device, state, worker, reason;
  int priority = 0, tries = 0;
  double submitted_s = -1, taken_s = -1, finished_s = -1, heartbeat_s = -1;
};

struct Counted {
  std::string state;  ///< "queued", "running", "done", "aside", "cancelled"
  std::int64_t jobs = 0;
};

/// What was accepted of a job.
struct Accepted {
  std::int64_t job = 0;
  int attempt = 0;
  std::string session, kernel, problem;  ///< kernel and problem as they were submitted
};

/// The queue in PostgreSQL: packaging/fleet/schema.sql says what each of these does there, and which role may call it.
/// One connection, from one thread. Every method throws what Connection::ask throws.
class Queue {
 public:
  /// Connects. Throws Error{store_newer} for a queue of another version.
  explicit Queue(const Address& address);
  /// How long a worker may be silent.
  double lease_s() const { return lease_s_; }

  // Role submit.
  /// All of the jobs with all their contents, or none. An empty team: the only one that the login is in. Returns their
  /// numbers.
  std::vector<std::int64_t> submit(const std::string& team, std::span<const std::string> contents,
                                   std::span<const Submission> jobs);
  /// What the job is afterwards; nothing if it is none of this login's.
  std::optional<std::string> cancel(std::int64_t job);
  /// What workers and compilers said of it, the last attempt's; empty if it is none of this login's.
  std::string log(std::int64_t job);

  // Role submit or read.
  std::vector<Counted> count();
  /// All jobs that are not done, in the order in which they are taken; or the one of this number, if it is there.
  std::vector<Listed> list(std::optional<std::int64_t> job = {});

  // Role work.
  std::optional<Taken> take(const std::string& worker, const std::string& device);
  /// Jobs for this GPU that are queued or running.
  std::int64_t count_open(const std::string& device);
  /// Nothing if the team has no such content.
  std::optional<std::string> content(const std::string& team, const std::string& hash);
  // Each returns whether the job was still this worker's. What was not changes nothing.
  bool beat(const Taken& taken);
  bool store_rows(const Taken& taken, const std::vector<std::string>& rows);
  bool finish(const Taken& taken, const std::string& session, std::size_t rows, const std::string& log);
  bool fail(const Taken& taken, const std::string& reason, const std::string& log, bool is_final);
  /// The worker's own trouble, which counts as a try of the job once a host.
  bool could_not_work(const Taken& taken, const std::string& log);
  bool give_back(const Taken& taken);

  // Role read.
  std::vector<Accepted> accepted();
  /// Throws Error{store_damaged} where one is not what its hash says.
  std::vector<std::string> rows(const Accepted& accepted);

 private:
  Connection connection_;
  double lease_s_ = 0;
};

}  // namespace tuner::fleet
