// Softmax of every row: exp(x - the row's largest), divided by their sum. A block takes one row.
#pragma tuner kernel(softmax)
#pragma tuner problem(rows: size, columns: size)
#pragma tuner problem_constraint(1 <= rows <= 2147483647) problem_constraint(1 <= columns <= 1000000)
#pragma tuner param(BLOCK, 32, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(UNROLL, 1, 2, 4, 8)
#pragma tuner param(EXPONENTIALS, twice, kept; default twice)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(scores, float, rows * columns, normal(0, 3)) out(shares, float, rows * columns)
#pragma tuner scalar(columns, int32)
#pragma tuner work(bytes = 8 * rows * columns)

#ifndef BLOCK
#define BLOCK 128
#define UNROLL 1
#define EXPONENTIALS_twice 0
#define EXPONENTIALS_kept 1
#define EXPONENTIALS EXPONENTIALS_twice
#endif

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The same result in every thread of the block.
template <class Join>
__device__ float over_block(float value, Join join) {
  __shared__ float of_warp[32];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value = join(value, __shfl_xor_sync(0xffffffffu, value, distance));
  __syncthreads();  // nobody reads the last result any more
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[0];
  for (int warp = 1; warp < BLOCK / 32; ++warp) value = join(value, of_warp[warp]);
  return value;
}

extern "C" __global__ void softmax(const float* scores, float* shares, int columns) {
  constexpr int unroll = UNROLL;
  const float* in = scores + static_cast<long long>(blockIdx.x) * columns;
  float* out = shares + static_cast<long long>(blockIdx.x) * columns;

  float largest = in[0];
#pragma unroll unroll
  for (int i = threadIdx.x; i < columns; i += BLOCK) largest = fmaxf(largest, in[i]);
  largest = over_block(largest, Largest());

  float sum = 0;
#pragma unroll unroll
  for (int i = threadIdx.x; i < columns; i += BLOCK) {
    const float share = __expf(in[i] - largest);
#if EXPONENTIALS == EXPONENTIALS_kept
    out[i] = share;
#endif
    sum += share;
  }
  const float scale = 1 / over_block(sum, Sum());

#pragma unroll unroll
  for (int i = threadIdx.x; i < columns; i += BLOCK) {
#if EXPONENTIALS == EXPONENTIALS_kept
    out[i] *= scale;
#else
    out[i] = __expf(in[i] - largest) * scale;
#endif
  }
}
