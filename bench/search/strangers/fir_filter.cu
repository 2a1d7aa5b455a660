// A symmetric filter of TAPS taps over each of many channels of samples:
// filtered[c][i] = the sum of taps[min(k, TAPS - 1 - k)] * samples[c][i + k] over k below TAPS.
//
//   OUTPUTS  of a thread
//   LAYOUT   apart  they lie BLOCK apart, and share no loads
//            near   they are neighbours: what is loaded for one serves the others
//   WINDOW   of near outputs: loaded anew for every UNROLL taps, or moved along, so that only what is new is loaded
//   SAMPLES  global  read through the caches
//            shared  the block has its samples in shared memory
//            skewed  likewise, with an empty word after every 32, so that near outputs of threads lie in many banks
//   FILL     words in one load into shared memory
//   TAPS_IN  constant or shared memory
//   FOLD     adds the two samples that have the same tap before it multiplies
//   UNROLL   taps of a round of the loop
//   STORE    `streaming` leaves the caches to others
//   BLOCKS   of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(fir_filter)
#pragma tuner problem(channels : size = 64, samples : size = 262144, TAPS : constant = 64)
#pragma tuner problem_constraint(1 <= channels <= 65535)
#pragma tuner problem_constraint(4 <= samples <= 16777216 && samples % 4 == 0)
#pragma tuner problem_constraint(16 <= TAPS <= 256 && TAPS % 16 == 0)

#pragma tuner param(BLOCK, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(OUTPUTS, 1, 2, 4, 8, 16; default 1)
#pragma tuner param(LAYOUT, apart, near; default apart)
#pragma tuner param(WINDOW, reload, slide; default reload)
#pragma tuner param(SAMPLES, global, shared, skewed; default global)
#pragma tuner param(FILL, 0, 1, 4; default 0)
#pragma tuner param(TAPS_IN, constant, shared; default constant)
#pragma tuner param(FOLD, 0, 1; default 0)
#pragma tuner param(UNROLL, 1, 2, 4, 8; default 1)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner param(BLOCKS, 0, 2, 4; default 0)

// Outputs apart have no window and no conflicts. A skewed sample is alone: no four lie together for certain.
#pragma tuner let(TILE = BLOCK * OUTPUTS)
#pragma tuner constraint(LAYOUT == apart || OUTPUTS > 1)
#pragma tuner constraint(LAYOUT == near || WINDOW == reload && SAMPLES != skewed)
#pragma tuner constraint((SAMPLES == global) == (FILL == 0))
#pragma tuner constraint(SAMPLES != skewed || FILL == 1)
#pragma tuner constraint(TILE <= 8192)
#pragma tuner constraint(OUTPUTS * UNROLL <= 32)
#pragma tuner constraint(BLOCKS * BLOCK <= 1024 && (BLOCKS == 0 || OUTPUTS >= 2 && OUTPUTS * UNROLL <= 16))
#pragma tuner constraint(4 * (round_up((TILE + TAPS) * 33, 32) // 32 + TAPS) <= 49152)

#pragma tuner grid(ceil_div(samples, TILE), channels) block(BLOCK)
#pragma tuner constant(taps, float, TAPS // 2, uniform(0, 1 / TAPS))
#pragma tuner in(samples_of, float, channels * (samples + TAPS), uniform(0, 1))
#pragma tuner out(filtered, float, channels * samples) scalar(samples, int32)
#pragma tuner work(bytes = 8 * channels * samples, flops = 2 * TAPS * channels * samples, type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define TAPS 64
#define BLOCK 128
#define OUTPUTS 1
#define LAYOUT_apart 0
#define LAYOUT_near 1
#define LAYOUT LAYOUT_apart
#define WINDOW_reload 0
#define WINDOW_slide 1
#define WINDOW WINDOW_reload
#define SAMPLES_global 0
#define SAMPLES_shared 1
#define SAMPLES_skewed 2
#define SAMPLES SAMPLES_global
#define FILL 0
#define TAPS_IN_constant 0
#define TAPS_IN_shared 1
#define TAPS_IN TAPS_IN_constant
#define FOLD 0
#define UNROLL 1
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define BLOCKS 0
#endif

#if FILL == 4
using Word = float4;
#else
using Word = float;
#endif

__constant__ float taps[TAPS / 2];

constexpr int tile = BLOCK * OUTPUTS, needed = tile + TAPS;
constexpr int between = LAYOUT == LAYOUT_near ? 1 : BLOCK;  // outputs of a thread

// Where sample i of a tile is in shared memory.
__device__ __forceinline__ constexpr int place(int i) {
  return SAMPLES == SAMPLES_skewed ? i + i / 32 : i;
}

