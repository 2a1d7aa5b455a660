#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace tuner::host {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

/// In which order the threads of a block get to run between two barriers. A result that depends on it is a race.
enum class Schedule {
  forward,   ///< by thread number
  reverse,   ///< from the last thread down
  shuffled,  ///< in an order drawn anew after every round, from the seed
};

struct Launch {
  Index3 grid{1, 1, 1};
  Index3 block{1, 1, 1};
  std::size_t shared_bytes =
      0;  ///< dynamic shared memory: a heap block of exactly this size, filled with 0xff for every block
  Schedule schedule = Schedule::forward;
  std::uint64_t seed = 1;
};

/// What a kernel did that a GPU answers with a hang or with undefined results: threads of one block that wait at
/// different barriers, at a barrier that a finished thread will never reach, at a shuffle whose lanes do not all come;
/// a misaligned asynchronous copy. The sentence names the threads, where each waits, and the block.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `kernel` once for every thread of the grid, one block after the other, each thread on a stack of its own.
/// Throws Fault; the launch is then abandoned in the middle and nothing on the threads' stacks is unwound. Everything
/// runs on the calling thread; only one launch at a time in a process.
void launch(const Launch& launch, const std::function<void()>& kernel);

// What the kernel's text calls, through cuda_shim.hpp and tuner_device.cuh.

void block_barrier(int line);
/// Waits for the lanes of `mask`, then copies lane `source_lane`'s `value` to `result` (both `size` bytes, at most 16).
/// A source outside the mask gives garbage, as on a GPU. Size 0 only waits.
void warp_exchange(unsigned mask, int line, int source_lane, const void* value, void* result, std::size_t size);
int lane();
void* dynamic_shared();

/// Asynchronous copies of the current thread: the source is read when the copy starts, the destination is written when
/// its group is waited for. What is never waited for never arrives.
void copy_async(void* to, const void* from, int size);
void commit_copies();
void wait_prior(int groups);
/// Reads the line's first byte, so that a prefetch outside its buffer is found, and does nothing else.
void prefetch_l2(const void* address);

}  // namespace tuner::host
