// Preloaded into a program: the system's clock says a time 300 years from now.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr time_t kAhead = time_t{300} * 365 * 24 * 3600;

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_REALTIME) now->tv_sec += kAhead;
  return result;
}

extern "C" time_t time(time_t* to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != nullptr) *to = now.tv_sec;
  return now.tv_sec;
}
