// Kernels whose configurations round differently, and are right; with WRONG they make a mistake that is larger than that.
#include <cuda_fp16.h>
#include <mma.h>

#pragma tuner kernel(row_dot<float>)
#pragma tuner problem(rows: size = 512, columns: size = 65536) problem_constraint(1 <= rows && 1 <= columns)
#pragma tuner param(BLOCK, 32, 128, 1024; default 32) param(UNROLL, 1, 4; default 1) param(WRONG, 0, 1; default 0)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(a, float, rows * columns, normal(0, 1)) in(b, float, rows * columns, normal(0, 1)) out(sums, float, rows)
#pragma tuner scalar(columns, int32)

#pragma tuner kernel(row_dot<__half>)
#pragma tuner problem(rows: size = 512, columns: size = 65536) problem_constraint(1 <= rows && 1 <= columns)
#pragma tuner param(BLOCK, 32, 128, 1024; default 32) param(UNROLL, 1, 4; default 1) param(WRONG, 0, 1; default 0)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(a, half, rows * columns, normal(0, 1)) in(b, half, rows * columns, normal(0, 1)) out(sums, float, rows)
#pragma tuner scalar(columns, int32)

#pragma tuner kernel(variance)
#pragma tuner problem(rows: size = 512, columns: size = 16384) problem_constraint(1 <= rows && 1 <= columns)
#pragma tuner param(BLOCK, 32, 128, 1024; default 32) param(WRONG, 0, 1; default 0)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(values, float, rows * columns, normal(20, 1)) out(variances, float, rows) scalar(columns, int32)

#pragma tuner kernel(prefix_sums)
#pragma tuner problem(rows: size = 256, columns: size = 16384) problem_constraint(1 <= rows && 1 <= columns)
#pragma tuner param(BLOCK, 32, 128, 1024; default 1024) param(WRONG, 0, 1; default 0)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(values, half, rows * columns, normal(0, 1)) out(sums, float, rows * columns) scalar(columns, int32)

#pragma tuner kernel(chaotic_lattice)
#pragma tuner problem(n: size = 262144) problem_constraint(1 <= n && n % 1024 == 0)
#pragma tuner param(FACTORED, false, true; default false) param(WRONG, 0, 1; default 0)
#pragma tuner grid(n / 1024) block(1024)
#pragma tuner in(start, float, n, uniform(0.1, 0.9)) out(end, float, n)

#pragma tuner kernel(matrix_product)
#pragma tuner problem(n: size = 512, depth: size = 4096)
#pragma tuner problem_constraint(16 <= n && n % 16 == 0 && 256 <= depth && depth % 256 == 0)
#pragma tuner param(PARTS, 1, 2, 4; default 1) param(WRONG, 0, 1; default 0)
#pragma tuner grid(n / 16, n / 16) block(32)
#pragma tuner in(a, half, n * depth, normal(0, 1)) in(b, half, n * depth, normal(0, 1)) out(product, float, n * n)
#pragma tuner scalar(n, int32) scalar(depth, int32)

// Of what is not exact an index is computed, which another rounding leads outside.
#pragma tuner kernel(thirds)
#pragma tuner problem(n: size = 100000) problem_constraint(1 <= n)
#pragma tuner param(BLOCK, 64, 256; default 64) param(WRONG, 0, 1; default 0)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(values, float, n, normal(0, 1)) out(copied, float, n) scalar(n, int32)

#pragma tuner kernel(keep_positive)
#pragma tuner problem(n: size = 1000000) problem_constraint(1 <= n)
#pragma tuner param(BLOCK, 64, 256; default 64) param(WRONG, 0, 1, 2, 3; default 0)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(values, float, n, normal(0, 1)) out(kept, float, n, unordered by count) inout(count, int32, 1, constant(0))
#pragma tuner scalar(n, int32)

#ifndef BLOCK
#define BLOCK 32
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef WRONG
#define WRONG 0
#endif
#ifndef FACTORED
#define FACTORED 0
#endif
#ifndef PARTS
#define PARTS 1
#endif

__device__ float as_float(float value) { return value; }
__device__ float as_float(__half value) { return __half2float(value); }

__device__ float block_sum(float value) {
  __shared__ float part[BLOCK];
  __syncthreads();
  part[threadIdx.x] = value;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  return part[0];
}

