#include "tuner/capture/program.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "tuner/error.hpp"
#include "tuner/process/process_tree.hpp"
#include "tuner/process/shortage.hpp"

namespace tuner::capture {
namespace {

using namespace std::chrono_literals;

/// For a program to end after it was asked to.
constexpr auto kPatience = 5s;

/// While it lives, programs that are started have addresses that are not randomised. They inherit it.
class FixedAddresses {
 public:
  explicit FixedAddresses(bool wanted) {
    if (!wanted) return;
    before_ = personality(0xffffffff);
    if (before_ >= 0 && personality(static_cast<unsigned>(before_) | ADDR_NO_RANDOMIZE) < 0) before_ = -1;
    refused_ = before_ < 0;
  }
  ~FixedAddresses() {
    if (before_ >= 0) personality(static_cast<unsigned>(before_));
  }
  FixedAddresses(const FixedAddresses&) = delete;
  FixedAddresses& operator=(const FixedAddresses&) = delete;
  bool refused() const { return refused_; }

 private:
  int before_ = -1;
  bool refused_ = false;
};

std::vector<std::string> environment_with(const std::vector<std::string>& additions) {
  std::vector<std::string> all = additions;
  const auto is_replaced = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    return std::ranges::any_of(additions, [&](const std::string& each) { return each.starts_with(name); });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_replaced(*entry)) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> for_exec(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Spawning {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  explicit Spawning(const ProgramOptions& options) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (options.output_to_stderr) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (options.inherited >= 0) posix_spawn_file_actions_adddup2(&actions, options.inherited, options.inherited);
    // What main ignores, it ignores for itself.
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ours, signal);
    posix_spawnattr_setsigdefault(&attributes, &ours);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;
};

[[noreturn]] void refuse_to_start(const std::string& program, int reason) {
  if (!way_out_of_shortage(reason).empty()) refused_by_system("The program could not be started", reason);
  throw Error(Errc::bad_usage, fmt::format("The program {} could not be started: {}; is its path right, and may it be "
                                           "executed?",
                                           program, std::strerror(reason)));
}

}  // namespace

Program::Program(const ProgramOptions& options) {
  std::vector<std::string> arguments = options.command;
  std::vector<std::string> environment = environment_with(options.environment);
  const FixedAddresses addresses(!options.randomise);
  randomisation_stayed_ = addresses.refused();
  const Spawning how(options);
  const int error = posix_spawnp(&pid_, arguments.front().c_str(), &how.actions, &how.attributes,
                                 for_exec(arguments).data(), for_exec(environment).data());
  if (error != 0) refuse_to_start(arguments.front(), error);
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

Program::~Program() {
  end();
}

std::optional<ExitStatus> Program::try_wait() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = exit_status_from_wait(status);
  return status_;
}

void Program::end() {
  if (try_wait()) return;
  for (const Descendant& each : descendants(pid_)) kill(each.pid, SIGTERM);
  kill(pid_, SIGTERM);
  const auto wait_for = [this](std::chrono::seconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!try_wait() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(5ms);
  };
  wait_for(kPatience);
  if (status_) return;
  kill_tree(pid_);
  wait_for(kPatience);
}

}  // namespace tuner::capture
