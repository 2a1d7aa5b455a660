// Wide loads, registers and launch bounds.
//
// result[slab][pt] = the largest big[slab][k][pt] + small[k] over k, and at least 0. One block a slab, threads stride over
// pt. Each step needs a value from far away that the next step does not depend on, so what decides is how many of these
// loads are under way at once. Three things limit that:
//
//   WIDTH_SMALL, WIDTH_BIG  how many values one load instruction brings: neighbouring k of `small`, neighbouring pt of `big`
//   UNROLL                  over how many steps the compiler may move loads ahead of their use
//   MIN_BLOCKS, BLOCKDIMX   how many registers it believes to have for what the loads bring. A thread in a block of 1024
//                           may use 64; without launch bounds the compiler stops near 32, so that two blocks fit,
//                           and leaves the rest idle where there is only one
//
// The last is the point: where registers would be idle, bounds let the compiler use them, and a wide load makes it do so.
#include "tuner_device.cuh"

#pragma tuner kernel(wide_loads)
#pragma tuner problem(slabs: size = 528, ptmax: size = 4096, kmax: size = 64)
#pragma tuner problem(big_offset: constant = 0, small_offset: constant = 0, TYPE: constant = double)
#pragma tuner problem_constraint(1 <= slabs <= 2147483647) problem_constraint(0 <= ptmax <= 1000000000)
#pragma tuner problem_constraint(0 <= kmax <= 1000000) problem_constraint(slabs * ptmax * max(kmax, 1) <= 68719476736)
#pragma tuner problem_constraint(0 <= big_offset <= 1024) problem_constraint(0 <= small_offset <= 1024)
#pragma tuner problem_constraint(TYPE == double || TYPE == float)

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 1024)
#pragma tuner param(MIN_BLOCKS, 0, 1, 2, 4; default 0)
#pragma tuner param(WIDTH_SMALL, 1, 2, 4) param(WIDTH_BIG, 1, 2, 4)
#pragma tuner param(UNROLL, 0, 1, 2, 4, 8, 16, 32, 64; default 0)
#pragma tuner param(KMAX_KNOWN, 0, 1; default 0)
#pragma tuner define(KMAX = KMAX_KNOWN ? kmax : 0)

#pragma tuner constraint(MIN_BLOCKS * BLOCKDIMX <= max_threads_per_sm)
#pragma tuner constraint(max(WIDTH_SMALL, WIDTH_BIG) * sizeof(TYPE) <= 16)
// A step takes WIDTH_SMALL values. Where kmax is known, UNROLL 0 unrolls completely, and no other value does.
#pragma tuner constraint(UNROLL <= 1 || UNROLL * WIDTH_SMALL <= 64)
#pragma tuner constraint(KMAX_KNOWN == 0 || kmax <= 64 && max(UNROLL, 1) * WIDTH_SMALL < kmax)

#pragma tuner grid(slabs) block(BLOCKDIMX)
#pragma tuner in(big, TYPE, big_offset + slabs * kmax * ptmax, uniform(-1, 1))
#pragma tuner in(small, TYPE, small_offset + kmax, uniform(-1, 1))
#pragma tuner out(result, TYPE, slabs * ptmax)
#pragma tuner scalar(ptmax, int32) scalar(kmax, int32)
#pragma tuner work(bytes = sizeof(TYPE) * slabs * ptmax * (kmax + 1))

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 1024
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 0  // 0: no launch bounds
#endif
#ifndef WIDTH_SMALL
#define WIDTH_SMALL 1
#endif
#ifndef WIDTH_BIG
#define WIDTH_BIG 1
#endif
#ifndef UNROLL
#define UNROLL 0  // 0: as far as the compiler likes
#endif
#ifndef KMAX_KNOWN
#define KMAX_KNOWN 0
#endif
#ifndef KMAX
#define KMAX 0
#endif
#ifndef TYPE
#define TYPE double
#endif
#ifndef big_offset
#define big_offset 0
#endif
#ifndef small_offset
#define small_offset 0
#endif

// How many values lie before the first one that a pack may begin with, `offset` values behind an aligned address.
__device__ constexpr int values_before_pack(int offset, int width) { return (width - offset % width) % width; }

// Takes `Small` neighbouring k for `Big` neighbouring points. `row` is the first point in the row of the first k, and then
// in the row of the next k to take.
template <int Small, int Big>
__device__ __forceinline__ void take(tuner::Pack<TYPE, Big>& largest, const TYPE*& row, const TYPE* small, int ptmax) {
  const tuner::Pack<TYPE, Small> of_small = tuner::load_pack<Small>(small);
#pragma unroll
  for (int i = 0; i < Small; ++i) {
    const tuner::Pack<TYPE, Big> of_big = tuner::load_pack<Big>(row);
    row += ptmax;
#pragma unroll
    for (int point = 0; point < Big; ++point) {
      const TYPE sum = of_big[point] + of_small[i];
      largest[point] = sum > largest[point] ? sum : largest[point];
    }
  }
}

template <int Big>
__device__ __forceinline__ void find_largest(const TYPE* row, const TYPE* small, TYPE* result, int ptmax, int kmax) {
  constexpr int before = values_before_pack(small_offset, WIDTH_SMALL);
  tuner::Pack<TYPE, Big> largest = {};
  int k = 0;
  if (before > 0) {
#pragma unroll 1
    for (; k < before && k < kmax; ++k) take<1>(largest, row, small + k, ptmax);
  }
#if UNROLL == 0
#pragma unroll
#else
  constexpr int steps_at_once = UNROLL;  // nvcc, unlike NVRTC, expands no macro in a pragma
#pragma unroll steps_at_once
#endif
  for (; k + WIDTH_SMALL <= kmax; k += WIDTH_SMALL) take<WIDTH_SMALL>(largest, row, small + k, ptmax);
  if (WIDTH_SMALL > 1) {
#pragma unroll 1
    for (; k < kmax; ++k) take<1>(largest, row, small + k, ptmax);
  }
#pragma unroll
  for (int point = 0; point < Big; ++point) result[point] = largest[point];
}

extern "C" __global__ void
#if MIN_BLOCKS > 0
__launch_bounds__(BLOCKDIMX, MIN_BLOCKS)
#endif
wide_loads(const TYPE* big, const TYPE* small, TYPE* result, int ptmax, int kmax_given) {
  const int kmax = KMAX_KNOWN ? KMAX : kmax_given;
  const long long slab = blockIdx.x;
  big += big_offset + slab * kmax * ptmax;
  small += small_offset;
  result += slab * ptmax;

  // Packs of points begin where the address allows it, in all rows alike if the row length does; else there are none.
  int begin = 0;
  int end = 0;
  if (WIDTH_BIG > 1) {
    if (ptmax > 0 && ptmax % WIDTH_BIG == 0) {
      constexpr int before = values_before_pack(big_offset, WIDTH_BIG);
      begin = before;
      end = ptmax - (before > 0 ? WIDTH_BIG - before : 0);
    }
#pragma unroll 1
    for (int pt = begin + threadIdx.x * WIDTH_BIG; pt < end; pt += BLOCKDIMX * WIDTH_BIG) {
      find_largest<WIDTH_BIG>(big + pt, small, result + pt, ptmax, kmax);
    }
  }
  // The other points: all, those before `begin` and from `end` on, or none.
#pragma unroll 1
  for (int i = threadIdx.x; i < ptmax - (end - begin); i += BLOCKDIMX) {
    const int pt = i < begin ? i : i + (end - begin);
    find_largest<1>(big + pt, small, result + pt, ptmax, kmax);
  }
}
