// The sum of a block's values up to each thread's own, in the order that the parameter SCAN names. `total` is that of
// all.
#pragma once

template <typename T>
__device__ T block_scan(T value, T& total) {
  __shared__ T part[BLOCK];
  const int thread = threadIdx.x;
#if SCAN == SCAN_sweep
  part[thread] = value;
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    __syncthreads();
    const T before = thread >= distance ? part[thread - distance] : T(0.f);
    __syncthreads();
    part[thread] += before;
  }
  __syncthreads();
  value = part[thread];
  total = part[BLOCK - 1];
#elif SCAN == SCAN_lanes
  for (int distance = 1; distance < 32; distance *= 2) {
    const T before = __shfl_up_sync(~0u, value, distance);
    if (thread % 32 >= distance) value += before;
  }
  if (thread % 32 == 31) part[thread / 32] = value;
  __syncthreads();
  T before = T(0.f);
  total = T(0.f);
  for (int warp = 0; warp < BLOCK / 32; ++warp) {
    if (warp == thread / 32) before = total;
    total += part[warp];
  }
  value += before;
#else  // SCAN_sequence
  part[thread] = value;
  __syncthreads();
  if (thread == 0) {
    for (int other = 1; other < BLOCK; ++other) part[other] += part[other - 1];
  }
  __syncthreads();
  value = part[thread];
  total = part[BLOCK - 1];
#endif
  __syncthreads();  // before the next call writes
  return value;
}
