// Arrays in registers, and indices that come from a table.
//
//   for each d, for each e: A(i, table(d)) += B(i,e)      ten times over, d and e below `dim`, i contiguous
//
// `dim` is a constant and A(i,...) is copied into a local array first: all that small_matrix.cu recommends. But
// registers have no addresses. An element chosen by a number that is known only when the program runs must lie in
// memory, so the compiler puts the whole array on the stack. What can help is to say the same with constant indices;
// from some number of elements on, so many questions cost more than the stack:
//
//   SELECT  run_time     sum[table[d]] += ...: the array is on the stack (of up to three elements the compiler keeps all
//                        in registers and chooses among them)
//           switch_case  a switch on the index with a case for each element
//           predicated   for each element: add if it is the chosen one
//
// The table holds 1, 2, 3, ... and is taken modulo dim, so that A's columns are shifted by one: (d + 1) % dim.
//
// WIDTH is how many neighbouring i a thread takes, where the columns of A and B are aligned for that: where WIDTH
// divides n.
#include "tuner_device.cuh"

#pragma tuner kernel(indirection)
#pragma tuner problem(n: size = 67108864, dim: exact = 4)
#pragma tuner problem_constraint(1 <= n <= 10000000000) problem_constraint(dim in (1, 2, 3, 4, 5, 6, 7, 8))

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(SELECT, run_time, switch_case, predicated)
#pragma tuner param(WIDTH, 1, 2, 4)

#pragma tuner define(DIM = int(dim))

#pragma tuner constraint(SELECT != run_time || WIDTH == 1)

#pragma tuner grid(ceil_div(n, BLOCKDIMX * WIDTH)) block(BLOCKDIMX)
#pragma tuner inout(a, float, n * DIM, uniform(0, 1), rtol 1e-5)
#pragma tuner in(b, float, n * DIM, uniform(0, 1))
#pragma tuner in(table, uint32, DIM, iota(1, 1))
#pragma tuner scalar(n, int64)
#pragma tuner work(bytes = 12 * n * dim, flops = 10 * dim * dim * n, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef SELECT
#define SELECT_run_time 0
#define SELECT_switch_case 1
#define SELECT_predicated 2
#define SELECT SELECT_run_time
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef DIM
#define DIM 4
#endif

using tuner::int64;
using tuner::uint32;

constexpr int repetitions = 10;

template <int Count>
using Values = tuner::Pack<float, Count>;

template <int Count>
__device__ __forceinline__ void add_to(Values<Count>& sum, const Values<Count>& more) {
#pragma unroll
  for (int i = 0; i < Count; ++i) sum[i] += more[i];
}

template <int Count>
__device__ __forceinline__ void add_to_chosen(Values<Count> (&sum)[DIM], uint32 chosen, const Values<Count>& more) {
#if SELECT == SELECT_run_time
  add_to(sum[chosen], more);
#elif SELECT == SELECT_switch_case
#define ADD_TO(D)                            \
  case D:                                    \
    if (D < DIM) add_to(sum[D % DIM], more); \
    break;
  switch (chosen) { ADD_TO(0) ADD_TO(1) ADD_TO(2) ADD_TO(3) ADD_TO(4) ADD_TO(5) ADD_TO(6) ADD_TO(7) }
#undef ADD_TO
#else
#pragma unroll
  for (int d = 0; d < DIM; ++d) {
    if (chosen == d) add_to(sum[d], more);
  }
#endif
}

// `Count` neighbouring i. Element (i, d) is at d * n + i.
template <int Count>
__device__ __forceinline__ void add(float* a, const float* b, const uint32* table, int64 n) {
  Values<Count> sum[DIM], of_b[DIM];
  for (int d = 0; d < DIM; ++d) sum[d] = tuner::load_pack<Count>(a + d * n);
  for (int d = 0; d < DIM; ++d) of_b[d] = tuner::load_pack<Count>(b + d * n);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int d = 0; d < DIM; ++d) {
      for (int e = 0; e < DIM; ++e) add_to_chosen(sum, table[d] % DIM, of_b[e]);
    }
  }
  for (int d = 0; d < DIM; ++d) tuner::store_pack<Count>(a + d * n, sum[d]);
}

extern "C" __global__ void indirection(float* a, const float* b, const uint32* table, int64 n) {
  const int64 i = (static_cast<int64>(blockIdx.x) * BLOCKDIMX + threadIdx.x) * WIDTH;
  if (i >= n) return;
  if (n % WIDTH == 0) {
    add<WIDTH>(a + i, b + i, table, n);
  } else {
#pragma unroll 1
    for (int64 single = i; single < i + WIDTH && single < n; ++single) add<1>(a + single, b + single, table, n);
  }
}
