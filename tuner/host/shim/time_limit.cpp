#include "tuner/host/shim/time_limit.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "tuner/host/shim/block.hpp"
#include "tuner/host/shim/thread.hpp"

extern "C" __attribute__((weak)) void __sanitizer_print_stack_trace();

namespace tuner::host {
namespace {

// Seconds; where it was interrupted may hold a lock that printing needs. On a busy machine reading the symbols takes
// long.
constexpr unsigned kMostToPrint = 20;

// Of the case that runs: how often half of its time was over, and how far it was then.
unsigned halves = 0;
std::uint64_t turns_at_half = 0;

/// Where a thread waits for others, as a line of a stack.
bool print_wait() {
  for (unsigned number = 0; const Thread* thread = thread_of_block(number); ++number) {
    if (thread->state == Thread::State::finished || thread->spot.file == nullptr) continue;
    dprintf(STDERR_FILENO, "#0 in %s:%d\n", thread->spot.file, thread->spot.line);
    return true;
  }
  return false;
}

/// Says where the kernel is that does not end.
void on_alarm(int number) {
  if (number == SIGPROF && halves++ == 0) {
    turns_at_half = all_turns();
    return;
  }
  if (halves == 0) {
    dprintf(STDERR_FILENO, "other programs left it hardly any time of a core\n");
    _exit(kLacking);
  }
  // Whether it did anything but wait: since the first half its threads took turns, or blocks followed each other.
  const bool is_at_work = all_turns() != turns_at_half;
  signal(SIGALRM, SIG_DFL);
  alarm(kMostToPrint);
  if (!(is_at_work && print_wait()) && __sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
  _exit(is_at_work ? kBusy : kLate);
}

}  // namespace

void watch_time() {
  signal(SIGALRM, on_alarm);
  signal(SIGPROF, on_alarm);
}

void limit_time(unsigned seconds) {
  constexpr unsigned kMicroseconds = 1000000;
  halves = 0;
  itimerval half{};
  half.it_value.tv_sec = static_cast<time_t>(seconds / 2);
  half.it_value.tv_usec = static_cast<suseconds_t>(seconds % 2 * (kMicroseconds / 2));
  half.it_interval = half.it_value;
  setitimer(ITIMER_PROF, &half, nullptr);
  alarm(10 * seconds);
}

}  // namespace tuner::host
