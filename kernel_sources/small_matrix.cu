// A small dimension that the compiler knows, and arrays that it can keep in registers.
//
//   for each d, for each e: A(i,d) += B(i,e)      ten times over, d and e below `dim`, i contiguous
//
// Three things stand in the way of loading every element once. A and B may be the same memory, so each sum is stored
// and each B loaded anew. Local copies of A(i,...) and B(i,...) would stop that, but an array whose index is known only
// at run time has no place in registers: it lands on the stack, which is memory again. And the constant alone
// (DIM_KNOWN) unrolls the loops and changes nothing about the loads and stores. Constant and local arrays (LOCAL)
// together are the fix:
//
//              none                                array
//   unknown    sums in memory                      sums on the stack
//   known      sums in memory, loops unrolled      sums in registers
//
// WIDTH is how many neighbouring i a thread takes, in one load or store for each d, where the columns of A and B are
// aligned for that: where WIDTH divides n. STORE is plain or streaming: A is not read again.
#include "tuner_device.cuh"

#pragma tuner kernel(small_matrix)
#pragma tuner problem(n: size = 134217728, dim: exact = 3)
#pragma tuner problem_constraint(1 <= n <= 10000000000) problem_constraint(dim in (1, 2, 3, 4, 5, 6, 7, 8))

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(DIM_KNOWN, 0, 1)
#pragma tuner param(LOCAL, none, array)
#pragma tuner param(WIDTH, 1, 2, 4)
#pragma tuner param(STORE, plain, streaming)

#pragma tuner define(DIM = DIM_KNOWN ? int(dim) : 0)

// Only sums in registers are worth widening.
#pragma tuner let(IN_REGISTERS = DIM_KNOWN == 1 && LOCAL == array)
#pragma tuner constraint(IN_REGISTERS || WIDTH == 1 && STORE == plain)

#pragma tuner grid(ceil_div(n, BLOCKDIMX * WIDTH)) block(BLOCKDIMX)
#pragma tuner inout(a, float, n * int(dim), uniform(0, 1), rtol 1e-5)
#pragma tuner in(b, float, n * int(dim), uniform(0, 1))
#pragma tuner scalar(n, int64) scalar(dim, int32)
#pragma tuner work(bytes = 12 * n * dim, flops = 10 * dim * dim * n, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef DIM_KNOWN
#define DIM_KNOWN 0
#endif
#ifndef DIM
#define DIM 0
#endif
#ifndef LOCAL
#define LOCAL_none 0
#define LOCAL_array 1
#define LOCAL LOCAL_none
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef STORE
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#endif

using tuner::int64;

constexpr int repetitions = 10;

#if LOCAL == LOCAL_array

constexpr int most = DIM_KNOWN ? DIM : 8;  // what the arrays hold

// `Count` neighbouring i. Element (i, d) is at d * n + i.
template <int Count>
__device__ __forceinline__ void add(float* a, const float* b, int64 n, int dim) {
  tuner::Pack<float, Count> sum[most], of_b[most];
  for (int d = 0; d < dim; ++d) sum[d] = tuner::load_pack<Count>(a + d * n);
  for (int d = 0; d < dim; ++d) of_b[d] = tuner::load_pack<Count>(b + d * n);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int d = 0; d < dim; ++d) {
      for (int e = 0; e < dim; ++e) {
#pragma unroll
        for (int i = 0; i < Count; ++i) sum[d][i] += of_b[e][i];
      }
    }
  }
  for (int d = 0; d < dim; ++d) {
#if STORE == STORE_streaming
    tuner::store_pack_streaming<Count>(a + d * n, sum[d]);
#else
    tuner::store_pack<Count>(a + d * n, sum[d]);
#endif
  }
}

#else

template <int Count>
__device__ __forceinline__ void add(float* a, const float* b, int64 n, int dim) {
  static_assert(Count == 1, "only sums in registers are widened");
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int d = 0; d < dim; ++d) {
      for (int e = 0; e < dim; ++e) a[d * n] += b[e * n];
    }
  }
}

#endif

extern "C" __global__ void small_matrix(float* a, const float* b, int64 n, int dim_given) {
  const int dim = DIM_KNOWN ? DIM : dim_given;
  const int64 i = (static_cast<int64>(blockIdx.x) * BLOCKDIMX + threadIdx.x) * WIDTH;
  if (i >= n) return;
  if (n % WIDTH == 0) {
    add<WIDTH>(a + i, b + i, n, dim);
  } else {
#pragma unroll 1
    for (int64 single = i; single < i + WIDTH && single < n; ++single) add<1>(a + single, b + single, n, dim);
  }
}
