// The Fourier transform of each of many rows of POINTS complex numbers, a power of two, by Stockham's method: passes of
// short transforms of RADIX points, between which the block exchanges numbers through shared memory. Numbers are read
// and written in order.
//
//   RADIX     of the passes; what is left for the last one may be less
//   THREADS   for a row; each does POINTS / RADIX / THREADS short transforms in a pass
//   ROWS      of a block
//   EXCHANGE  double_buffer  a pass writes into the other of two buffers
//             single_buffer  into one, when all have read
//             halves         first the real parts, then the imaginary ones, through a buffer for one of them
//   PAD       words behind each 32 in shared memory
//   FACTORS   computed  where they are needed
//             quick     likewise, by approximate sines
//             shared    once by the block, into shared memory
//   SYNC      block or warp: rows that a warp has alone need not wait for others
#pragma tuner kernel(fft_rows)
#pragma tuner problem(rows : size = 65536, POINTS : constant = 256)
#pragma tuner problem_constraint(1 <= rows <= 4194304) problem_constraint(is_pow2(POINTS) && 64 <= POINTS <= 1024)

#pragma tuner param(RADIX, 2, 4, 8, 16; default 2)
#pragma tuner param(THREADS, 4, 8, 16, 32, 64, 128; default 32)
#pragma tuner param(ROWS, 1, 2, 4, 8, 16; default 4)
#pragma tuner param(EXCHANGE, double_buffer, single_buffer, halves; default double_buffer)
#pragma tuner param(PAD, 0, 1; default 0)
#pragma tuner param(FACTORS, computed, quick, shared; default computed)
#pragma tuner param(SYNC, block, warp; default block)

// A thread has 32 numbers at most.
#pragma tuner let(WORK = POINTS // RADIX // THREADS)
#pragma tuner let(PADDED = POINTS + PAD * POINTS // 32)
#pragma tuner constraint(1 <= WORK && WORK * RADIX <= 32)
#pragma tuner constraint(64 <= ROWS * THREADS <= 256)
#pragma tuner constraint(SYNC == block || THREADS <= 32)
#pragma tuner let(ROW_WORDS = PADDED * (4 if EXCHANGE == double_buffer else (2 if EXCHANGE == single_buffer else 1)))
#pragma tuner constraint(4 * ROWS * ROW_WORDS + (8 * POINTS if FACTORS == shared else 0) <= 49152)

#pragma tuner grid(ceil_div(rows, ROWS)) block(ROWS * THREADS)
#pragma tuner in(signal, float2, rows * POINTS, uniform(-1, 1))
#pragma tuner out(spectrum, float2, rows * POINTS, rtol 1e-4, atol 1e-4 * sqrt(POINTS)) scalar(rows, int32)
#pragma tuner work(bytes = 16 * rows * POINTS, flops = 5 * rows * POINTS * log2(POINTS), type = float)

#ifndef RADIX  // what a bare nvcc compiles: the baseline
#define POINTS 256
#define RADIX 2
#define THREADS 32
#define ROWS 4
#define EXCHANGE_double_buffer 0
#define EXCHANGE_single_buffer 1
#define EXCHANGE_halves 2
#define EXCHANGE EXCHANGE_double_buffer
#define PAD 0
#define FACTORS_computed 0
#define FACTORS_quick 1
#define FACTORS_shared 2
#define FACTORS FACTORS_computed
#define SYNC_block 0
#define SYNC_warp 1
#define SYNC SYNC_block
#endif

constexpr int numbers = POINTS / THREADS;  // of a thread
constexpr int padded = POINTS + PAD * POINTS / 32;

__device__ __forceinline__ constexpr int place(int i) {
  return i + PAD * (i / 32);
}

__device__ __forceinline__ void wait() {
#if SYNC == SYNC_warp
  __syncwarp();
#else
  __syncthreads();
#endif
}

__device__ __forceinline__ float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// e^(-2 pi i part / whole)
__device__ __forceinline__ float2 factor(int part, int whole, const float2* table) {
#if FACTORS == FACTORS_shared
  return table[part * (POINTS / whole)];
#elif FACTORS == FACTORS_quick
  const float angle = -6.283185307f * part / whole;
  return make_float2(__cosf(angle), __sinf(angle));
#else
  const float half_turns = -2.0f * part / whole;
  return make_float2(cospif(half_turns), sinpif(half_turns));
#endif
}

constexpr float cosine_of_eighth = 0.70710678f, cosine_of_16th = 0.92387953f, sine_of_16th = 0.38268343f;

// e^(-2 pi i part / 16), for the parts that are known at compile time.
__device__ __forceinline__ float2 times_16th(float2 v, int part) {
  switch (part) {
    case 0:
      return v;
    case 1:
      return product(v, make_float2(cosine_of_16th, -sine_of_16th));
    case 2:
      return product(v, make_float2(cosine_of_eighth, -cosine_of_eighth));
    case 3:
      return product(v, make_float2(sine_of_16th, -cosine_of_16th));
    case 4:
      return make_float2(v.y, -v.x);
    case 5:
      return product(v, make_float2(-sine_of_16th, -cosine_of_16th));
    case 6:
      return product(v, make_float2(-cosine_of_eighth, -cosine_of_eighth));
    default:
      return product(v, make_float2(-cosine_of_16th, -sine_of_16th));
  }
}