template <typename Element>
__global__ void row_dot(const Element* a, const Element* b, float* sums, int columns) {
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  float sum[UNROLL] = {};
  int turn = 0;
  for (int i = threadIdx.x; i < columns; i += BLOCK, ++turn) {
    if (WRONG && i == 777 % columns) continue;  // one term is missing
    sum[turn % UNROLL] += as_float(a[first + i]) * as_float(b[first + i]);
  }
  for (int i = 1; i < UNROLL; ++i) sum[0] += sum[i];
  const float all = block_sum(sum[0]);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

// What is lost where two large numbers are subtracted depends on how they were summed.
__global__ void variance(const float* values, float* variances, int columns) {
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns - WRONG; i += BLOCK) {
    const float value = values[first + i];
    sum += value;
    squares += value * value;
  }
  const float mean = block_sum(sum) / columns, mean_square = block_sum(squares) / columns;
  if (threadIdx.x == 0) variances[blockIdx.x] = mean_square - mean * mean;
}

// Many of these sums are exact by chance.
__global__ void prefix_sums(const __half* values, float* sums, int columns) {
  __shared__ float before[BLOCK + 1];
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  const int items = (columns + BLOCK - 1) / BLOCK;
  const int begin = min(columns, static_cast<int>(threadIdx.x) * items), end = min(columns, begin + items);
  float sum = 0;
  for (int i = begin; i < end; ++i) sum += __half2float(values[first + i]);
  before[threadIdx.x + 1] = sum;
  if (threadIdx.x == 0) before[0] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k <= BLOCK; ++k) before[k] += before[k - 1] - (WRONG && k == 9 ? __half2float(values[first]) : 0);
  }
  __syncthreads();
  sum = before[threadIdx.x];
  for (int i = begin; i < end; ++i) {
    sum += __half2float(values[first + i]);
    sums[first + i] = sum;
  }
}

__global__ void chaotic_lattice(const float* start, float* end) {
  __shared__ float cells[2][1024];
  const long long first = 1024ll * blockIdx.x;
  const int i = threadIdx.x;
  cells[0][i] = start[first + i];
  __syncthreads();
  for (int step = 0; step < 40; ++step) {
    const float left = cells[step % 2][(i + 1023) % 1024], here = cells[step % 2][i];
    const float right = cells[step % 2][WRONG && i == 1023 ? 1023 : (i + 1) % 1024];  // the edge is wrong
#if FACTORED
    const float mean = here + 0.25f * ((left - here) + (right - here));
    cells[1 - step % 2][i] = 3.6f * (mean - mean * mean);
#else
    const float mean = 0.25f * (left + right) + 0.5f * here;
    cells[1 - step % 2][i] = 3.6f * mean * (1 - mean);
#endif
    __syncthreads();
  }
  end[first + i] = cells[0][i];
}

__global__ void matrix_product(const __half* a, const __half* b, float* product, int n, int depth) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sums[PARTS];
  for (int part = 0; part < PARTS; ++part) fill_fragment(sums[part], 0.0f);
  for (int k = 0; k < depth; k += 16) {
    if (WRONG && k == 160) continue;
    load_matrix_sync(left, a + static_cast<long long>(blockIdx.y) * 16 * depth + k, depth);
    load_matrix_sync(right, b + static_cast<long long>(blockIdx.x) * 16 * depth + k, depth);
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      if (k / 16 % PARTS == part) mma_sync(sums[part], left, right, sums[part]);
    }
  }
  for (int part = 1; part < PARTS; ++part) {
    for (int i = 0; i < sums[0].num_elements; ++i) sums[0].x[i] += sums[part].x[i];
  }
  store_matrix_sync(product + static_cast<long long>(blockIdx.y) * 16 * n + blockIdx.x * 16, sums[0], n, mem_row_major);
}

__global__ void thirds(const float* values, float* copied, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) copied[i] = values[static_cast<int>((i + 1) / 3.0f * 3.0f) - 1] + (WRONG ? 1e-3f : 0);
}

__global__ void keep_positive(const float* values, float* kept, int* count, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n || !(values[i] > 0)) return;
  const int at = atomicAdd(count, 1);
  if (WRONG == 3 && at == 9) return;  // one is lost
  kept[at] = WRONG == 1 && at % 100000 == 0 ? 0 : WRONG == 2 && at == 9 ? kept[8] : values[i];  // zeros; one twice
}
