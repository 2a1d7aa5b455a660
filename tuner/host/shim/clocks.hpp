#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tuner::host {

/// What is known to have happened before what, among the threads of a block that runs and the blocks that ran before
/// it. Each thread counts its own steps; a thread knows of another's step when a barrier, a meeting of its warp, or a
/// fence with atomics has told it.
class Clocks {
 public:
  /// One access: who made it, and when.
  struct Moment {
    std::uint32_t block = 0;  ///< serial number, never used twice; 0: there was none
    std::uint32_t time = 0;   ///< fences so far
    std::uint32_t clock = 0;  ///< of the thread
    std::uint16_t thread = 0;
  };

  void begin_launch() {
    first_block_ = block_ + 1;
    released_.clear();
  }
  void begin_block(std::size_t threads);
  void resume(unsigned thread) { current_ = thread; }
  void barrier();
  void warp_met(unsigned warp, unsigned lanes);
  void fence();
  void atomic(const void* address);

  std::uint32_t block() const { return block_; }
  bool in_this_launch(const Moment& moment) const { return moment.block >= first_block_; }
  Moment now() const;
  /// Whether the current thread knows of it.
  bool knows(const Moment& moment) const;

 private:
  static constexpr unsigned kLanes = 32;
  struct Thread {
    std::uint32_t clock = 1;
    std::uint32_t of_warp[kLanes] = {};  ///< known clocks of the lanes of its warp
    std::vector<std::uint32_t> of_all;   ///< known clocks of all threads, beyond what barriers told; empty: nothing
    std::uint32_t fence_time = 0, fence_clock = 0;
  };
  /// What fences before atomics on one address have told.
  struct Released {
    std::uint32_t block = 0;  ///< whose threads these are
    std::vector<std::uint32_t> threads;
    std::unordered_map<std::uint32_t, std::uint32_t> blocks;  ///< block -> time
  };

  std::uint32_t known(const Thread& thread, unsigned number, unsigned other) const;
  void learn(Thread& thread, const std::vector<std::uint32_t>& clocks);

  std::uint32_t block_ = 0, first_block_ = 1, time_ = 1;
  unsigned current_ = 0;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> at_barrier_;                      ///< every thread's clock at the last barrier
  std::unordered_map<std::uint32_t, std::uint32_t> acquired_;  ///< by this block: block -> time
  std::unordered_map<const void*, Released> released_;
};

}  // namespace tuner::host
