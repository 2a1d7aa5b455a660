#pragma once

namespace tuner::host {

/// The exit status of a process whose kernel is out of time: nothing went on any more, and standard error says where
/// it is; or threads took turns, or blocks followed each other, in the second half of the time.
inline constexpr int kLate = 67;
inline constexpr int kBusy = 69;

/// Once in a process, before limit_time.
void watch_time();
/// Seconds of a core, because others may use the machine, too; and ten times as many by the clock. 0: no more limit.
void limit_time(unsigned seconds);

}  // namespace tuner::host
