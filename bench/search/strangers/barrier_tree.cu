// Prices of options to buy that end when the price of the share comes up to a barrier, by a binomial tree: the value at
// a node is the weighted mean of those at its two successors, and zero from the barrier on. A tree has STEPS steps, and
// STEPS + 1 nodes after the last. Node i after step t has seen i steps up, so its share has the price
// spot * up^(2i - t); the barrier is a number of such steps above the spot.
//
//   LANES    threads that share a tree
//   TREES    that a group of LANES has, side by side
//   NODES    registers  neighbouring nodes of a tree are a thread's, in registers
//            shared     they are in shared memory, node i with thread i % LANES
//   AHEAD    steps between two exchanges; threads compute the nodes of their right neighbour that they need for it
//   PASS     how a thread gets its neighbour's nodes: by shuffles, or through shared memory
//   BARRIER  select  each node is compared with the barrier
//            skip    a thread all of whose nodes are below it compares nothing
//   ENDS     all     computes nodes that the tree no longer has
//            leave   leaves them
//   BLOCKS   of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(barrier_tree)
#pragma tuner problem(options : size = 16384, STEPS : constant = 255)
#pragma tuner problem_constraint(1 <= options <= 4194304) problem_constraint(STEPS in (63, 127, 255))

#pragma tuner param(BLOCK, 32, 64, 128, 256, 512; default 128)
#pragma tuner param(LANES, 4, 8, 16, 32; default 32)
#pragma tuner param(TREES, 1, 2; default 1)
#pragma tuner param(NODES, registers, shared; default shared)
#pragma tuner param(AHEAD, 1, 2, 4; default 1)
#pragma tuner param(PASS, none, shuffle, through_shared; default none)
#pragma tuner param(BARRIER, select, skip; default select)
#pragma tuner param(ENDS, all, leave; default leave)
#pragma tuner param(BLOCKS, 0, 2, 4, 8; default 0)

// Of registers a thread has 64 nodes at most.
#pragma tuner let(SHARE = (STEPS + 1) // LANES)
#pragma tuner let(GROUPS = BLOCK // LANES)
#pragma tuner constraint((NODES == registers) == (PASS != none))
#pragma tuner constraint(NODES == registers || AHEAD == 1 && BARRIER == select)
#pragma tuner constraint(NODES == shared || SHARE * TREES <= 64)
#pragma tuner constraint(AHEAD <= SHARE)
#pragma tuner constraint(BLOCKS * BLOCK <= 1024 && (BLOCKS == 0 || NODES == registers))
#pragma tuner constraint(BLOCKS == 0 || SHARE * TREES <= 32)
#pragma tuner let(SHARED_WORDS = GROUPS * TREES * (STEPS + 2) if NODES == shared else BLOCK * TREES * 2 * AHEAD)
#pragma tuner constraint(4 * SHARED_WORDS <= 49152)

#pragma tuner grid(ceil_div(options, GROUPS * TREES)) block(BLOCK)
#pragma tuner in(spot, float, options, uniform(80, 100)) in(strike, float, options, uniform(70, 90))
#pragma tuner in(log_up, float, options, uniform(0.01, 0.02)) in(rise, float, options, uniform(0.48, 0.51))
#pragma tuner in(barrier, int32, options, uniform(8, 40)) out(price, float, options, rtol 1e-4, atol 1e-5)
#pragma tuner scalar(options, int32)
#pragma tuner work(bytes = 24 * options, flops = 1.5 * options * STEPS * (STEPS + 1), type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define STEPS 255
#define BLOCK 128
#define LANES 32
#define TREES 1
#define NODES_registers 0
#define NODES_shared 1
#define NODES NODES_shared
#define AHEAD 1
#define PASS_none 0
#define PASS_shuffle 1
#define PASS_through_shared 2
#define PASS PASS_none
#define BARRIER_select 0
#define BARRIER_skip 1
#define BARRIER BARRIER_select
#define ENDS_all 0
#define ENDS_leave 1
#define ENDS ENDS_leave
#define BLOCKS 0
#endif

constexpr int nodes = STEPS + 1, share = nodes / LANES, groups = BLOCK / LANES;

// An option, of which the trees behind the last have copies.
struct Option {
  float spot, strike, log_up, rise, fall;
  int barrier;

