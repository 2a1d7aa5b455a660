#include "tuner/process/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
#include "tuner/process/spawn_plan.hpp"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChannelFd = 3;

// Descriptors to be placed at 0..3 in the child must not stand there already, or placing one would overwrite the next.
// Invalid if there is no descriptor left.
UniqueFd out_of_the_way(UniqueFd fd) {
  return fd ? UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, kChannelFd + 1)) : std::move(fd);
}

/// A file in memory for what a child says. One that may say so much has this size from the start and cannot grow.
UniqueFd file_of_words(std::size_t most) {
  UniqueFd file = out_of_the_way(UniqueFd(memfd_create("tuner-stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
  rlimit longest{};
  if (!file || most == 0 || getrlimit(RLIMIT_FSIZE, &longest) != 0) return file;
  // Beyond the limit of a file's size this process would end.
  if (ftruncate(file.get(), static_cast<off_t>(std::min<rlim_t>(most, longest.rlim_cur))) == 0)
    fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return file;
}

std::string way_out(int reason) {
  const std::string_view shortage = way_out_of_shortage(reason);
  if (!shortage.empty()) return std::string(shortage) + ".";
  return "reinstall the tuner or set TUNER_LIBEXEC to the folder that holds it.";
}

constexpr auto kByDescriptor = static_cast<idtype_t>(3);  // P_PIDFD: Linux 5.4, glibc 2.36

/// How the child ended, by default collecting it; with number 0 while it runs; nothing, and errno, if there is no such
/// child of this process.
std::optional<siginfo_t> wait_for_child(idtype_t kind, id_t id, int flags) noexcept {
  siginfo_t info{};
  int result = 0;
  do {
    result = waitid(kind, id, &info, WEXITED | WNOHANG | flags);
  } while (result < 0 && errno == EINTR);
  return result == 0 ? std::optional(info) : std::nullopt;
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal) {
    const char* name = sigdescr_np(*signal);
    return "ended by signal " + std::to_string(*signal) + " (" + (name != nullptr ? name : "unknown") + ")";
  }
  if (code) return "exited with status " + std::to_string(*code);
  return "ended";
}

int ExitStatus::shell_code() const {
  constexpr int kSignalled = 128;
  return signal ? kSignalled + *signal : code.value_or(0);
}

ExitStatus exit_status_from_wait(int status) {
  ExitStatus result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

StartError::StartError(const std::filesystem::path& program, int why)
    : Error(way_out_of_shortage(why).empty() ? Errc::no_worker : Errc::shortage,
            "The worker program " + program.string() + " could not be started: " + std::strerror(why) + "; " +
                way_out(why)),
      reason(why) {}

ChildProcess::ChildProcess(const SpawnOptions& options)
    : parent_(getpid()), patience_(options.patience), kept_(options.most_said) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw StartError(options.program, errno);
  channel_ = Channel(UniqueFd(ends[0]));
  const UniqueFd theirs = out_of_the_way(UniqueFd(ends[1]));
  if (theirs) stderr_ = file_of_words(options.most_said);
  if (!stderr_) throw StartError(options.program, errno);

  SpawnPlan plan;
  posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&plan.actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, stderr_.get(), 2);
  posix_spawn_file_actions_adddup2(&plan.actions, theirs.get(), kChannelFd);
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, kChannelFd + 1);
  if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&plan.actions, options.folder.c_str());
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> arguments{options.program.string()};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment =
      options.only_this_environment ? options.environment : merged_environment(options.environment);
  const int error = posix_spawn(&pid_, options.program.c_str(), &plan.actions, &plan.attributes,
                                pointers(arguments).data(), pointers(environment).data());
  if (error != 0) {
    pid_ = -1;
    throw StartError(options.program, error);
  }
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      parent_(other.parent_),
      patience_(other.patience_),
      kept_(other.kept_),
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
    kept_ = other.kept_;
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
  // SIGKILL, and its parent must not hang with it. What is left behind is a zombie at worst, which costs a
  // number and is collected when this process ends.
  wait_until(Clock::now() + patience_);
}

bool ChildProcess::signal(int number) const noexcept {
  if (pidfd_) return syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0) == 0;
  return wait_for_child(P_PID, static_cast<id_t>(pid_), WNOWAIT).has_value() && ::kill(pid_, number) == 0;
}

void ChildProcess::kill() noexcept {
  // Where the application collects all its children, or ignores SIGCHLD, its number may be another's as soon as it has
  // ended. One that is stopped does not end, and keeps its number and its group's until it is collected.
  if (!is_ours() || status_ || !signal(SIGSTOP)) return;
  kill_tree(pid_);
  ::kill(-pid_, SIGKILL);  // those of its group whose parents have ended
}

std::optional<ExitStatus> ChildProcess::try_wait() noexcept {
  if (pid_ < 0 || status_) return status_;
  std::optional<siginfo_t> info;
  if (pidfd_) info = wait_for_child(kByDescriptor, static_cast<id_t>(pidfd_.get()), 0);
  if (!pidfd_ || (!info && errno == EINVAL)) info = wait_for_child(P_PID, static_cast<id_t>(pid_), 0);
  if (!info) {
    status_ = ExitStatus{};  // the application collects all its children, or ignores SIGCHLD
  } else if (info->si_pid == pid_) {
    status_.emplace();
    (info->si_code == CLD_EXITED ? status_->code : status_->signal) = info->si_status;
  }
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
  // The child's descriptor and this one are the same open file: where it stands is how much was said.
  const off_t said = kept_ == 0 ? status.st_size : std::min(status.st_size, lseek(stderr_.get(), 0, SEEK_CUR));
  const off_t start = std::max<off_t>(0, said - static_cast<off_t>(limit));
  std::string text(static_cast<std::size_t>(said - start), '\0');
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
