#pragma once

// Included before a kernel's text (-include) to compile it as C++ for the CPU: CUDA's keywords, built-in variables and
// the calls in which threads meet. What it does not declare does not compile, which is the right answer for a kernel
// that uses it. The rest of the machine is in block.hpp.

#define TUNER_HOST_EMULATION 1

#include <cmath>
#include <cstring>

#include "tests/kernel_sources/host_shim/block.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static

// Set whenever another thread is resumed.
extern tuner::host::Index3 threadIdx, blockIdx, blockDim, gridDim;

using std::exp;

inline void __syncthreads(int line = __builtin_LINE()) {
  tuner::host::block_barrier(line);
}

inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  tuner::host::warp_exchange(mask, line, 0, nullptr, nullptr, 0);
}

namespace tuner::host {

/// `extern __shared__ T name[];` is translated to `DynamicShared<T> name;`: C++ has no spelling for that declaration.
template <typename T>
struct DynamicShared {
  operator T*() const { return static_cast<T*>(dynamic_shared()); }
};

template <typename T>
T shuffle(unsigned mask, T value, int source, int line) {
  T result;
  warp_exchange(mask, line, source, &value, &result, sizeof(T));
  return result;
}

/// `source` if it lies in the segment of `width` lanes around the current one, else the current lane.
inline int within_segment(int source, int width) {
  return source >= 0 && source / width == lane() / width ? source : lane();
}

}  // namespace tuner::host

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, int line = __builtin_LINE()) {
  return tuner::host::shuffle(mask, value, tuner::host::lane() / width * width + source % width, line);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  using namespace tuner::host;
  return shuffle(mask, value, within_segment(lane() - static_cast<int>(delta), width), line);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  using namespace tuner::host;
  return shuffle(mask, value, within_segment(lane() + static_cast<int>(delta), width), line);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, int line = __builtin_LINE()) {
  using namespace tuner::host;
  return shuffle(mask, value, within_segment(lane() ^ lanes, width), line);
}
