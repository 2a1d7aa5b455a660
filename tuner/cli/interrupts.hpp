#pragma once

#include <atomic>

namespace tuner::cli {

/// While it lives, the first Ctrl-C (or SIGTERM, SIGHUP) sets a flag that the session looks at, so that it ends by
/// itself and keeps what was measured; the second one ends the program at once. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>& flag() const;
};

}  // namespace tuner::cli
