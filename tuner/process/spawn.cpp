#include "tuner/process/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <thread>

#include "tuner/detail/file_variable.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChannelFd = 3;

// Descriptors to be placed at 0..3 in the child must not stand there already, or placing one would overwrite the next.
UniqueFd out_of_the_way(UniqueFd fd) {
  UniqueFd copy(fcntl(fd.get(), F_DUPFD_CLOEXEC, 16));
  if (!copy)
    throw Error(Errc::internal, std::string("A descriptor could not be duplicated: ") + std::strerror(errno) + ".");
  return copy;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
  // A child of a set-id program may not know any more that it is one.
  const auto may_pass = [is_strange = has_rights_of_another()](std::string_view name) {
    return !is_strange || name == "CUDA_VISIBLE_DEVICES=" || name == "CUDA_DEVICE_ORDER=";
  };
  std::vector<std::string> result = additions;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(additions.begin(), additions.end(),
                                      [&](const std::string& added) { return added.starts_with(name); });
    if (!replaced && may_pass(name)) result.emplace_back(text);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

}  // namespace

std::string ExitStatus::text() const {
  if (signal) {
    const char* name = sigdescr_np(*signal);
    return "ended by signal " + std::to_string(*signal) + " (" + (name != nullptr ? name : "unknown") + ")";
  }
  if (code) return "exited with status " + std::to_string(*code);
  return "ended";
}

ExitStatus exit_status_from_wait(int status) {
  ExitStatus result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

ChildProcess::ChildProcess(const SpawnOptions& options) : parent_(getpid()), patience_(options.patience) {
  ChannelPair pair = make_channel_pair();
  channel_ = std::move(pair.first);
  const UniqueFd theirs = out_of_the_way(pair.second.release());
  stderr_ = out_of_the_way(UniqueFd(memfd_create("tuner-stderr", MFD_CLOEXEC)));

  SpawnPlan plan;
  posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&plan.actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, stderr_.get(), 2);
  posix_spawn_file_actions_adddup2(&plan.actions, theirs.get(), kChannelFd);
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, kChannelFd + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> arguments{options.program.string()};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = merged_environment(options.environment);
  const int error = posix_spawn(&pid_, options.program.c_str(), &plan.actions, &plan.attributes,
                                pointers(arguments).data(), pointers(environment).data());
  if (error != 0) {
    pid_ = -1;
    throw Error(Errc::no_worker, "The worker program " + options.program.string() +
                                     " could not be started: " + std::strerror(error) +
                                     "; reinstall the tuner or set TUNER_LIBEXEC to the folder that holds it.");
  }
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      parent_(other.parent_),
      patience_(other.patience_),
      status_(other.status_),
      channel_(std::move(other.channel_)),
      pidfd_(std::move(other.pidfd_)),
      stderr_(std::move(other.stderr_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    parent_ = other.parent_;
    patience_ = other.patience_;
    status_ = other.status_;
    channel_ = std::move(other.channel_);
    pidfd_ = std::move(other.pidfd_);
    stderr_ = std::move(other.stderr_);
  }
  return *this;
}

ChildProcess::~ChildProcess() {
  end();
}

bool ChildProcess::is_ours() const noexcept {
  return pid_ >= 0 && parent_ == getpid();
}

void ChildProcess::end() noexcept {
  if (!is_ours()) return;
  kill();
  // Not for ever: a process that hangs inside the kernel (a GPU driver waiting for hardware that is gone) outlives
  // SIGKILL, and whoever asked for it must not hang with it. What is left behind is a zombie at worst, which costs a
  // number and is collected when this process ends.
  wait_until(Clock::now() + patience_);
}

void ChildProcess::kill() noexcept {
  // Until its status is collected neither its number nor its group's can belong to anybody else.
  if (!is_ours() || status_) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

std::optional<ExitStatus> ChildProcess::try_wait() noexcept {
  if (pid_ < 0 || status_) return status_;
  int status = 0;
  pid_t result = 0;
  do {
    result = waitpid(pid_, &status, WNOHANG);
  } while (result < 0 && errno == EINTR);
  if (result == pid_) status_ = exit_status_from_wait(status);
  if (result < 0) status_ = ExitStatus{};  // the application collects all its children, or ignores SIGCHLD
  return status_;
}

std::optional<ExitStatus> ChildProcess::wait_until(Clock::time_point deadline) noexcept {
  while (true) {
    if (std::optional<ExitStatus> status = try_wait()) return status;
    if (pid_ < 0 || Clock::now() >= deadline) return std::nullopt;
    const auto step = pidfd_ ? std::chrono::milliseconds(1000) : std::chrono::milliseconds(2);
    const auto left = std::min<Clock::duration>(deadline - Clock::now(), step);
    if (pidfd_) {
      pollfd entry{pidfd_.get(), POLLIN, 0};
      poll(&entry, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    } else {
      std::this_thread::sleep_for(left);
    }
  }
}

std::string ChildProcess::stderr_tail(std::size_t limit) const {
  struct stat status {};
  if (!stderr_ || fstat(stderr_.get(), &status) != 0) return {};
  const off_t start = std::max<off_t>(0, status.st_size - static_cast<off_t>(limit));
  std::string text(static_cast<std::size_t>(status.st_size - start), '\0');
  const ssize_t count = pread(stderr_.get(), text.data(), text.size(), start);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (start > 0) text.erase(0, text.find('\n') == std::string::npos ? 0 : text.find('\n') + 1);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text;
}

Channel worker_channel() {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(kChannelFd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
    throw Error(Errc::bad_usage,
                std::string(program_invocation_short_name) +
                    " is started by the tuner and does nothing by itself; run 'tuner --help' instead.");
  fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);
  // If the parent has gone already, the channel is closed and the first read ends this process.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return Channel(UniqueFd(kChannelFd));
}

void die_with_parent(pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
}

}  // namespace tuner
