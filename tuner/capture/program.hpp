#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/process/fd.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::capture {

struct ProgramOptions {
  std::vector<std::string> command;      ///< the program, looked for as a shell does, and its arguments
  std::vector<std::string> environment;  ///< "NAME=value", in place of what this process has
  int inherited;                         ///< a descriptor that it keeps, of the same number
  bool output_to_stderr = false;         ///< what it prints goes to standard error
  bool randomise = false;                ///< its addresses, where the system does that
  std::chrono::milliseconds grace{};     ///< for it to end after SIGTERM
};

/// A program that somebody else wrote and that runs as if a shell had started it: with this process's terminal, group
/// and standard streams.
class Program {
 public:
  /// Throws Error{bad_usage} if it cannot be started.
  explicit Program(const ProgramOptions& options);
  /// Ends it if it still runs.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Readable once it has ended; -1 where the system has no such descriptor.
  int exit_fd() const { return pidfd_.get(); }
  /// How it ended; nothing while it runs.
  std::optional<ExitStatus> try_wait();
  /// SIGTERM to it and to all that descend from it, and SIGKILL to what still runs after the grace, whether its parent
  /// does or not; `meanwhile` is called again and again. This process may have no other children.
  void end(const std::function<void()>& meanwhile);
  /// Whether the system refused to run it without randomising its addresses.
  bool randomisation_stayed() const { return randomisation_stayed_; }

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  std::optional<ExitStatus> status_;
  std::chrono::milliseconds grace_;
  bool randomisation_stayed_ = false;
};

}  // namespace tuner::capture
