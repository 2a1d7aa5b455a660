// Hiding memory latency by fetching early.
//
// Each block walks one row of values[rows][row_length] in steps of BLOCKDIMX, puts every value through a chain of `work`
// transcendental steps and adds the results up: one sum a row. A warp that needs its value now waits for DRAM; a warp that
// asked for it PDIST steps ago does not. The strategies differ only in where the values that were asked for are kept:
//
//   none                  nowhere: load, use, load the next (the baseline)
//   unrolled              in registers, by the compiler: UNROLL steps at a time, 0 = the whole row (needs SIZE_KNOWN)
//   register_batched      in registers: fetch PDIST values, use them one by one, fetch the next PDIST
//   shared_batched        the same in shared memory
//   register_rolling      in registers: fetch PDIST values first, then one value a step, used PDIST steps later
//   shared_rolling        the same in shared memory
//   shared_rolling_async  the same, copied into shared memory without passing through registers
//   l2_prefetch           in L2: ask for the line PDIST steps ahead, load it when it is needed
//
// It pays where bandwidth is not saturated, warps stall on long-scoreboard dependencies, and the stall is inside a long
// loop with independent iterations.
#include "tuner_device.cuh"

#pragma tuner kernel(prefetch)
#pragma tuner problem(rows: size = 528, row_length: size = 65536, sync_in_loop: constant = 0, work: constant = 4)
#pragma tuner problem_constraint(1 <= rows <= 2147483647) problem_constraint(0 <= row_length <= 2000000000)
#pragma tuner problem_constraint(sync_in_loop in (0, 1)) problem_constraint(0 <= work <= 64)

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(MIN_BLOCKS, 0, 1, 2, 4; default 0)
#pragma tuner param(STRATEGY, none, unrolled, register_batched, shared_batched, register_rolling, shared_rolling, \
                    shared_rolling_async, l2_prefetch; default none)
#pragma tuner param(UNROLL, 1, 2, 4, 8, 16, 0; default 1)
#pragma tuner param(SIZE_KNOWN, 0, 1; default 0)
#pragma tuner param(REGISTER_FORM, switch_slot, unrolled_slot; default switch_slot)
#pragma tuner param(PDIST, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 32, 48, 64; default 1)
#pragma tuner param(PADDING, 0, 1, 2, 3, 4, 5, 6, 7, 8; default 0)
#pragma tuner param(SLOT_LAYOUT, per_thread, interleaved; default per_thread)

#pragma tuner let(IN_REGISTERS = STRATEGY in (register_batched, register_rolling))
#pragma tuner let(IN_SHARED = STRATEGY in (shared_batched, shared_rolling, shared_rolling_async))
#pragma tuner let(SLOTS = PDIST + PADDING)
#pragma tuner let(SLOT_BYTES = IN_SHARED ? 8 * SLOTS * BLOCKDIMX : 0)
#pragma tuner define(ROW_LENGTH = SIZE_KNOWN ? row_length : 0)

// Every parameter that does not apply to a strategy has one value, so no two configurations are the same code by
// construction. A row unrolled completely is at most 64 steps long: they take NVRTC about a second.
#pragma tuner constraint(MIN_BLOCKS * BLOCKDIMX <= max_threads_per_sm)
#pragma tuner constraint(STRATEGY == unrolled ? UNROLL != 1 : UNROLL == 1)
#pragma tuner constraint(UNROLL != 0 || SIZE_KNOWN == 1 && row_length <= 64 * BLOCKDIMX)
#pragma tuner constraint(STRATEGY not in (none, unrolled) || PDIST == 1)
#pragma tuner constraint(PDIST <= 16 || STRATEGY == l2_prefetch)
#pragma tuner constraint(REGISTER_FORM == switch_slot || IN_REGISTERS && PDIST > 1)
#pragma tuner constraint(SLOT_LAYOUT == per_thread || IN_SHARED && PDIST > 1 && PADDING == 0)
#pragma tuner constraint(PADDING == 0 || IN_SHARED && (is_pow2(SLOTS - 1) || PADDING == 1 && PDIST % 2 == 0))
#pragma tuner constraint(SLOT_BYTES + 8 * (BLOCKDIMX // 32) <= max_shared_per_block)

