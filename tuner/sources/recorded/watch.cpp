#include "tuner/sources/recorded/watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <future>
#include <optional>
#include <thread>

#include "tuner/error.hpp"
#include "tuner/process/process_tree.hpp"
#include "tuner/process/quiet_thread.hpp"
#include "tuner/process/shortage.hpp"
#include "tuner/sources/recorded/compiler_start.hpp"
#include "tuner/sources/recorded/program_start.hpp"
#include "tuner/sources/recorded/watched_process.hpp"

namespace tuner::sources {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Notes what has been started in a process, and says whether it is a compiler.
bool note_start(pid_t pid, std::vector<CompilerCommand>& commands) {
  const std::optional<StartedFile> file = started_file(pid);
  if (!file || !may_compile(*file)) return false;
  std::optional<ProgramStart> start = read_start(pid, *file);
  if (!start) return false;
  SeenStart seen = seen_start(std::move(*start));
  if (seen.command) commands.push_back(std::move(*seen.command));
  return seen.is_compiler;
}

/// Lets a process that has stopped for its watcher go on, as if nobody watched. What fails, fails because it was killed
/// meanwhile.
void go_on(pid_t pid, int status, std::vector<CompilerCommand>& commands) {
  const unsigned long signal = WSTOPSIG(status);
  const int event = status >> 16;
  if (event == 0) {
    ptrace(PTRACE_CONT, pid, nullptr, signal);  // which it gets
  } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
    ptrace(PTRACE_LISTEN, pid, nullptr, 0UL);  // it was told to stop, and stays so until it is told to go on
  } else if (event == PTRACE_EVENT_EXEC && note_start(pid, commands)) {
    ptrace(PTRACE_DETACH, pid, nullptr, 0UL);  // what a compiler starts takes no time this way
  } else {
    ptrace(PTRACE_CONT, pid, nullptr, 0UL);
  }
}

[[noreturn]] void refuse_to_start(const std::string& program, int reason) {
  if (!way_out_of_shortage(reason).empty()) refused_by_system("The build could not be started", reason);
  throw Error(Errc::bad_usage, fmt::format("The program {} could not be started: {}; is its path right, and may it be "
                                           "executed?",
                                           program, std::strerror(reason)));
}

/// For a thread of its own: the kernel lets go of all that a thread watches when it ends. It sees its own children and
/// what it watches, and no child of another thread.
WatchedBuild watch(const WatchOptions& options, const sigset_t& mask) {
  WatchedProcess build(options.command, mask, options.output_to_stderr);
  WatchedBuild watched;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, __WALL | __WNOTHREAD);
    if (pid < 0 && errno != EINTR) refused_by_system("The build could not be waited for", errno);
    if (pid > 0 && WIFSTOPPED(status)) {
      go_on(pid, status, watched.commands);
    } else if (pid == build.pid()) {
      watched.status = exit_status_from_wait(status);
      break;
    }
  }
  build.note_end();
  if (const int reason = build.reason_not_started(); reason != 0) refuse_to_start(options.command.front(), reason);
  return watched;
}

/// Ends everything below this process: with SIGTERM, and after the grace with SIGKILL.
void end_build(const std::future<WatchedBuild>& watched, std::chrono::milliseconds grace) {
  const Adoption orphans;  // what outlives its parent comes to this process, and is killed at the end
  for (const Descendant& each : descendants(getpid())) kill(each.pid, SIGTERM);
  const auto is_left = [&] {
    // Not those of the thread that watches.
    while (waitpid(-1, nullptr, WNOHANG | __WNOTHREAD) > 0) {
    }
    return watched.wait_for(0s) != std::future_status::ready || !descendants(getpid()).empty();
  };
  for (const auto deadline = Clock::now() + grace; is_left() && Clock::now() < deadline;)
    std::this_thread::sleep_for(5ms);
  for (const Descendant& each : descendants(getpid())) {
    if (each.pid == each.branch) kill_tree(each.pid);
  }
  watched.wait();
}

}  // namespace

WatchedBuild watch_build(const WatchOptions& options, const std::atomic<bool>& interrupted) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::packaged_task<WatchedBuild()> task([&] { return watch(options, mask); });
  std::future<WatchedBuild> watched = task.get_future();
  std::thread watcher = quiet_thread([&task] { task(); });
  constexpr auto kGlance = 50ms;  // a signal does not wake whoever waits for a thread
  while (watched.wait_for(kGlance) != std::future_status::ready) {
    if (!interrupted) continue;
    end_build(watched, options.grace);
    break;
  }
  watcher.join();
  return watched.get();
}

}  // namespace tuner::sources