// The samples from a thread's first output on.
struct Samples {
  const float* from;
  int first, end;  // in the tile; end: of what there is to read

  __device__ __forceinline__ float operator[](int i) const {
#if SAMPLES == SAMPLES_global
    return first + i < end ? __ldg(from + first + i) : 0.0f;
#else
    return from[place(first + i)];
#endif
  }
};

// The samples that UNROLL taps of a thread's outputs need.
struct Window {
#if LAYOUT == LAYOUT_near
  static constexpr int size = OUTPUTS + UNROLL - 1;
  float value[size];

  __device__ __forceinline__ void load(const Samples& samples, int tap, int from = 0, int to = size) {
#pragma unroll
    for (int i = from; i < to; ++i) value[i] = samples[tap + i];
  }
  __device__ __forceinline__ float at(int output, int tap) const {
    return value[output + tap];
  }
#if WINDOW == WINDOW_slide
  __device__ __forceinline__ void move_up(const Samples& samples, int tap) {
#pragma unroll
    for (int i = 0; i + UNROLL < size; ++i) value[i] = value[i + UNROLL];
    load(samples, tap, OUTPUTS - 1, size);
  }
  __device__ __forceinline__ void move_down(const Samples& samples, int tap) {
#pragma unroll
    for (int i = size - 1; i >= UNROLL; --i) value[i] = value[i - UNROLL];
    load(samples, tap, 0, UNROLL);
  }
#else
  __device__ __forceinline__ void move_up(const Samples& samples, int tap) {
    load(samples, tap);
  }
  __device__ __forceinline__ void move_down(const Samples& samples, int tap) {
    load(samples, tap);
  }
#endif
#else
  float value[OUTPUTS][UNROLL];

  __device__ __forceinline__ void load(const Samples& samples, int tap) {
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) value[o][u] = samples[o * BLOCK + tap + u];
    }
  }
  __device__ __forceinline__ float at(int output, int tap) const {
    return value[output][tap];
  }
  __device__ __forceinline__ void move_up(const Samples& samples, int tap) {
    load(samples, tap);
  }
  __device__ __forceinline__ void move_down(const Samples& samples, int tap) {
    load(samples, tap);
  }
#endif
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS fir_filter(const float* __restrict__ samples_of, float* __restrict__ filtered,
                                             int samples) {
  const int first = blockIdx.x * tile, there = samples + TAPS - first;
  const float* const from = samples_of + static_cast<long long>(blockIdx.y) * (samples + TAPS) + first;
  const int own = threadIdx.x * (LAYOUT == LAYOUT_near ? OUTPUTS : 1);

#if TAPS_IN == TAPS_IN_shared
  __shared__ float tap_of[TAPS / 2];
  for (int i = threadIdx.x; i < TAPS / 2; i += BLOCK) tap_of[i] = taps[i];
#else
  const float* const tap_of = taps;
#endif
#if SAMPLES != SAMPLES_global
  __shared__ __align__(16) float staged[place(needed) + 1];
  for (int i = threadIdx.x * FILL; i < needed; i += BLOCK * FILL) {
    Word word = {};
    if (i < there) word = __ldg(reinterpret_cast<const Word*>(from + i));
    *reinterpret_cast<Word*>(staged + place(i)) = word;
  }
  const Samples here = {staged, own, needed};
#else
  const Samples here = {from, own, there};
#endif
#if SAMPLES != SAMPLES_global || TAPS_IN == TAPS_IN_shared
  __syncthreads();
#endif

  float sum[OUTPUTS] = {};
  Window up, down;
  up.load(here, 0);
  down.load(here, TAPS - UNROLL);
#pragma unroll 1
  for (int k = 0; k < TAPS / 2; k += UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const float tap = tap_of[k + u];
#pragma unroll
      for (int o = 0; o < OUTPUTS; ++o) {
        const float one = up.at(o, u), other = down.at(o, UNROLL - 1 - u);
#if FOLD
        sum[o] += tap * (one + other);
#else
        sum[o] += tap * one;
        sum[o] += tap * other;
#endif
      }
    }
    if (k + UNROLL < TAPS / 2) {
      up.move_up(here, k + UNROLL);
      down.move_down(here, TAPS - k - 2 * UNROLL);
    }
  }

  float* const to = filtered + static_cast<long long>(blockIdx.y) * samples + first;
#pragma unroll
  for (int o = 0; o < OUTPUTS; ++o) {
    const int i = own + o * between;
    if (first + i >= samples) continue;
#if STORE == STORE_streaming
    __stcs(to + i, sum[o]);
#else
    to[i] = sum[o];
#endif
  }
}
