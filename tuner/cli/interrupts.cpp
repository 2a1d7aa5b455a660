#include "tuner/cli/interrupts.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "tuner/cli/exit_code.hpp"

namespace tuner::cli {

namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler may only touch lock-free atomics");

extern "C" void on_signal(int) {
  if (interrupted.exchange(true)) _exit(static_cast<int>(ExitCode::interrupted));
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: a waiting session must wake up
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = false;
  handle(on_signal);
}

Interrupts::~Interrupts() {
  handle(SIG_DFL);
}

const std::atomic<bool>& Interrupts::flag() const {
  return interrupted;
}

}  // namespace tuner::cli
