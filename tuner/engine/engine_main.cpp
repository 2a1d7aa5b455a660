// tuner-engine: compiles and tunes for a program that uses the library, and ends with it.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "tuner/core/base/printable.hpp"
#include "tuner/engine/service/service.hpp"
#include "tuner/process/spawn.hpp"

namespace {

std::atomic<bool> stop{false};
int program_fd = -1;

/// A session notices `stop` at once, stores what it has and ends. Should it hang, this process is killed, and what
/// works for it goes with it.
void end_soon() {
  constexpr unsigned kSeconds = 1;
  stop = true;
  alarm(kSeconds);
}

/// Something arrived, or the program is gone. Only calls that a signal handler may make.
void look_at_program(int) {
  const int before = errno;
  pollfd entry{program_fd, POLLRDHUP, 0};
  if (poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0) end_soon();
  errno = before;
}

void program_ended(int) {
  end_soon();
}

void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

/// The engine works in one thread and may be far from reading its socket when that is closed: so it asks for a signal.
/// And the socket may live on in what the program forked: so it asks for another when the program's thread ends.
void end_with(int fd) {
  program_fd = fd;
  handle(SIGIO, look_at_program);
  handle(SIGTERM, program_ended);
  fcntl(fd, F_SETOWN, getpid());
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  look_at_program(SIGIO);  // perhaps it is gone already
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // writing fails, and what fails says so
  int status = 1;
  try {
    tuner::Channel program = tuner::worker_channel();
    end_with(program.fd());
    status = tuner::engine::serve(argc > 1 ? argv[1] : "", std::move(program), stop);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", tuner::printable(error.what()).c_str());
  }
  std::fflush(nullptr);
  _exit(status);
}
