// Accumulating in memory, or in a register.
//
//   A[i] += B[i-1]; A[i] += B[i]; A[i] += B[i+1];      ten times over
//
// A may be the same memory as B for all the compiler knows, so each `+=` on A[i] is a store that the next load of B has
// to wait behind: 30 stores and 31 loads a thread, while one store and four loads do the job. Either of two words heals
// it: a local variable that collects the sum (TEMPORARY), or `__restrict__` (RESTRICT), with which the compiler finds
// the local variable by itself. What is left is a stream of 12 bytes an element. How close it comes to the memory's
// bandwidth is then decided by how many bytes a thread asks for at once:
//
//   WIDTH       elements that travel in one load or store
//   ITEMS       such packs a thread has under way together
//   NEIGHBOURS  how B[i-1] and B[i+1] are had: `registers`: a thread loads its elements of B and the two behind them,
//               which L1 has just fetched for the next thread; `shared_tile`: the block stages B in shared memory
//   STORE       plain, or streaming: A is not read again, so it need not stay in the cache
//
// B has a halo: it arrives as B[0 ... n+1], so that element i of A takes B[i], B[i+1] and B[i+2].
#include "tuner_device.cuh"

#pragma tuner kernel(accumulate)
#pragma tuner problem(n: size = 134217728)
#pragma tuner problem_constraint(1 <= n <= 100000000000)

#pragma tuner param(BLOCKDIMX, 128, 256, 512, 1024)
#pragma tuner param(TEMPORARY, 0, 1)
#pragma tuner param(RESTRICT, 0, 1)
#pragma tuner param(WIDTH, 1, 2, 4)
#pragma tuner param(ITEMS, 1, 2, 4, 8)
#pragma tuner param(NEIGHBOURS, registers, shared_tile)
#pragma tuner param(STORE, plain, streaming)

// Without a temporary there is nothing to widen: the point is that every sum goes through memory.
#pragma tuner let(TILE = BLOCKDIMX * ITEMS * WIDTH)
#pragma tuner constraint(TEMPORARY == 1 || WIDTH == 1 && ITEMS == 1 && NEIGHBOURS == registers && STORE == plain)
#pragma tuner constraint(TILE <= 16384)

#pragma tuner grid(ceil_div(n, TILE)) block(BLOCKDIMX) shared(NEIGHBOURS == shared_tile ? 4 * TILE + 16 : 0)
#pragma tuner inout(a, float, n, uniform(0, 1), rtol 1e-5)
#pragma tuner in(b, float, n + 2, uniform(0, 1))
#pragma tuner scalar(n, int64)
#pragma tuner work(bytes = 12 * n + 8, flops = 30 * n, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef TEMPORARY
#define TEMPORARY 0
#endif
#ifndef RESTRICT
#define RESTRICT 0
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef NEIGHBOURS
#define NEIGHBOURS_registers 0
#define NEIGHBOURS_shared_tile 1
#define NEIGHBOURS NEIGHBOURS_registers
#endif
#ifndef STORE
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#endif

#if RESTRICT
#define UNALIASED __restrict__
#else
#define UNALIASED
#endif

static_assert(TEMPORARY || WIDTH * ITEMS == 1, "only sums in registers can be made several at a time");

using tuner::int64;

constexpr int repetitions = 10;

#if TEMPORARY

// `Count` neighbouring elements of A, the elements of B that they take, and the sums.
template <int Count>
struct Elements {
  tuner::Pack<float, Count> sum;
  float of_b[Count + 2];

  __device__ __forceinline__ void add_up() {
#pragma unroll
    for (int repetition = 0; repetition < repetitions; ++repetition) {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        sum[i] += of_b[i];
        sum[i] += of_b[i + 1];
        sum[i] += of_b[i + 2];
      }
    }
  }

  // From global or from shared memory; `b` is aligned like `Count` elements.
  __device__ __forceinline__ void load_b(const float* b) {
    constexpr int step = Count == 1 ? 1 : 2;  // what is left after the first load is two elements
    const tuner::Pack<float, Count> first = tuner::load_pack<Count>(b);
#pragma unroll
    for (int i = 0; i < Count; ++i) of_b[i] = first[i];
#pragma unroll
    for (int i = 0; i < 2; i += step) {
      const tuner::Pack<float, step> further = tuner::load_pack<step>(b + Count + i);
#pragma unroll
      for (int j = 0; j < step; ++j) of_b[Count + i + j] = further[j];
    }
  }
};

template <int Count>
__device__ __forceinline__ void store(float* a, const tuner::Pack<float, Count>& sum) {
#if STORE == STORE_streaming
  tuner::store_pack_streaming<Count>(a, sum);
#else
  tuner::store_pack<Count>(a, sum);
#endif
}

// The block's elements when all of them exist. All loads come before the first store, so that they are under way
// together.
__device__ __forceinline__ void add_full_tile(float* UNALIASED a, const float* UNALIASED b) {
  Elements<WIDTH> elements[ITEMS];
#if NEIGHBOURS == NEIGHBOURS_shared_tile
  extern __shared__ tuner::Pack<float, 4> packs[];
  float* const tile = packs[0].value;
  constexpr int length = BLOCKDIMX * ITEMS * WIDTH;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int at = (item * BLOCKDIMX + threadIdx.x) * WIDTH;
    elements[item].sum = tuner::load_pack<WIDTH>(a + at);
    tuner::store_pack<WIDTH>(tile + at, tuner::load_pack<WIDTH>(b + at));
  }
  if (threadIdx.x < 2) tile[length + threadIdx.x] = b[length + threadIdx.x];
  __syncthreads();
#else
  const float* const tile = b;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    elements[item].sum = tuner::load_pack<WIDTH>(a + (item * BLOCKDIMX + threadIdx.x) * WIDTH);
  }
#endif
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    elements[item].load_b(tile + (item * BLOCKDIMX + threadIdx.x) * WIDTH);
  }
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    elements[item].add_up();
    store<WIDTH>(a + (item * BLOCKDIMX + threadIdx.x) * WIDTH, elements[item].sum);
  }
}

extern "C" __global__ void accumulate(float* UNALIASED a, const float* UNALIASED b, int64 n) {
  constexpr int tile = BLOCKDIMX * ITEMS * WIDTH;
  const int64 first = static_cast<int64>(blockIdx.x) * tile;
  constexpr bool one_at_a_time = tile == BLOCKDIMX && NEIGHBOURS == NEIGHBOURS_registers;
  if (!one_at_a_time && first + tile <= n) {
    add_full_tile(a + first, b + first);
    return;
  }
  const int64 end = first + tile < n ? first + tile : n;
#pragma unroll 1
  for (int64 i = first + threadIdx.x; i < end; i += BLOCKDIMX) {
    Elements<1> element;
    element.sum[0] = a[i];
    element.load_b(b + i);
    element.add_up();
    store<1>(a + i, element.sum);
  }
}

#else

extern "C" __global__ void accumulate(float* UNALIASED a, const float* UNALIASED b, int64 n) {
  const int64 i = static_cast<int64>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  if (i >= n) return;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    a[i] += b[i];
    a[i] += b[i + 1];
    a[i] += b[i + 2];
  }
}

#endif
