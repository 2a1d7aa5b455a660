#include "tuner/host/shim/time_limit.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>

#include "tuner/host/shim/block.hpp"

extern "C" __attribute__((weak)) void __sanitizer_print_stack_trace();

namespace tuner::host {
namespace {

// Of the case that runs: how often half of its time was over, and how far it was then.
unsigned halves = 0;
std::uint64_t turns_at_half = 0;

/// Whether a kernel that is out of time does anything but wait: since the first half its threads took turns, or blocks
/// followed each other.
bool is_at_work() {
  return halves > 0 && all_turns() != turns_at_half;
}

/// Says where the kernel is that does not end.
void on_alarm(int number) {
  if (number == SIGPROF && halves++ == 0) {
    turns_at_half = all_turns();
    return;
  }
  if (is_at_work()) _exit(kBusy);
  signal(SIGALRM, SIG_DFL);
  if (__sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
  _exit(kLate);
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