// The transform of N numbers that lie `step` apart, in registers; its results too.
template <int N>
struct Short {
  __device__ static __forceinline__ void transform(float2 (&v)[N]) {
    float2 even[N / 2], odd[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) even[i] = v[2 * i], odd[i] = v[2 * i + 1];
    Short<N / 2>::transform(even);
    Short<N / 2>::transform(odd);
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      const float2 other = times_16th(odd[i], i * (16 / N));
      v[i] = make_float2(even[i].x + other.x, even[i].y + other.y);
      v[i + N / 2] = make_float2(even[i].x - other.x, even[i].y - other.y);
    }
  }
};
template <>
struct Short<1> {
  __device__ static __forceinline__ void transform(float2 (&)[1]) {}
};

__device__ __forceinline__ constexpr int radix_after(int done) {
  return POINTS / done < RADIX ? POINTS / done : RADIX;
}

// The numbers of a thread, and what it needs to exchange them with the others of its row.
struct Row {
  float *words, *first_buffer, *second_buffer;
  const float2* table;
  int thread;
  float2 own[numbers];

  // Where number k of the thread is read for a pass of short transforms of N numbers, and where the result belongs if
  // DONE numbers each were transformed before.
  template <int N>
  __device__ __forceinline__ int taken(int k) const {
    return thread + k / N * THREADS + k % N * (POINTS / N);
  }
  template <int N, int DONE>
  __device__ __forceinline__ int left(int k) const {
    const int j = thread + k / N * THREADS;
    return j / DONE * (DONE * N) + j % DONE + k % N * DONE;
  }

  // Gives away the results of short transforms of N, and gets the numbers for those of NEXT.
  template <int N, int DONE, int NEXT>
  __device__ __forceinline__ void exchange() {
#if EXCHANGE == EXCHANGE_halves
    float real[numbers];
    wait();
#pragma unroll
    for (int k = 0; k < numbers; ++k) words[place(left<N, DONE>(k))] = own[k].x;
    wait();
#pragma unroll
    for (int k = 0; k < numbers; ++k) real[k] = words[place(taken<NEXT>(k))];
    wait();
#pragma unroll
    for (int k = 0; k < numbers; ++k) words[place(left<N, DONE>(k))] = own[k].y;
    wait();
#pragma unroll
    for (int k = 0; k < numbers; ++k) own[k] = make_float2(real[k], words[place(taken<NEXT>(k))]);
#else
    float2* const both = reinterpret_cast<float2*>(words);
#if EXCHANGE == EXCHANGE_single_buffer
    wait();
#endif
#pragma unroll
    for (int k = 0; k < numbers; ++k) both[place(left<N, DONE>(k))] = own[k];
    wait();
#pragma unroll
    for (int k = 0; k < numbers; ++k) own[k] = both[place(taken<NEXT>(k))];
#if EXCHANGE == EXCHANGE_double_buffer
    words = words == first_buffer ? second_buffer : first_buffer;
#endif
#endif
  }

  // The passes that are left when DONE numbers each were transformed.
  template <int DONE>
  __device__ __forceinline__ void transform(float2* to, bool writes) {
    constexpr int n = radix_after(DONE);
#pragma unroll
    for (int w = 0; w < numbers / n; ++w) {
      float2 taken_together[n];
#pragma unroll
      for (int i = 0; i < n; ++i) {
        taken_together[i] = own[w * n + i];
        if (DONE > 1 && i > 0) {
          const int part = (thread + w * THREADS) % DONE * i;
          taken_together[i] = product(taken_together[i], factor(part, DONE * n, table));
        }
      }
      Short<n>::transform(taken_together);
#pragma unroll
      for (int i = 0; i < n; ++i) own[w * n + i] = taken_together[i];
    }
    if constexpr (DONE * n < POINTS) {
      exchange<n, DONE, radix_after(DONE * n)>();
      transform<DONE * n>(to, writes);
    } else if (writes) {
#pragma unroll
      for (int k = 0; k < numbers; ++k) to[left<n, DONE>(k)] = own[k];
    }
  }
};

extern "C" __global__ void __launch_bounds__(ROWS* THREADS)
    fft_rows(const float2* __restrict__ signal, float2* __restrict__ spectrum, int rows) {
  constexpr int words_of_buffer = EXCHANGE == EXCHANGE_halves ? padded : 2 * padded;
  constexpr int buffers = EXCHANGE == EXCHANGE_double_buffer ? 2 : 1;
  __shared__ __align__(8) float shared_words[ROWS][buffers][words_of_buffer];
#if FACTORS == FACTORS_shared
  __shared__ float2 table[POINTS];
  for (int i = threadIdx.x; i < POINTS; i += ROWS * THREADS) {
    table[i] = make_float2(cospif(-2.0f * i / POINTS), sinpif(-2.0f * i / POINTS));
  }
  __syncthreads();
#else
  const float2* const table = nullptr;
#endif

  const int in_block = threadIdx.x / THREADS, number = blockIdx.x * ROWS + in_block;
  // Threads behind the last row do that one's work, so that all meet, and write nothing.
  const long long begin = static_cast<long long>(min(number, rows - 1)) * POINTS;
  Row row;
  row.first_buffer = row.words = shared_words[in_block][0];
  row.second_buffer = shared_words[in_block][buffers - 1];
  row.table = table;
  row.thread = threadIdx.x % THREADS;
#pragma unroll
  for (int k = 0; k < numbers; ++k) row.own[k] = signal[begin + row.taken<RADIX>(k)];
  row.transform<1>(spectrum + begin, number < rows);
}
