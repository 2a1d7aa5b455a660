#pragma once

namespace tuner::host {

/// The exit status of a process that lacks something, as standard error says; of one whose kernel is out of time, with
/// nothing that went on any more; and of one where threads took turns, or blocks followed each other, in the second
/// half of the time. Standard error says where they are.
inline constexpr int kLacking = 68;
inline constexpr int kLate = 67;
inline constexpr int kBusy = 69;

/// Once in a process, before limit_time.
void watch_time();
/// Seconds of a core, because others may use the machine, too; and ten times as many by the clock. 0: no more limit.
void limit_time(unsigned seconds);

}  // namespace tuner::host
