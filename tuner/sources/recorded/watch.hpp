#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "tuner/process/spawn.hpp"
#include "tuner/sources/recorded/compiler_command.hpp"

namespace tuner::sources {

struct WatchOptions {
  std::vector<std::string> command;       ///< the build, looked for as a shell does, and its arguments
  bool output_to_stderr = false;          ///< what it prints goes to standard error
  std::chrono::milliseconds grace{5000};  ///< for it to end after SIGTERM, before SIGKILL
};

struct WatchedBuild {
  std::vector<CompilerCommand> commands;  ///< in the order of their starts
  ExitStatus status;                      ///< of the build
};

/// Runs a build as a shell would, and notes each CUDA compiler that it starts, however deep, by whatever name; what a
/// compiler starts itself is not watched. Costs two switches between processes for each process, thread and signal of
/// the build. Returns when the build ends: what it leaves behind runs on, unwatched. Once `interrupted` is set, the
/// build is ended with all below it, and what was seen is returned.
///
/// Watching is ptrace, so programs that start with the rights of another user (sudo) get none, and those that watch
/// others themselves (a debugger, strace, the leak sanitizer) fail.
///
/// Throws Error{bad_usage} if the command cannot be started, or if the system refuses ptrace, and then nothing runs. To
/// be called by a process without other children.
WatchedBuild watch_build(const WatchOptions& options, const std::atomic<bool>& interrupted);

}  // namespace tuner::sources