#pragma tuner grid(rows) block(BLOCKDIMX) shared(SLOT_BYTES)
#pragma tuner in(values, double, rows * row_length, uniform(0, 1))
#pragma tuner out(sums, double, rows, rtol 1e-11)
#pragma tuner scalar(row_length, int32)
#pragma tuner work(bytes = 8 * rows * row_length)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 0  // 0: no launch bounds
#endif
#ifndef STRATEGY
#define STRATEGY_none 0
#define STRATEGY_unrolled 1
#define STRATEGY_register_batched 2
#define STRATEGY_shared_batched 3
#define STRATEGY_register_rolling 4
#define STRATEGY_shared_rolling 5
#define STRATEGY_shared_rolling_async 6
#define STRATEGY_l2_prefetch 7
#define STRATEGY STRATEGY_none
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef SIZE_KNOWN
#define SIZE_KNOWN 0
#endif
#ifndef ROW_LENGTH
#define ROW_LENGTH 0
#endif
#ifndef REGISTER_FORM
#define REGISTER_FORM_switch_slot 0
#define REGISTER_FORM_unrolled_slot 1
#define REGISTER_FORM REGISTER_FORM_switch_slot
#endif
#ifndef PDIST
#define PDIST 1
#endif
#ifndef PADDING
#define PADDING 0
#endif
#ifndef SLOT_LAYOUT
#define SLOT_LAYOUT_per_thread 0
#define SLOT_LAYOUT_interleaved 1
#define SLOT_LAYOUT SLOT_LAYOUT_per_thread
#endif
#ifndef sync_in_loop
#define sync_in_loop 0
#endif
#ifndef work
#define work 4
#endif

static_assert(BLOCKDIMX % 32 == 0 && BLOCKDIMX <= 1024, "the reduction needs whole warps, at most 32 of them");

__device__ __forceinline__ double evaluate(double a) {
  for (int step = 0; step < work; ++step) a = exp(-a * a) + a / 2;
  return a;
}

// One thread's view of its block's row. Loops run over positions from threadIdx.x in steps of BLOCKDIMX. With sync_in_loop
// there is a barrier in every step, so all threads take the same number of steps and those past the end do nothing.
struct Row {
  const double* values;
  int length;

  __device__ __forceinline__ bool holds(int position) const { return position < length; }
  // Steps end before this position.
  __device__ __forceinline__ int end() const { return sync_in_loop ? length + static_cast<int>(threadIdx.x) : length; }
  // At any position before this one, this thread (with sync_in_loop: every thread) has `count` more values to use.
  __device__ __forceinline__ int end_of_full(int count) const { return end() - count * BLOCKDIMX + (sync_in_loop ? 1 : BLOCKDIMX); }
  // The value, or zero past the end.
  __device__ __forceinline__ double fetch(int position) const { return holds(position) ? values[position] : 0.0; }
};

// Ends a step. Inside a loop it must be reached by all threads or by none.
__device__ __forceinline__ void end_step() {
#if sync_in_loop
  __syncthreads();
#endif
}

__device__ __forceinline__ int following(int slot) { return slot + 1 == PDIST ? 0 : slot + 1; }

#if STRATEGY == STRATEGY_none || STRATEGY == STRATEGY_unrolled

__device__ __forceinline__ double total_of(Row row) {
  double total = 0;
#if STRATEGY == STRATEGY_unrolled && UNROLL == 0
#pragma unroll
  for (int first = 0; first < ROW_LENGTH; first += BLOCKDIMX) {
    const int position = first + static_cast<int>(threadIdx.x);
    if (first + BLOCKDIMX <= ROW_LENGTH || row.holds(position)) total += evaluate(row.values[position]);
    end_step();
  }
#else
  constexpr int steps_at_once = UNROLL;  // nvcc, unlike NVRTC, expands no macro in a pragma
#pragma unroll steps_at_once
  for (int position = threadIdx.x; position < row.end(); position += BLOCKDIMX) {
    if (!sync_in_loop || row.holds(position)) total += evaluate(row.values[position]);
    end_step();
  }
#endif
  return total;
}

#elif STRATEGY == STRATEGY_register_batched || STRATEGY == STRATEGY_register_rolling

// The slots are registers only if no slot is chosen by an index known at run time: that would put the array on the stack.
__device__ __forceinline__ void fill(double (&slot)[PDIST], Row row, int position) {
#pragma unroll
  for (int s = 0; s < PDIST; ++s) slot[s] = row.fetch(position + s * BLOCKDIMX);
}

