#include "tuner/capture/program.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

#include "tuner/error.hpp"
#include "tuner/process/fixed_addresses.hpp"
#include "tuner/process/process_tree.hpp"
#include "tuner/process/shortage.hpp"
#include "tuner/process/spawn_plan.hpp"

namespace tuner::capture {
namespace {

using namespace std::chrono_literals;

bool wait_until(const std::function<bool()>& is_so, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

/// Collects children of this process that have ended; true if it has none any more.
bool no_child_is_left() {
  pid_t ended = 0;
  do {
    ended = waitpid(-1, nullptr, WNOHANG);
  } while (ended > 0);
  return ended < 0;
}

void plan(const ProgramOptions& options, SpawnPlan& plan) {
  if (options.output_to_stderr) posix_spawn_file_actions_adddup2(&plan.actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, options.inherited, options.inherited);
  // What main ignores, it ignores for itself.
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ours, signal);
  posix_spawnattr_setsigdefault(&plan.attributes, &ours);
  posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGDEF);
}

[[noreturn]] void refuse_to_start(const std::string& program, int reason) {
  if (!way_out_of_shortage(reason).empty()) refused_by_system("The program could not be started", reason);
  throw Error(Errc::bad_usage, fmt::format("The program {} could not be started: {}; is its path right, and may it be "
                                           "executed?",
                                           program, std::strerror(reason)));
}

}  // namespace

Program::Program(const ProgramOptions& options) : grace_(options.grace) {
  std::vector<std::string> arguments = options.command;
  std::vector<std::string> environment = merged_environment(options.environment);
  const FixedAddresses addresses(!options.randomise);
  randomisation_stayed_ = addresses.refused();
  SpawnPlan how;
  plan(options, how);
  const int error = posix_spawnp(&pid_, arguments.front().c_str(), &how.actions, &how.attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  if (error != 0) refuse_to_start(arguments.front(), error);
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

Program::~Program() {
  end([] {});
}

std::optional<ExitStatus> Program::try_wait() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = exit_status_from_wait(status);
  return status_;
}

void Program::end(const std::function<void()>& meanwhile) {
  if (try_wait()) return;
  const Adoption orphans;  // what outlives the program comes to this process, and its end kills it
  for (const Descendant& each : descendants(getpid())) kill(each.pid, SIGTERM);
  const auto all_have_ended = [&] {
    meanwhile();
    return try_wait() && no_child_is_left();
  };
  if (wait_until(all_have_ended, grace_) || status_) return;
  kill_tree(pid_);
  wait_until([this] { return try_wait().has_value(); }, 5s);
}

}  // namespace tuner::capture
