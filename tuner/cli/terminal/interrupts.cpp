#include "tuner/cli/terminal/interrupts.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "cache/file/unfinished_file.hpp"
#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted{false};
std::atomic<bool> has_something_to_keep{false};
std::atomic<bool> has_something_to_end{false};
std::atomic<bool> progress_line_drawn{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler may only touch lock-free atomics");

// Only calls that a signal handler may make.
[[noreturn]] void end_at_once() {
  cache::remove_unfinished_files();
  constexpr std::array<char, 4> kErase{'\r', '\x1b', '[', 'K'};
  if (progress_line_drawn) {
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kErase.data(), kErase.size());
  }
  _exit(static_cast<int>(ExitCode::interrupted));
}

constexpr unsigned kSecondsToEnd = 10;

extern "C" void on_signal(int signal) {
  const bool is_first = !interrupted.exchange(true);
  if (is_first && has_something_to_keep) return;
  if (signal == SIGALRM || !has_something_to_end) end_at_once();
  // Not later for a third one.
  if (const unsigned left = alarm(kSecondsToEnd); left > 0) alarm(left);
}

}  // namespace

void end_at_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: a waiting session must wake up
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (signal != SIGHUP || before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  sigaction(SIGALRM, &action, nullptr);
}

Interrupts::Interrupts() : FlagGuard(has_something_to_keep, true) {}

const std::atomic<bool>& Interrupts::flag() const {
  return interrupted;
}

NothingToKeep::NothingToKeep() : FlagGuard(has_something_to_keep, false) {
  if (interrupted && !has_something_to_end) end_at_once();
}

// Whoever has something to end looks at the flag from here on.
NothingToKeep::~NothingToKeep() {
  if (interrupted && has_something_to_end) alarm(0);
}

SomethingToEnd::SomethingToEnd() : FlagGuard(has_something_to_end, true) {}

void note_progress_line(bool drawn) noexcept {
  progress_line_drawn = drawn;
}

}  // namespace tuner::cli
