#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tuner/process/spawn.hpp"

namespace tuner::engine {

/// One process that holds the GPU, from its start on.
struct DeviceWorker {
  ChildProcess process;
  std::chrono::steady_clock::time_point start_deadline;
  bool greeted = false;      ///< it said what its device is
  bool has_context = false;  ///< and that its context exists
};

/// The processes of one GPU: the one that works, those that stand by with a context and nothing else, and those that
/// were killed and are not gone yet, which takes a driver a tenth of a second and is waited for only where it matters.
class DeviceWorkers {
 public:
  using Clock = std::chrono::steady_clock;

  DeviceWorkers(SpawnOptions program, std::chrono::milliseconds start_limit, bool fixed_addresses = false)
      : program_(std::move(program)), start_limit_(start_limit), fixed_addresses_(fixed_addresses) {}
  /// Kills all, then waits for their ends.
  ~DeviceWorkers();
  DeviceWorkers(const DeviceWorkers&) = delete;
  DeviceWorkers& operator=(const DeviceWorkers&) = delete;

  /// The one that works; null after `retire`.
  DeviceWorker* active() { return active_ ? &*active_ : nullptr; }
  const DeviceWorker* active() const { return active_ ? &*active_ : nullptr; }

  /// Kills the one that works. `computing`: the GPU may be busy with its kernel until it is gone.
  void retire(bool computing = false) noexcept;
  /// Puts the spare that is furthest on in its place, or starts a process where there is none. True if the spare was
  /// ready. Throws Error{no_worker}.
  bool take_over();
  /// How the one that was retired last ended, with its last words: a sentence. Waits for its end, a second at most.
  std::string exit_description();

  /// Starts spares until there are so many; how many were started. What cannot be started counts as lost.
  int start_spares(int wanted);
  /// Hears what spares say, drops those that ended or said nothing in time, and forgets who is gone; how many spares
  /// were lost.
  int tend();
  void dismiss_spares() noexcept;
  /// Those that are still starting, which would disturb a race.
  void dismiss_unready_spares();

  /// Whether the GPU may still be busy with the kernel of one that was killed. Not for ever: one that outlives its kill
  /// by more than its patience is no longer reckoned with.
  bool any_computing() const;
  bool any_leaving() const { return !leaving_.empty(); }
  bool any_spares() const { return !spares_.empty(); }
  int spares_ready() const;
  /// Until all that were killed are gone; each is waited for once, and no longer than its patience.
  void wait_for_leaving() noexcept;

  /// All processes of this GPU that may still be alive.
  std::vector<pid_t> pids() const;
  /// What becomes readable when the active one or a spare has something to say, or one that computes is gone. One whose
  /// channel is closed has none, and makes the next deadline now.
  std::vector<int> wait_fds() const;
  /// Of workers that start, and of patience.
  Clock::time_point next_deadline() const;

 private:
  struct Leaving {
    ChildProcess process;
    bool computing = false;
    Clock::time_point patience_ends{};
    bool waited_for = false;
  };

  DeviceWorker spawn() const;
  void dismiss(ChildProcess process, bool computing = false) noexcept;
  bool hear(DeviceWorker& spare);
  void drop_useless();

  SpawnOptions program_;
  std::chrono::milliseconds start_limit_;
  bool fixed_addresses_;
  std::optional<DeviceWorker> active_;
  std::vector<DeviceWorker> spares_;
  std::vector<Leaving> leaving_;
  pid_t retired_ = -1;
  int lost_ = 0;  ///< spares, since the last tend
};

}  // namespace tuner::engine
