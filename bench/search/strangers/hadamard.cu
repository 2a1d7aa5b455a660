// The Walsh-Hadamard transform of each row of SIZE integers, a power of two: out[i] = the sum of in[j], with its sign
// changed where i & j has an odd number of ones. Like a Fourier transform it takes log2(SIZE) levels of sums and
// differences, of elements whose numbers differ in one bit.
//
//   ELEMENTS  of a row in a thread's registers: the levels of log2(ELEMENTS) bits need no other thread
//   THREADS   of a block, with as many rows as they have room for
//   EXCHANGE  shared   the elements go through shared memory before the next bits
//             shuffle  the bits after the first are those of the lane: pairs of lanes exchange them
//   PAD       one word of shared memory is left out after so many; 0: none
//   WIDTH     elements in one load, where a thread begins with neighbours
//   STORE     `streaming` leaves the caches to the next kernel
#pragma tuner kernel(hadamard)
#pragma tuner problem(rows : size = 65536, SIZE : constant = 1024)
#pragma tuner problem_constraint(1 <= rows <= 1048576) problem_constraint(is_pow2(SIZE) && 64 <= SIZE <= 4096)

#pragma tuner param(ELEMENTS, 2, 4, 8, 16, 32; default 4)
#pragma tuner param(THREADS, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(EXCHANGE, shared, shuffle; default shared)
#pragma tuner param(PAD, 0, 8, 32; default 0)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(STORE, plain, streaming; default plain)

#pragma tuner define(THREADS_OF_ROW = SIZE // ELEMENTS)
#pragma tuner constraint(THREADS_OF_ROW <= THREADS && THREADS * ELEMENTS <= 8192)
#pragma tuner constraint(WIDTH <= ELEMENTS)

#pragma tuner let(ROWS = THREADS // THREADS_OF_ROW)
#pragma tuner let(WORDS = PAD == 0 ? SIZE : SIZE + SIZE // PAD)
#pragma tuner constraint(4 * ROWS * WORDS <= max_shared_per_block)
#pragma tuner grid(ceil_div(rows, ROWS)) block(THREADS) shared(4 * ROWS * WORDS)
#pragma tuner in(input, int32, rows * SIZE, index(1000)) out(output, int32, rows * SIZE)
#pragma tuner scalar(rows, int32)
#pragma tuner work(bytes = 8 * rows * SIZE, flops = rows * SIZE * log2(SIZE))

#ifndef THREADS  // what a bare nvcc compiles: the baseline
#define SIZE 1024
#define ELEMENTS 4
#define THREADS 256
#define EXCHANGE_shared 0
#define EXCHANGE_shuffle 1
#define EXCHANGE EXCHANGE_shared
#define PAD 0
#define WIDTH 1
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define THREADS_OF_ROW 256
#endif

__device__ constexpr int log2_of(int value) {
  return value <= 1 ? 0 : 1 + log2_of(value / 2);
}
constexpr int bits = log2_of(SIZE), own_bits = log2_of(ELEMENTS);

#if WIDTH == 4
using Word = int4;
#elif WIDTH == 2
using Word = int2;
#else
using Word = int;
#endif

union Elements {
  int value[ELEMENTS];
  Word word[ELEMENTS / WIDTH];
};

__device__ __forceinline__ int padded(int i) {
#if PAD > 0
  return i + i / PAD;
#else
  return i;
#endif
}

// The number in its row of an element of a thread whose elements differ in the bits from `low` on.
__device__ __forceinline__ int number(int thread, int element, int low) {
  return (thread >> low << (low + own_bits)) | (element << low) | (thread & ((1 << low) - 1));
}

// The levels of the elements' bits `from` to `end`.
__device__ __forceinline__ void own_levels(Elements& own, int from, int end) {
#pragma unroll
  for (int bit = 0; bit < own_bits; ++bit) {
    if (bit < from || bit >= end) continue;
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      if (e >> bit & 1) continue;
      const int a = own.value[e], b = own.value[e | 1 << bit];
      own.value[e] = a + b;
      own.value[e | 1 << bit] = a - b;
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    hadamard(const int* __restrict__ input, int* __restrict__ output, int rows) {
  extern __shared__ int shared_rows[];
  constexpr int words = PAD > 0 ? SIZE + SIZE / (PAD > 0 ? PAD : 1) : SIZE;
  const int thread = threadIdx.x % THREADS_OF_ROW, row_of_block = threadIdx.x / THREADS_OF_ROW;
  const int row = blockIdx.x * (THREADS / THREADS_OF_ROW) + row_of_block;
  int* const shared_row = shared_rows + row_of_block * words;

  Elements own = {};
  if (row < rows) {
    const Word* const from = reinterpret_cast<const Word*>(input + static_cast<long long>(row) * SIZE);
#pragma unroll
    for (int w = 0; w < ELEMENTS / WIDTH; ++w) own.word[w] = from[thread * (ELEMENTS / WIDTH) + w];
  }
  own_levels(own, 0, own_bits);
  int low = 0, done = own_bits;
#if EXCHANGE == EXCHANGE_shuffle
  constexpr int lane_bits = log2_of(THREADS_OF_ROW < 32 ? THREADS_OF_ROW : 32);
#pragma unroll
  for (int bit = 0; bit < lane_bits; ++bit) {
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      const int other = __shfl_xor_sync(0xffffffff, own.value[e], 1 << bit);
      own.value[e] = thread >> bit & 1 ? other - own.value[e] : own.value[e] + other;
    }
  }
  done += lane_bits;
#endif

#pragma unroll
  while (done < bits) {
    __syncthreads();
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) shared_row[padded(number(thread, e, low))] = own.value[e];
    __syncthreads();
    low = min(done, bits - own_bits);
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) own.value[e] = shared_row[padded(number(thread, e, low))];
    own_levels(own, done - low, own_bits);
    done = low + own_bits;
  }

  if (row >= rows) return;
#pragma unroll
  for (int e = 0; e < ELEMENTS; ++e) {
    int* const to = output + static_cast<long long>(row) * SIZE + number(thread, e, low);
#if STORE == STORE_streaming
    __stcs(to, own.value[e]);
#else
    *to = own.value[e];
#endif
  }
}
