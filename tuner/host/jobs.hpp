#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tuner::host {

/// A program to run and what became of it.
struct Job {
  std::vector<std::string> command;
  std::chrono::seconds limit{120};
  std::filesystem::path output{};  ///< the file that it must write; none: nothing is expected
  bool done = false;
  bool ok = false;
  /// Why it is not ok, of a program: "exited with status 1", "had not finished after 120 s".
  std::string how{};
  std::string messages{};  ///< what it wrote to standard error, the first MiB

  // What may be the machine's doing and not the program's.
  bool late = false;            ///< stopped after the limit
  int start_error = 0;          ///< errno: it could not be started
  std::optional<int> signal{};  ///< that ended it
  bool starved = false;         ///< it, or a part of it, was stopped because all jobs together held too much memory
  bool crowded = false;         ///< ... because there were too many processes
};

/// What jobs may use, and when they are to end.
struct JobLimits {
  int at_once = 1;
  const std::atomic<bool>* stop = nullptr;  ///< ends them early, with jobs not done
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();  ///< the same
  std::filesystem::path temporary{};  ///< where they put temporary files (TMPDIR); empty: where it says now
  /// Bytes of memory that all of them may hold together. Above, the process that holds most is stopped, with what it
  /// started, but not the one that started it.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  std::size_t processes = 512;  ///< of all of them together; above, the largest group of them is stopped

  bool stopped() const { return stop != nullptr && *stop; }
};

/// Runs them. `finished` is told of each. What cannot be started is done and not ok. This process has no other
/// children.
void run_jobs(std::vector<Job>& jobs, const JobLimits& limits, const std::function<void(const Job&)>& finished = {});

}  // namespace tuner::host
