#pragma once

#include <cub/block/block_reduce.cuh>

#include "types.cuh"

template <int THREADS>
__device__ real block_sum(real value) {
  using Reduce = cub::BlockReduce<real, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Sum(value);
}
