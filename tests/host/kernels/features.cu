// What kernels are made of, right in every respect: it must run on the CPU and have no findings.
#include <cuda_fp16.h>

// What stands around kernels may mention types of the runtime.
struct Work {
  cudaStream_t stream;
  cudaEvent_t done;
  cudaError_t status;
};

// A template with a type and dynamic shared memory of another type.
#pragma tuner kernel(sum_rows<BLOCKDIMX, TYPE>)
#pragma tuner problem(rows: size, columns: size, TYPE: constant = float)
#pragma tuner problem_constraint(1 <= rows <= 1000) problem_constraint(0 <= columns <= 10000)
#pragma tuner param(BLOCKDIMX, 32, 96; argument)
#pragma tuner grid(rows) block(BLOCKDIMX) shared(sizeof(TYPE) * BLOCKDIMX)
#pragma tuner in(x, TYPE, rows * columns) out(sums, TYPE, rows) scalar(columns, int32)
#ifndef TYPE
#define TYPE float
#endif
template <int BlockDimX, typename T>
__global__ void __launch_bounds__(BlockDimX) sum_rows(const T* __restrict__ x, T* sums, int columns) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* partial = reinterpret_cast<T*>(raw);
  T sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[static_cast<size_t>(blockIdx.x) * columns + i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half_of = BlockDimX; half_of > 1;) {
    const int rest = (half_of + 1) / 2;
    if (threadIdx.x + rest < half_of) partial[threadIdx.x] += partial[threadIdx.x + rest];
    __syncthreads();
    half_of = rest;
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// Atomics in shared and in global memory.
#pragma tuner kernel(histogram)
#pragma tuner problem(n: size) problem_constraint(0 <= n <= 1000000)
#pragma tuner param(PRIVATE, 0, 1; default 0)
#pragma tuner grid(8) block(128)
#pragma tuner in(values, uint8, n, index(256)) inout(bins, uint32, 256, constant(0)) scalar(n, int32)
#ifndef PRIVATE
#define PRIVATE 0
#endif
extern "C" __global__ void histogram(const unsigned char* values, unsigned* bins, int n) {
#if PRIVATE
  __shared__ unsigned own[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
  __syncthreads();
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#if PRIVATE
    atomicAdd(&own[values[i]], 1);
#else
    atomicAdd(&bins[values[i]], 1);
#endif
  }
#if PRIVATE
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (own[i] != 0) atomicAdd(&bins[i], own[i]);
  }
#endif
}

// Two dimensions, half precision, vector types, weights in constant memory, votes.
#pragma tuner kernel(smooth)
#pragma tuner problem(width: size, height: size) problem_constraint(1 <= width <= 4096) problem_constraint(1 <= height <= 4096)
#pragma tuner param(BLOCKDIMX, 16, 32; default 16) param(BLOCKDIMY, 2, 4; default 2)
#pragma tuner grid(ceil_div(width, BLOCKDIMX), ceil_div(height, BLOCKDIMY)) block(BLOCKDIMX, BLOCKDIMY)
#pragma tuner in(image, half2, width * height) constant(weights, float, 9, uniform(0, 1)) out(smoothed, float2, width * height)
#pragma tuner inout(inside, int32, 1, constant(0), atol 1e9) scalar(width, int32) scalar(height, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 16
#endif
#ifndef BLOCKDIMY
#define BLOCKDIMY 2
#endif
__constant__ float weights[9];
extern "C" __global__ void smooth(const __half2* image, float2* smoothed, int* inside, int width, int height) {
  __shared__ float2 tile[BLOCKDIMY + 2][BLOCKDIMX + 2];
  const dim3 origin(blockIdx.x * blockDim.x, blockIdx.y * blockDim.y);
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < (BLOCKDIMX + 2) * (BLOCKDIMY + 2); i += blockDim.x * blockDim.y) {
    const int x = min(max(static_cast<int>(origin.x) + i % (BLOCKDIMX + 2) - 1, 0), width - 1);
    const int y = min(max(static_cast<int>(origin.y) + i / (BLOCKDIMX + 2) - 1, 0), height - 1);
    tile[i / (BLOCKDIMX + 2)][i % (BLOCKDIMX + 2)] = __half22float2(image[y * width + x]);
  }
  const int x = origin.x + threadIdx.x, y = origin.y + threadIdx.y;
  const int count = __syncthreads_count(x < width && y < height);
  assert(count > 0);
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicMax(inside, count);
  if (x >= width || y >= height) return;
  float2 sum = make_float2(0, 0);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float2 value = tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
    sum.x = fmaf(weights[k], value.x, sum.x);
    sum.y = __fmaf_rn(weights[k], value.y, sum.y);
  }
  __stcs(&smoothed[y * width + x], sum);
}