#if REGISTER_FORM == REGISTER_FORM_switch_slot

// EACH_SLOT(PDIST, DO) is DO(0) DO(1) ... DO(PDIST - 1).
#define EACH_SLOT_1(DO) DO(0)
#define EACH_SLOT_2(DO) EACH_SLOT_1(DO) DO(1)
#define EACH_SLOT_3(DO) EACH_SLOT_2(DO) DO(2)
#define EACH_SLOT_4(DO) EACH_SLOT_3(DO) DO(3)
#define EACH_SLOT_5(DO) EACH_SLOT_4(DO) DO(4)
#define EACH_SLOT_6(DO) EACH_SLOT_5(DO) DO(5)
#define EACH_SLOT_7(DO) EACH_SLOT_6(DO) DO(6)
#define EACH_SLOT_8(DO) EACH_SLOT_7(DO) DO(7)
#define EACH_SLOT_9(DO) EACH_SLOT_8(DO) DO(8)
#define EACH_SLOT_10(DO) EACH_SLOT_9(DO) DO(9)
#define EACH_SLOT_11(DO) EACH_SLOT_10(DO) DO(10)
#define EACH_SLOT_12(DO) EACH_SLOT_11(DO) DO(11)
#define EACH_SLOT_13(DO) EACH_SLOT_12(DO) DO(12)
#define EACH_SLOT_14(DO) EACH_SLOT_13(DO) DO(13)
#define EACH_SLOT_15(DO) EACH_SLOT_14(DO) DO(14)
#define EACH_SLOT_16(DO) EACH_SLOT_15(DO) DO(15)
#define EACH_SLOT_EXPANDED(COUNT, DO) EACH_SLOT_##COUNT(DO)
#define EACH_SLOT(COUNT, DO) EACH_SLOT_EXPANDED(COUNT, DO)

#if STRATEGY == STRATEGY_register_rolling
#define TAKE(S)                                            \
  case S:                                                  \
    value = slot[S];                                       \
    slot[S] = row.fetch(position + PDIST * BLOCKDIMX);     \
    break;
#else
#define TAKE(S)      \
  case S:            \
    value = slot[S]; \
    break;
#endif

__device__ __forceinline__ double total_of(Row row) {
  double slot[PDIST];
  double total = 0;
  int turn = 0;
#if STRATEGY == STRATEGY_register_rolling
  fill(slot, row, threadIdx.x);
#endif
#pragma unroll 1
  for (int position = threadIdx.x; position < row.end(); position += BLOCKDIMX) {
#if STRATEGY == STRATEGY_register_batched
    if (turn == 0) fill(slot, row, position);
#endif
    double value = 0;
    switch (turn) { EACH_SLOT(PDIST, TAKE) }
    turn = following(turn);
    if (!sync_in_loop || row.holds(position)) total += evaluate(value);
    end_step();
  }
  return total;
}

#else  // unrolled_slot

__device__ __forceinline__ double total_of(Row row) {
  double slot[PDIST];
  double total = 0;
  int position = threadIdx.x;
#if STRATEGY == STRATEGY_register_rolling
  fill(slot, row, position);
#endif
#pragma unroll 1
  for (; position < row.end_of_full(PDIST); position += PDIST * BLOCKDIMX) {
#if STRATEGY == STRATEGY_register_batched
    fill(slot, row, position);
#endif
#pragma unroll
    for (int s = 0; s < PDIST; ++s) {
      const double value = slot[s];
#if STRATEGY == STRATEGY_register_rolling
      slot[s] = row.fetch(position + (s + PDIST) * BLOCKDIMX);
#endif
      total += evaluate(value);
      end_step();
    }
  }
  // Fewer than PDIST values are left, or as many; moving the slots along keeps this loop short and off the stack.
#if STRATEGY == STRATEGY_register_batched
  fill(slot, row, position);
#endif
#pragma unroll 1
  for (; position < row.end(); position += BLOCKDIMX) {
    if (!sync_in_loop || row.holds(position)) total += evaluate(slot[0]);
#pragma unroll
    for (int s = 1; s < PDIST; ++s) slot[s - 1] = slot[s];
    end_step();
  }
  return total;
}

