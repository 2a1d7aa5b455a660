#pragma once

#include <cstddef>
#include <cstdint>

#include "tuner/host/shim/launch.hpp"

// Set whenever another thread is resumed.
extern tuner::host::Index3 threadIdx, blockIdx, blockDim, gridDim;

namespace tuner::host {

/// Runs `kernel(argument)` once for every thread of the grid, one block after the other, each thread on a stack of its
/// own. Throws Fault; the launch is then abandoned in the middle and nothing on the threads' stacks is unwound.
/// Everything runs on the calling thread; only one launch at a time in a process.
void launch(const Launch& launch, void (*kernel)(void*), void* argument);

template <typename Kernel>
void launch(const Launch& how, const Kernel& kernel) {
  launch(
      how, [](void* self) { (*static_cast<const Kernel*>(self))(); }, const_cast<Kernel*>(&kernel));
}

// What the kernel's text calls, through cuda_shim.hpp and tuner_device.cuh.

void block_barrier(Spot spot);
/// The same, and how many threads came with `vote` other than zero.
int block_barrier_count(int vote, Spot spot);
/// Waits for the lanes of `mask`, then copies lane `source_lane`'s `value` to `result` (both `size` bytes, at most 16).
/// A source outside the mask gives garbage, as on a GPU. Size 0 only waits.
void warp_exchange(unsigned mask, Spot spot, int source_lane, const void* value, void* result, std::size_t size);
/// Waits for the lanes of `mask`. Bit l of the result: lane l gave a number other than zero.
unsigned warp_ballot(unsigned mask, Spot spot, int vote);
/// Waits for the lanes of `mask` and gives each one the words of all of them, in lane order; zero for who is not there.
void warp_gather(unsigned mask, Spot spot, unsigned long long value, unsigned long long (&all)[32]);
/// The lanes of this warp that come here together: all that get here before each of the others waits or has finished.
unsigned active_lanes(Spot spot);
int lane();
void* dynamic_shared();
/// Of the launch that runs; 0 between launches.
std::size_t dynamic_shared_bytes();
/// Whether an asynchronous copy to there has not been waited for.
bool copy_under_way(const void* address);
/// How often a thread got to run since this process began, for whoever wants to know whether anything goes on.
std::uint64_t all_turns();
/// The 32-bit steps of a clock that counts the scheduler's turns.
long long turns();

/// Asynchronous copies of the current thread: the source is read when the copy starts, the destination is written when
/// its group is waited for. Until then nobody may touch it. What is never waited for never arrives. `source_bytes`
/// fewer than `size`: the rest becomes zero.
void copy_async(void* to, const void* from, int size, int source_bytes = -1);
void commit_copies();
void wait_prior(int groups);
/// Reads the line's first byte, so that a prefetch outside its buffer is found, and does nothing else.
void prefetch_l2(const void* address);

/// The kernel cannot go on: an assertion that failed, a trap. Ends the launch with a Fault.
[[noreturn]] void stop(const char* sentence, Spot spot);

}  // namespace tuner::host