  __device__ __forceinline__ bool ended(int i, int step) const { return 2 * i - step >= barrier; }
  __device__ __forceinline__ float at_end(int i) const {
    const float gain = spot * expf(log_up * (2 * i - STEPS)) - strike;
    return ended(i, STEPS) || i > STEPS ? 0.0f : fmaxf(gain, 0.0f);
  }
  __device__ __forceinline__ float before(float lower, float upper) const { return fall * lower + rise * upper; }
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS barrier_tree(const float* __restrict__ spot, const float* __restrict__ strike,
                                               const float* __restrict__ log_up, const float* __restrict__ rise,
                                               const int* __restrict__ barrier, float* __restrict__ price,
                                               int options) {
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  Option option[TREES];
#pragma unroll
  for (int t = 0; t < TREES; ++t) {
    const int i = min((static_cast<int>(blockIdx.x) * TREES + t) * groups + group, options - 1);
    const float up = rise[i];
    // A fixed discount, so that no more data is needed.
    option[t] = {spot[i], strike[i], log_up[i], 0.9999f * up, 0.9999f * (1 - up), barrier[i]};
  }
  float root[TREES];

#if NODES == NODES_shared
  __shared__ float values[groups][TREES][nodes + 1];
#pragma unroll
  for (int t = 0; t < TREES; ++t) {
    for (int i = lane; i < nodes + 1; i += LANES) values[group][t][i] = option[t].at_end(i);
  }
  __syncwarp();
#pragma unroll 1
  for (int step = STEPS - 1; step >= 0; --step) {
    const int end = ENDS == ENDS_leave ? step + 1 : nodes;
#pragma unroll
    for (int t = 0; t < TREES; ++t) {
      float* const own = values[group][t];
      // A round reads the node behind its last before anyone of the next round has changed it.
      for (int first = 0; first < end; first += LANES) {
        const int i = first + lane;
        float value = option[t].before(own[i], own[i + 1]);
        if (option[t].ended(i, step)) value = 0;
        __syncwarp();
        own[i] = value;
        __syncwarp();
      }
    }
  }
#pragma unroll
  for (int t = 0; t < TREES; ++t) root[t] = values[group][t][0];
#else
  // Behind a thread's own nodes lie AHEAD of its neighbour's, of which each step needs one less.
  float value[TREES][share + AHEAD];
#if PASS == PASS_through_shared
  __shared__ float passed[2][TREES][AHEAD][BLOCK];
#endif
#pragma unroll
  for (int t = 0; t < TREES; ++t) {
#pragma unroll
    for (int i = 0; i < share; ++i) value[t][i] = option[t].at_end(lane * share + i);
  }
  // STEPS is one less than a multiple of AHEAD: the first round has one step less.
#pragma unroll 1
  for (int last = STEPS; last > 0; last = (last - 1) / AHEAD * AHEAD) {
    const int first = (last - 1) / AHEAD * AHEAD;
#if PASS == PASS_through_shared
    const int now = first / AHEAD % 2;
#pragma unroll
    for (int t = 0; t < TREES; ++t) {
#pragma unroll
      for (int a = 0; a < AHEAD; ++a) passed[now][t][a][threadIdx.x] = value[t][a];
    }
    __syncwarp();
#endif
#pragma unroll
    for (int t = 0; t < TREES; ++t) {
#pragma unroll
      for (int a = 0; a < AHEAD; ++a) {
#if PASS == PASS_through_shared
        const float of_neighbour = passed[now][t][a][lane == LANES - 1 ? threadIdx.x : threadIdx.x + 1];
#else
        const float of_neighbour = __shfl_down_sync(0xffffffffu, value[t][a], 1, LANES);
#endif
        value[t][share + a] = lane == LANES - 1 ? 0.0f : of_neighbour;
      }
#if ENDS == ENDS_leave
      if (lane * share >= last) continue;
#endif
#pragma unroll
      for (int a = 0; a < AHEAD; ++a) {
        const int step = last - 1 - a;
        if (step < first) break;
#pragma unroll
        for (int i = 0; i < share + AHEAD - 1 - a; ++i) value[t][i] = option[t].before(value[t][i], value[t][i + 1]);
        if (BARRIER == BARRIER_skip && !option[t].ended((lane + 1) * share + AHEAD, step)) continue;
#pragma unroll
        for (int i = 0; i < share + AHEAD - 1 - a; ++i) {
          if (option[t].ended(lane * share + i, step)) value[t][i] = 0;
        }
      }
    }
  }
#pragma unroll
  for (int t = 0; t < TREES; ++t) root[t] = value[t][0];
#endif

#pragma unroll
  for (int t = 0; t < TREES; ++t) {
    const int i = (blockIdx.x * TREES + t) * groups + group;
    if (lane == 0 && i < options) price[i] = root[t];
  }
}
