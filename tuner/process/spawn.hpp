#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/process/channel.hpp"

namespace tuner {

/// How a process ended.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;
  /// "exited with status 3", "ended by signal 9 (Killed)"; "ended" if its status was collected elsewhere.
  std::string text() const;
  /// As shells say it: its exit code, or 128 and the signal; 0 if its status was collected elsewhere.
  int shell_code() const;
};
ExitStatus exit_status_from_wait(int status);

struct SpawnOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;         ///< without the program's name
  std::vector<std::string> environment;       ///< "NAME=value", in addition to this process's own; replaces same names
  std::chrono::milliseconds patience{10000};  ///< how long the destructor waits for a killed one to be gone
  /// Bytes of its stderr that are kept, from the first; writing more fails. 0: all, for programs that can be trusted.
  std::size_t most_said = 0;
  std::filesystem::path folder{};      ///< in which it starts; empty: that of this process
  bool only_this_environment = false;  ///< it gets nothing of this process's
};

/// A program could not be started. The sentence says why and what to do.
struct StartError : Error {
  StartError(const std::filesystem::path& program, int reason);
  int reason;  ///< errno
};

/// A worker program started by this process, connected by a channel. It sees no other descriptor of ours, reads
/// nothing, prints nowhere (what it writes to stderr is kept for messages), and belongs to a process group of its own,
/// so that Ctrl-C reaches its parent only. Executed, never only forked: safe in programs with threads and
/// CUDA.
class ChildProcess {
 public:
  /// Throws StartError, an Error{no_worker}, if the program cannot be started.
  explicit ChildProcess(const SpawnOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// Kills it with everything it started and collects its status. One that has not ended within the patience is left
  /// behind. In a process that was forked from the one that started it, it is left alone.
  ~ChildProcess();

  Channel& channel() noexcept { return channel_; }
  const Channel& channel() const noexcept { return channel_; }
  pid_t pid() const noexcept { return pid_; }
  /// Readable once the process has ended; -1 where the system has no such descriptor (then the channel's closing
  /// tells).
  int exit_fd() const noexcept { return pidfd_.get(); }
  /// SIGKILL to it, to all that descend from it, and to its process group; to nothing at all once it has ended and was
  /// collected, by the application perhaps. Does not wait for their ends.
  void kill() noexcept;
  /// Destruction kills it and does not wait.
  void leave_behind() noexcept { patience_ = std::chrono::milliseconds(0); }
  /// How it ended; nothing while it runs.
  std::optional<ExitStatus> try_wait() noexcept;
  /// Waits for the end, up to the deadline.
  std::optional<ExitStatus> wait_until(std::chrono::steady_clock::time_point deadline) noexcept;
  /// The last words it wrote to stderr, at most `limit` bytes from a line's start, trimmed; empty if none.
  std::string stderr_tail(std::size_t limit = 4096) const;

 private:
  void end() noexcept;
  /// False if it has been collected, also where its number is in use again.
  bool signal(int number) const noexcept;
  bool is_ours() const noexcept;

  pid_t pid_ = -1;
  pid_t parent_ = -1;  ///< who started it
  std::chrono::milliseconds patience_;
  std::size_t kept_ = 0;  ///< at most so much of what it says; 0: all
  std::optional<ExitStatus> status_;
  Channel channel_;
  UniqueFd pidfd_;
  UniqueFd stderr_;
};

/// For the worker program itself: its end of the channel, and the promise to die with its parent.
/// Throws Error{bad_usage} if it was not started by ChildProcess.
Channel worker_channel();

/// In a child that was forked or spawned by `parent`: ends this process when the parent's thread that started it ends.
void die_with_parent(pid_t parent) noexcept;

}  // namespace tuner
