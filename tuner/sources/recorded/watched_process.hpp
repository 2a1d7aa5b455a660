#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "tuner/process/fd.hpp"

namespace tuner::sources {

/// The first process of a build: a child of the calling thread, and watched by it (ptrace) before it is the command.
class WatchedProcess {
 public:
  /// It gets this mask of signals. Throws Error{bad_usage} if the system does not let it be watched, and
  /// Error{shortage} where there can be no other process; nothing runs then.
  WatchedProcess(const std::vector<std::string>& command, const sigset_t& mask, bool output_to_stderr);

  /// Kills it, with all below it, unless its end was noted.
  ~WatchedProcess();
  WatchedProcess(const WatchedProcess&) = delete;
  WatchedProcess& operator=(const WatchedProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// It has been waited for.
  void note_end() { has_ended_ = true; }
  /// Once it has ended: why it could not become the command, an errno; 0 if it did.
  int reason_not_started() const;

 private:
  pid_t pid_ = -1;
  bool has_ended_ = false;
  UniqueFd report_;
};

}  // namespace tuner::sources
