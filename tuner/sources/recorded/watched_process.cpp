#include "tuner/sources/recorded/watched_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tuner/error.hpp"
#include "tuner/process/process_tree.hpp"
#include "tuner/process/shortage.hpp"
#include "tuner/process/spawn_plan.hpp"

namespace tuner::sources {
namespace {

// Not PTRACE_O_EXITKILL: what a build leaves behind, a daemon for instance, outlives whoever watched it.
constexpr unsigned long kEvents = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;

struct Pipe {
  UniqueFd reader, writer;
  Pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) refused_by_system("A pipe could not be made", errno);
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
};

/// In the child: waits at the gate until it is watched. Only calls that a signal handler may make, since the parent has
/// threads.
[[noreturn]] void become(char* const* words, int gate, int report, const sigset_t& mask, bool output_to_stderr) {
  char go = 0;
  if (read(gate, &go, 1) != 1) _exit(127);
  if (output_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
  // What main ignores, it ignores for itself.
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(words[0], words);
  const int reason = errno;
  [[maybe_unused]] const ssize_t ignored = write(report, &reason, sizeof reason);
  _exit(127);
}

[[noreturn]] void refuse_to_watch(int reason) {
  throw Error(Errc::bad_usage,
              fmt::format("The build cannot be watched, and was not started: the system refuses ptrace ({}). In a "
                          "container allow it (docker run --cap-add=SYS_PTRACE); kernel.yama.ptrace_scope must be less "
                          "than 2, and no debugger or strace may watch already. Or have the build write "
                          "compile_commands.json, as `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` does.",
                          std::strerror(reason)));
}

}  // namespace

WatchedProcess::WatchedProcess(const std::vector<std::string>& command, const sigset_t& mask, bool output_to_stderr) {
  std::vector<std::string> texts = command;
  const std::vector<char*> words = pointers(texts);
  Pipe gate, report;
  pid_ = fork();
  if (pid_ < 0) refused_by_system("The build could not be started", errno);
  if (pid_ == 0) {
    gate.writer.reset();
    become(words.data(), gate.reader.get(), report.writer.get(), mask, output_to_stderr);
  }
  if (ptrace(PTRACE_SEIZE, pid_, nullptr, kEvents) != 0) {
    const int reason = errno;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    refuse_to_watch(reason);
  }
  report_ = std::move(report.reader);
  [[maybe_unused]] const ssize_t ignored = write(gate.writer.get(), "", 1);
}

WatchedProcess::~WatchedProcess() {
  if (!has_ended_) kill_tree(pid_);
}

int WatchedProcess::reason_not_started() const {
  int reason = 0;
  return read(report_.get(), &reason, sizeof reason) == sizeof reason ? reason : 0;
}

}  // namespace tuner::sources
