// The sum of a block's values, for each of its threads, in the order that the parameter ORDER names, else by a tree.
#pragma once

template <typename T>
__device__ T block_sum(T value) {
  __shared__ T part[BLOCK];
  const int thread = threadIdx.x;
#if !defined ORDER || ORDER == ORDER_tree
  part[thread] = value;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) part[thread] += part[thread + half];
  }
  __syncthreads();
  value = part[0];
#elif ORDER == ORDER_lanes
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (thread % 32 == 0) part[thread / 32] = value;
  __syncthreads();
  value = part[0];
  for (int warp = 1; warp < BLOCK / 32; ++warp) value += part[warp];
#elif ORDER == ORDER_sequence
  part[thread] = value;
  __syncthreads();
  if (thread == 0) {
    for (int other = 1; other < BLOCK; ++other) part[0] += part[other];
  }
  __syncthreads();
  value = part[0];
#else  // ORDER_atomics
  if (thread == 0) part[0] = T(0.f);
  __syncthreads();
  atomicAdd(part, value);
  __syncthreads();
  value = part[0];
#endif
  __syncthreads();  // before the next call writes
  return value;
}
