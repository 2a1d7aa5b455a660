// What a GPU can reach at most: bytes read, bytes copied, bytes read from its L2 cache, multiply-adds. Tuned like any other
// kernel, so that the rate is that of the best launch; every configuration does the same work.

#pragma tuner kernel(roofline_read)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCKDIMX, 256, 512, 1024; default 512)
#pragma tuner param(BLOCKS_PER_SM, 1, 2, 4, 8; default 2)
#pragma tuner param(LOADS, 4, 8; default 4)
#pragma tuner constraint(512 <= BLOCKDIMX * BLOCKS_PER_SM <= max_threads_per_sm)
#pragma tuner grid(BLOCKS_PER_SM * sm_count) block(BLOCKDIMX)
#pragma tuner in(values, uint4, n, index(1000)) inout(total, uint32, 1, constant(0)) scalar(n, int64)
#pragma tuner work(bytes = 16 * n)

#pragma tuner kernel(roofline_copy)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCKDIMX, 256, 512, 1024; default 512)
#pragma tuner param(BLOCKS_PER_SM, 1, 2, 4, 8; default 2)
#pragma tuner param(LOADS, 4, 8; default 4)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner constraint(512 <= BLOCKDIMX * BLOCKS_PER_SM <= max_threads_per_sm)
#pragma tuner grid(BLOCKS_PER_SM * sm_count) block(BLOCKDIMX)
#pragma tuner in(values, uint4, n, index(1000)) out(copied, uint4, n) scalar(n, int64)
#pragma tuner work(bytes = 32 * n)

// What the L2 cache holds, read again and again, past the caches of the multiprocessors.
#pragma tuner kernel(roofline_read_cached)
#pragma tuner problem(n: size, passes: exact)
#pragma tuner param(BLOCKDIMX, 256, 512, 1024; default 512)
#pragma tuner param(BLOCKS_PER_SM, 1, 2, 4, 8; default 2)
#pragma tuner param(LOADS, 4, 8; default 4)
#pragma tuner constraint(512 <= BLOCKDIMX * BLOCKS_PER_SM <= max_threads_per_sm)
#pragma tuner grid(BLOCKS_PER_SM * sm_count) block(BLOCKDIMX)
#pragma tuner in(values, uint4, n, index(1000)) inout(total, uint32, 1, constant(0)) scalar(n, int64) scalar(passes, int32)
#pragma tuner work(bytes = 16 * n * passes)

// Chains of multiply-adds that depend on nothing else; their number and the threads decide whether the pipes are full.
#pragma tuner kernel(roofline_multiply_add)
#pragma tuner problem(threads: size, steps: exact, TYPE: constant)
#pragma tuner param(BLOCKDIMX, 256, 512, 1024; default 512)
#pragma tuner param(CHAINS, 2, 4, 8; default 4)
#pragma tuner grid(threads // BLOCKDIMX) block(BLOCKDIMX)
#pragma tuner out(results, TYPE, threads, trivial) scalar(half, TYPE, value 0.5) scalar(steps, int32)
#pragma tuner work(flops = 2 * 16 * steps * threads, type = TYPE)

#ifndef BLOCKDIMX
#define BLOCKDIMX 512
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 2
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef STORE
#define STORE_streaming 1
#define STORE 0
#endif
#ifndef CHAINS
#define CHAINS 4
#endif
#ifndef TYPE
#define TYPE float
#endif

__device__ unsigned sum_of(const uint4& four) { return four.x + four.y + four.z + four.w; }

__device__ void add_to(unsigned* total, unsigned sum) {
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);  // integers: the same in any order
}

extern "C" __global__ void roofline_read(const uint4* values, unsigned* total, long long n) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCKDIMX;
  long long i = static_cast<long long>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  unsigned sum = 0;
  for (; i + (LOADS - 1) * stride < n; i += LOADS * stride) {
    uint4 loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) loaded[k] = values[i + k * stride];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) sum += sum_of(loaded[k]);
  }
  for (; i < n; i += stride) sum += sum_of(values[i]);
  add_to(total, sum);
}

// Not to be left out where another pass has loaded the same.
__device__ uint4 load_from_l2(const uint4* at) {
  uint4 loaded;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
               : "l"(at));
  return loaded;
}

extern "C" __global__ void roofline_read_cached(const uint4* values, unsigned* total, long long n, int passes) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCKDIMX;
  const long long first = static_cast<long long>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    long long i = first;
    for (; i + (LOADS - 1) * stride < n; i += LOADS * stride) {
      uint4 loaded[LOADS];
#pragma unroll
      for (int k = 0; k < LOADS; ++k) loaded[k] = load_from_l2(values + i + k * stride);
#pragma unroll
      for (int k = 0; k < LOADS; ++k) sum += sum_of(loaded[k]);
    }
    for (; i < n; i += stride) sum += sum_of(load_from_l2(values + i));
  }
  add_to(total, sum);
}

__device__ void store(uint4* at, const uint4& value) {
#if STORE == STORE_streaming
  __stcs(at, value);
#else
  *at = value;
#endif
}

extern "C" __global__ void roofline_copy(const uint4* values, uint4* copied, long long n) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCKDIMX;
  long long i = static_cast<long long>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  for (; i + (LOADS - 1) * stride < n; i += LOADS * stride) {
    uint4 loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) loaded[k] = values[i + k * stride];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) store(copied + i + k * stride, loaded[k]);
  }
  for (; i < n; i += stride) store(copied + i, values[i]);
}

// Every chain approaches 1 and is exactly that before it ends, so that all configurations have the same results. There
// are 16 multiply-adds a step, whatever the number of chains.
extern "C" __global__ void roofline_multiply_add(TYPE* results, TYPE half, int steps) {
  TYPE chain[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) chain[i] = static_cast<TYPE>(threadIdx.x + i);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int repeat = 0; repeat < 16 / CHAINS; ++repeat) {
#pragma unroll
      for (int i = 0; i < CHAINS; ++i) chain[i] = chain[i] * half + half;
    }
  }
  TYPE sum = 0;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum += chain[i];
  results[blockIdx.x * BLOCKDIMX + threadIdx.x] = sum / CHAINS;
}
