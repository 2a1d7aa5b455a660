#include "tests/attack/program_door.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "tests/attack/reply.hpp"
#include "tests/attack/talk.hpp"
#include "tests/support/files.hpp"

namespace tuner::attack {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kNeverLonger{180};

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("the campaign's own plumbing failed: " + what + ": " + strerror(errno));
}

std::string contents(int fd) {
  std::string text(static_cast<std::size_t>(lseek(fd, 0, SEEK_END)), '\0');
  if (pread(fd, text.data(), text.size(), 0) < 0) text.clear();
  return text;
}

/// Seconds of the processor that a process took, and whether it wants more at this moment.
struct Work {
  double seconds = 0;
  bool wants_more = false;
};
Work work_of(pid_t pid) {
  const std::string text = test::read_bytes("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state, skipped;
  fields >> state;
  for (int i = 0; i < 10; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return {(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK)), state == "R" || state == "D"};
}

}  // namespace

Door::Door(const std::filesystem::path& program, const std::map<std::string, std::string>& environment,
           const std::filesystem::path& fork_server, int lives)
    : program_(program) {
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socketpair");
  socket_.reset(ends[0]);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  std::vector<std::string> variables{"LD_PRELOAD=" + fork_server.string(),
                                     "TUNER_ATTACK_SERVER=" + std::to_string(ends[1]),
                                     "TUNER_ATTACK_LIVES=" + std::to_string(lives)};
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  std::string name = program.string();
  char* argv[] = {name.data(), nullptr};
  server_ = fork();
  require(server_ >= 0, "fork");
  if (server_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execve(name.c_str(), argv, envp.data());
    _exit(127);
  }
  close(ends[1]);
}

Door::~Door() {
  socket_.reset();  // at which it ends, where nothing is running
  if (running_ != -1) kill(server_, SIGKILL);
  waitpid(server_, nullptr, 0);
}

pid_t Door::start(const std::vector<std::string>& words, const std::filesystem::path& folder,
                  const UniqueFd* connection, const Interruption& interruption) {
  out_.reset(memfd_create("out", MFD_CLOEXEC));
  err_.reset(memfd_create("err", MFD_CLOEXEC));
  std::string packet = text_of(interruption) + '\0' + folder.string() + '\0' + program_.string() + '\0';
  for (const std::string& word : words) packet += word.c_str() + std::string(1, '\0');
  std::vector<int> fds{out_.get(), err_.get()};
  if (connection) fds.push_back(connection->get());
  require(send_with_descriptors(socket_.get(), packet, fds, 0), "a command line could not be sent");
  ++number_;
  running_ = answer();
  return running_;
}

int Door::answer() {
  Reply reply;
  while (reply.number < number_) {
    require(recv(socket_.get(), &reply, sizeof reply, 0) == sizeof reply,
            "the fork server of " + program_.string() + " is gone");
  }
  return reply.value;
}

bool Door::ends_within(std::chrono::milliseconds time) {
  pollfd entry{socket_.get(), POLLIN, 0};
  return poll(&entry, 1, static_cast<int>(time.count())) == 1;
}

void Door::limit_descriptors(std::size_t most) {
  rlimit limit{};
  require(prlimit(server_, RLIMIT_NOFILE, nullptr, &limit) == 0, "prlimit");
  limit.rlim_cur = most;
  require(prlimit(server_, RLIMIT_NOFILE, &limit, nullptr) == 0, "prlimit");
}

Ending Door::finish(std::chrono::seconds patience) {
  Ending ending;
  const auto begin = Clock::now();
  std::optional<double> first, before;  // the process may have worked for other command lines
  while (!ends_within(std::chrono::seconds(1))) {
    const auto passed = Clock::now() - begin;
    const Work work = work_of(running_);
    const bool stuck = !work.wants_more && work.seconds == before;
    if (!first) first = work.seconds;
    before = work.seconds;
    if (passed < patience ||
        (!stuck && work.seconds - *first < static_cast<double>(patience.count()) && passed < kNeverLonger))
      continue;
    ending.hung = true;
    kill(-running_, SIGKILL);
    kill(running_, SIGKILL);
    break;
  }
  const int status = answer();
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  ending.out = contents(out_.get());
  ending.err = contents(err_.get());
  running_ = -1;
  return ending;
}

}  // namespace tuner::attack