#endif

#elif STRATEGY == STRATEGY_l2_prefetch

__device__ __forceinline__ double total_of(Row row) {
  double total = 0;
#pragma unroll 1
  for (int position = threadIdx.x; position < row.end(); position += BLOCKDIMX) {
    const int ahead = position + PDIST * BLOCKDIMX;
    if (row.holds(ahead)) tuner::prefetch_l2(row.values + ahead);
    if (!sync_in_loop || row.holds(position)) total += evaluate(row.values[position]);
    end_step();
  }
  return total;
}

#else  // the strategies in shared memory

// A thread reads and writes only its own slots, so they need no barrier.
__device__ __forceinline__ double* slot_of_thread(int slot) {
  extern __shared__ double slots[];
#if SLOT_LAYOUT == SLOT_LAYOUT_interleaved
  return slots + slot * BLOCKDIMX + threadIdx.x;
#else
  return slots + threadIdx.x * (PDIST + PADDING) + slot;
#endif
}

#if STRATEGY == STRATEGY_shared_rolling_async

// One group a slot and one a step, empty or not: only then does "all but the PDIST - 1 latest groups" always cover the slot
// that is read next, up to the last step.
__device__ __forceinline__ void start_fetch(int slot, Row row, int position) {
  if (row.holds(position)) tuner::copy_async<8>(slot_of_thread(slot), row.values + position);
  tuner::commit_copies();
}

__device__ __forceinline__ double total_of(Row row) {
  double total = 0;
  int slot = 0;
#pragma unroll
  for (int s = 0; s < PDIST; ++s) start_fetch(s, row, threadIdx.x + s * BLOCKDIMX);
#pragma unroll 1
  for (int position = threadIdx.x; position < row.end(); position += BLOCKDIMX) {
    tuner::wait_prior<PDIST - 1>();
    const double value = *slot_of_thread(slot);
    start_fetch(slot, row, position + PDIST * BLOCKDIMX);
    slot = following(slot);
    if (!sync_in_loop || row.holds(position)) total += evaluate(value);
    end_step();
  }
  return total;
}

#else

// All loads before the first store, so that they are under way together.
__device__ __forceinline__ void fill(Row row, int position) {
  double fetched[PDIST];
#pragma unroll
  for (int s = 0; s < PDIST; ++s) fetched[s] = row.fetch(position + s * BLOCKDIMX);
#pragma unroll
  for (int s = 0; s < PDIST; ++s) *slot_of_thread(s) = fetched[s];
}

__device__ __forceinline__ double total_of(Row row) {
  double total = 0;
  int slot = 0;
#if STRATEGY == STRATEGY_shared_rolling
  fill(row, threadIdx.x);
#endif
#pragma unroll 1
  for (int position = threadIdx.x; position < row.end(); position += BLOCKDIMX) {
#if STRATEGY == STRATEGY_shared_batched
    if (slot == 0) fill(row, position);
#endif
    const double value = *slot_of_thread(slot);
#if STRATEGY == STRATEGY_shared_rolling
    const double fetched = row.fetch(position + PDIST * BLOCKDIMX);
#endif
    if (!sync_in_loop || row.holds(position)) total += evaluate(value);
#if STRATEGY == STRATEGY_shared_rolling
    *slot_of_thread(slot) = fetched;
#endif
    slot = following(slot);
    end_step();
  }
  return total;
}

#endif
#endif

extern "C" __global__ void
#if MIN_BLOCKS > 0
__launch_bounds__(BLOCKDIMX, MIN_BLOCKS)
#endif
prefetch(const double* values, double* sums, int row_length) {
  constexpr int warps = BLOCKDIMX / 32;
  __shared__ double sum_of_warp[warps];

  const Row row = {values + static_cast<long long>(blockIdx.x) * row_length, SIZE_KNOWN ? ROW_LENGTH : row_length};
  const double of_warp = tuner::warp_sum(total_of(row));
  if (threadIdx.x % 32 == 0) sum_of_warp[threadIdx.x / 32] = of_warp;
  __syncthreads();
  if (threadIdx.x < 32) {
    const double of_block = tuner::warp_sum(threadIdx.x < warps ? sum_of_warp[threadIdx.x] : 0.0);
    if (threadIdx.x == 0) sums[blockIdx.x] = of_block;
  }
}
