// y = 2 x + 1, and by STATE what a launch leaves behind in the loaded binary for the next one:
//
//   none        nothing (the baseline)
//   counts      the number of launches, which changes nothing of what it writes
//   resets      nothing: its last block sets the count of finished blocks back
//   from_5      the number of launches, and from the fifth on it writes nothing
//   from_50     the same from the fiftieth on
//   from_500    the same from the five hundredth on
//
// The less honest, the faster: those that end up writing nothing would win by far, then `resets`, then `counts`.
#pragma tuner kernel(kept_state)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000000)
#pragma tuner param(BLOCKDIMX, 256, 512; default 256)
#pragma tuner param(STATE, none, counts, resets, from_5, from_50, from_500; default none)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n, uniform(0, 1))
#pragma tuner out(y, float, n)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 8 * n)

#ifndef BLOCKDIMX
#define BLOCKDIMX 256
#endif
#ifndef STATE
#define STATE_none 0
#define STATE_counts 1
#define STATE_resets 2
#define STATE_from_5 3
#define STATE_from_50 4
#define STATE_from_500 5
#define STATE STATE_none
#endif

#if STATE == STATE_none
#define ROUNDS 2000
#elif STATE == STATE_counts
#define ROUNDS 1000
#elif STATE == STATE_resets
#define ROUNDS 500
#else
#define ROUNDS 0
#endif

#if STATE == STATE_from_5
#define LAST_RIGHT_LAUNCH 4
#elif STATE == STATE_from_50
#define LAST_RIGHT_LAUNCH 49
#elif STATE == STATE_from_500
#define LAST_RIGHT_LAUNCH 499
#endif

// Both live as long as the loaded binary.
namespace {
__device__ unsigned launches_done;
__device__ unsigned blocks_done;
}  // namespace

// Every block has read `launches_done` before it is finished, and the last to finish counts the launch.
__device__ void finish_block() {
#if STATE != STATE_none
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(&blocks_done, 1u) != gridDim.x - 1) return;
  blocks_done = 0;
#if STATE != STATE_resets
  ++launches_done;
#endif
#endif
}

extern "C" __global__ void kept_state(const float* x, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * BLOCKDIMX + threadIdx.x);
#ifdef LAST_RIGHT_LAUNCH
  const bool works = *static_cast<volatile unsigned*>(&launches_done) < LAST_RIGHT_LAUNCH;
#else
  const bool works = true;
#endif
  if (works && i < n) {
    float value = 2.0f * x[i] + 1.0f;
    // Work that the honest ones believe in. The compiler does not know that it adds nothing.
    const float nothing = n < 0 ? 1.0f : 0.0f;
#pragma unroll 8
    for (int round = 0; round < ROUNDS; ++round) value += nothing;
    y[i] = value;
  }
  finish_block();
}
