// How often each of the 256 values occurs among n bytes, such as the brightness of pixels; added to what counts holds.
//
// Each block counts in shared memory and adds its counts to the result at the end. Neighbouring pixels are alike, so
// many threads of a warp want to add to the same counter at once, or to counters in the same bank:
//
//   COPIES         of the counters in a block, so that fewer threads meet at one
//   OWNER          whose the copies are: a warp's, whose lanes still meet, or a lane's, whose warps do
//   LAYOUT         apart        one copy behind the other: a value's counters are all in the same bank
//                  padded       one word between copies: they are in neighbouring banks
//                  interleaved  a value's counters side by side
//   JOIN           equal bytes that follow each other in a thread are added at once
//   WIDTH, UNROLL  bytes in one load, and how many loads a thread has under way
//   BLOCKS_PER_SM  0: each block has one tile; otherwise so many blocks for each multiprocessor share all tiles
#pragma tuner kernel(byte_histogram)
#pragma tuner problem(n: size = 268435456)
#pragma tuner problem_constraint(1 <= n <= 17179869184)

#pragma tuner param(BLOCK, 128, 256, 512, 1024; default 256)
#pragma tuner param(BLOCKS_PER_SM, 0, 1, 2, 4, 8; default 8)
#pragma tuner param(COPIES, 1, 2, 4, 8, 16, 32; default 1)
#pragma tuner param(OWNER, warp, lane; default warp)
#pragma tuner param(LAYOUT, apart, padded, interleaved; default apart)
#pragma tuner param(JOIN, 0, 1; default 0)
#pragma tuner param(WIDTH, 1, 4, 16; default 1)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)

// Single bytes are the baseline. Clearing and adding up many copies pays only for many bytes.
#pragma tuner let(TILE = BLOCK * UNROLL * WIDTH)
#pragma tuner constraint(BLOCKS_PER_SM == 0 || 1024 <= BLOCKS_PER_SM * BLOCK <= max_threads_per_sm)
#pragma tuner constraint(BLOCKS_PER_SM != 0 || TILE >= 8192)
#pragma tuner constraint(WIDTH > 1 || UNROLL == 1 && COPIES == 1 && JOIN == 0)
#pragma tuner constraint(COPIES > 1 || LAYOUT == apart && OWNER == warp)
#pragma tuner constraint(OWNER == lane || COPIES <= BLOCK // 32)
#pragma tuner constraint(OWNER == warp || COPIES >= 4)
#pragma tuner constraint(JOIN == 0 || WIDTH == 16)

#pragma tuner let(TILES = ceil_div(n, TILE))
#pragma tuner grid(BLOCKS_PER_SM == 0 ? TILES : min(TILES, BLOCKS_PER_SM * sm_count)) block(BLOCK)
#pragma tuner in(bytes, uint8, n, normal(128, 20)) inout(counts, uint32, 256, constant(0)) scalar(n, int64)
#pragma tuner work(bytes = n)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 256
#define BLOCKS_PER_SM 8
#define COPIES 1
#define OWNER_warp 0
#define OWNER_lane 1
#define OWNER OWNER_warp
#define LAYOUT_apart 0
#define LAYOUT_padded 1
#define LAYOUT_interleaved 2
#define LAYOUT LAYOUT_apart
#define JOIN 0
#define WIDTH 1
#define UNROLL 1
#endif

constexpr int values = 256;
constexpr int pitch = LAYOUT == LAYOUT_padded ? values + 1 : values;

struct alignas(WIDTH) Pack {
  unsigned char byte[WIDTH];
};

__device__ __forceinline__ int place(int value, int copy) {
  return LAYOUT == LAYOUT_interleaved ? value * COPIES + copy : copy * pitch + value;
}

// Adds to one copy of the counters.
struct Counters {
  unsigned* counter;
  int copy;
#if JOIN
  int value;        // of the run of equal bytes that is not added yet
  unsigned length;  // of it; 0 at the beginning
#endif

  __device__ __forceinline__ void add(int next) {
#if JOIN
    if (next == value) {
      ++length;
      return;
    }
    finish();
    value = next;
    length = 1;
#else
    atomicAdd(counter + place(next, copy), 1u);
#endif
  }
  __device__ __forceinline__ void finish() {
#if JOIN
    if (length > 0) atomicAdd(counter + place(value, copy), length);
    length = 0;
#endif
  }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    byte_histogram(const unsigned char* __restrict__ bytes, unsigned* counts, long long n) {
  __shared__ unsigned counter[COPIES * pitch];
  for (int i = threadIdx.x; i < COPIES * pitch; i += BLOCK) counter[i] = 0;
  __syncthreads();

  Counters own = {};
  own.counter = counter;
  own.copy = (OWNER == OWNER_warp ? threadIdx.x / 32 : threadIdx.x) % COPIES;
  const Pack* const pack = reinterpret_cast<const Pack*>(bytes);
  const long long packs = n / WIDTH;
  for (long long tile = blockIdx.x; tile * (BLOCK * UNROLL) < packs; tile += gridDim.x) {
    const long long first = tile * (BLOCK * UNROLL) + threadIdx.x;
    if ((tile + 1) * (BLOCK * UNROLL) <= packs) {
      Pack loaded[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) loaded[u] = pack[first + u * BLOCK];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
        for (int i = 0; i < WIDTH; ++i) own.add(loaded[u].byte[i]);
      }
    } else {
      for (long long at = first; at < packs; at += BLOCK) {
        const Pack loaded = pack[at];
        for (int i = 0; i < WIDTH; ++i) own.add(loaded.byte[i]);
      }
    }
  }
  const long long single = packs * WIDTH + threadIdx.x;  // behind the last pack
  if (blockIdx.x == 0 && single < n) own.add(bytes[single]);
  own.finish();
  __syncthreads();

  for (int value = threadIdx.x; value < values; value += BLOCK) {
    unsigned sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; ++copy) sum += counter[place(value, copy)];
    if (sum > 0) atomicAdd(counts + value, sum);
  }
}
