#pragma once

#include <atomic>

namespace tuner::cli {

/// From here on Ctrl-C, SIGTERM and SIGHUP end the program at once, with 130, whatever it is at: counting a space,
/// looking through a database, waiting for a lock. Files that were not complete are removed; what a database was being
/// told is undone when it is opened the next time. Where SIGHUP is ignored, as under nohup, it stays so.
void end_at_signals();

/// Sets a flag while it lives.
class FlagGuard {
 public:
  FlagGuard(std::atomic<bool>& flag, bool value) : flag_(flag), before_(flag.exchange(value)) {}
  ~FlagGuard() { flag_ = before_; }
  FlagGuard(const FlagGuard&) = delete;
  FlagGuard& operator=(const FlagGuard&) = delete;

 private:
  std::atomic<bool>& flag_;
  const bool before_;
};

/// While it lives, the first of these signals sets a flag that the session looks at, so that it ends by itself and
/// keeps what was measured; the second one ends the program at once. One at a time.
class Interrupts : FlagGuard {
 public:
  Interrupts();
  const std::atomic<bool>& flag() const;
};

/// Within the life of an Interrupts: work of which nothing is lost, and which looks at no flag. While it lives, the
/// first signal ends the program, also one that came before; where there is something to end, it goes on for ten
/// seconds at most.
struct NothingToKeep : private FlagGuard {
  NothingToKeep();
  ~NothingToKeep();
  NothingToKeep(const NothingToKeep&) = delete;
  NothingToKeep& operator=(const NothingToKeep&) = delete;
};

/// Within the life of an Interrupts: processes and files that would be left behind if the program ended at once. While
/// it lives, the second signal leaves it ten seconds for them.
struct SomethingToEnd : private FlagGuard {
  SomethingToEnd();
};

/// Whether a progress line stands on standard error, to be removed when the program ends at once.
void note_progress_line(bool drawn) noexcept;

}  // namespace tuner::cli
