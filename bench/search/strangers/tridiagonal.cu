// Many small tridiagonal systems, each of SIZE equations, a power of two:
// lower[i] * x[i - 1] + main[i] * x[i] + upper[i] * x[i + 1] = right[i], as implicit steps of diffusion need them.
// The main diagonal outweighs the others, so that nothing need be exchanged.
//
// A block has its systems in shared memory. STEPS of cyclic reduction turn each into 2^STEPS systems of every
// 2^STEPS-th unknown, of which a thread solves one by elimination: 0 is plain elimination by one thread, log2(SIZE)
// leaves nothing to eliminate.
//
//   SYSTEMS  of a block
//   THREADS  for each of them; those that have no system after the last step wait
//   PAD      words after each system in shared memory
//   WIDTH    equations in one load
//   BUFFERS  a step writes into the other of two, or keeps its results in registers until all threads have read
//   DIVIDE   fast: by an approximate reciprocal
#pragma tuner kernel(tridiagonal)
#pragma tuner problem(systems : size = 65536, SIZE : constant = 128)
#pragma tuner problem_constraint(1 <= systems <= 4194304) problem_constraint(is_pow2(SIZE) && 16 <= SIZE <= 512)

#pragma tuner param(STEPS, 0, 2, 3, 4, 5, 6, 7; default 0)
#pragma tuner param(SYSTEMS, 1, 2, 4, 8, 16, 32; default 8)
#pragma tuner param(THREADS, 4, 8, 16, 32, 64, 128; default 16)
#pragma tuner param(PAD, 0, 1, 4; default 0)
#pragma tuner param(WIDTH, 1, 4; default 1)
#pragma tuner param(BUFFERS, 1, 2; default 1)
#pragma tuner param(DIVIDE, exact, fast; default exact)

// A thread has 32 equations at most, and a block 32 to 512 threads. Padding for wide loads keeps 16 bytes together.
#pragma tuner let(ROW = SIZE + PAD)
#pragma tuner let(SHARED_BYTES = 16 * BUFFERS * SYSTEMS * ROW)
#pragma tuner constraint(1 << STEPS <= SIZE)
#pragma tuner constraint(THREADS <= SIZE && SIZE <= 32 * THREADS)
#pragma tuner constraint(32 <= SYSTEMS * THREADS <= 512)
#pragma tuner constraint(STEPS > 0 || BUFFERS == 1)
#pragma tuner constraint(WIDTH == 1 || PAD % 4 == 0)
#pragma tuner constraint(BUFFERS == 2 || STEPS == 0 || SIZE <= 8 * THREADS)
#pragma tuner constraint(1 << STEPS <= 2 * THREADS)
#pragma tuner constraint(SHARED_BYTES <= max_shared_per_block)

#pragma tuner grid(ceil_div(systems, SYSTEMS)) block(SYSTEMS * THREADS) shared(SHARED_BYTES)
#pragma tuner in(lower, float, systems * SIZE, uniform(-1, 1)) in(main_diagonal, float, systems * SIZE, uniform(4, 5))
#pragma tuner in(upper, float, systems * SIZE, uniform(-1, 1)) in(right, float, systems * SIZE, uniform(1, 2))
#pragma tuner out(x, float, systems * SIZE, rtol 1e-4, atol 1e-5)
#pragma tuner scalar(systems, int32)
#pragma tuner work(bytes = 20 * systems * SIZE, flops = 8 * systems * SIZE, type = float)

#ifndef THREADS  // what a bare nvcc compiles: the baseline
#define SIZE 128
#define STEPS 0
#define SYSTEMS 8
#define THREADS 16
#define PAD 0
#define WIDTH 1
#define BUFFERS 1
#define DIVIDE_exact 0
#define DIVIDE_fast 1
#define DIVIDE DIVIDE_exact
#endif

#if WIDTH == 4
using Word = float4;
#else
using Word = float;
#endif

constexpr int row_words = SIZE + PAD, part = SYSTEMS * row_words;

__device__ __forceinline__ float divide(float a, float b) {
#if DIVIDE == DIVIDE_fast
  return __fdividef(a, b);
#else
  return a / b;
#endif
}

struct Equation {
  float lower, main, upper, right;
};

// The systems of a block: all that lies below the diagonals, then the diagonals, and so on.
struct Systems {
  float* words;

  __device__ __forceinline__ Equation equation(int at) const {
    return {words[at], words[at + part], words[at + 2 * part], words[at + 3 * part]};
  }
  __device__ __forceinline__ void set(int at, const Equation& e) const {
    words[at] = e.lower, words[at + part] = e.main, words[at + 2 * part] = e.upper, words[at + 3 * part] = e.right;
  }
};

// Equation i of the system that begins at `row`, without its unknowns `stride` away, which bring in those twice as far.
__device__ __forceinline__ Equation reduced(const Systems& systems, int row, int i, int stride) {
  const Equation here = systems.equation(row + i);
  Equation result = {0, here.main, 0, here.right};
  if (i >= stride) {
    const Equation before = systems.equation(row + i - stride);
    const float factor = divide(here.lower, before.main);
    result.lower = -factor * before.lower;
    result.main -= factor * before.upper;
    result.right -= factor * before.right;
  }
  if (i + stride < SIZE) {
    const Equation after = systems.equation(row + i + stride);
    const float factor = divide(here.upper, after.main);
    result.upper = -factor * after.upper;
    result.main -= factor * after.lower;
    result.right -= factor * after.right;
  }
  return result;
}

// Solves every stride-th equation from the first-th on, and leaves the unknowns in place of the right sides.
__device__ __forceinline__ void eliminate(const Systems& systems, int row, int first, int stride) {
  float* const uppers = systems.words + 2 * part + row;
  float* const rights = systems.words + 3 * part + row;
  float upper = 0, right = 0;
#pragma unroll 1
  for (int i = first; i < SIZE; i += stride) {
    const Equation here = systems.equation(row + i);
    const float pivot = here.main - here.lower * upper;
    uppers[i] = upper = divide(here.upper, pivot);
    rights[i] = right = divide(here.right - here.lower * right, pivot);
  }
  float x = 0;
#pragma unroll 1
  for (int i = first + SIZE - stride; i >= 0; i -= stride) rights[i] = x = rights[i] - uppers[i] * x;
}

extern "C" __global__ void __launch_bounds__(SYSTEMS* THREADS)
    tridiagonal(const float* __restrict__ lower, const float* __restrict__ main_diagonal,
                const float* __restrict__ upper, const float* __restrict__ right, float* __restrict__ x, int systems) {
  extern __shared__ float4 shared_words[];
  constexpr int words_of_system = SIZE / WIDTH, block = SYSTEMS * THREADS;
  Systems now = {reinterpret_cast<float*>(shared_words)};
  const int first_system = blockIdx.x * SYSTEMS, count = min(SYSTEMS, systems - first_system);
  const long long first_word = static_cast<long long>(first_system) * words_of_system;

  const float* const inputs[] = {lower, main_diagonal, upper, right};
#pragma unroll 2
  for (int i = threadIdx.x; i < count * words_of_system; i += block) {
    const int at = i / words_of_system * row_words + i % words_of_system * WIDTH;
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      *reinterpret_cast<Word*>(now.words + p * part + at) = reinterpret_cast<const Word*>(inputs[p])[first_word + i];
    }
  }
  __syncthreads();

  const int thread = threadIdx.x % THREADS, row = threadIdx.x / THREADS * row_words;
  const bool has_system = static_cast<int>(threadIdx.x) / THREADS < count;
  // What is beside a system is not looked at, so its first lower and last upper element may be anything.
  if (has_system && thread == 0) {
    now.words[row] = 0;
    now.words[row + 2 * part + SIZE - 1] = 0;
  }
  __syncthreads();

#pragma unroll 1
  for (int stride = 1; stride < 1 << STEPS; stride *= 2) {
#if BUFFERS == 2
    const Systems next = {reinterpret_cast<float*>(shared_words) +
                          (now.words == reinterpret_cast<float*>(shared_words) ? 4 * part : 0)};
    if (has_system) {
#pragma unroll 1
      for (int i = thread; i < SIZE; i += THREADS) next.set(row + i, reduced(now, row, i, stride));
    }
    now = next;
#else
    Equation own[SIZE / THREADS];
    if (has_system) {
#pragma unroll
      for (int k = 0; k < SIZE / THREADS; ++k) own[k] = reduced(now, row, thread + k * THREADS, stride);
    }
    __syncthreads();
    if (has_system) {
#pragma unroll
      for (int k = 0; k < SIZE / THREADS; ++k) now.set(row + thread + k * THREADS, own[k]);
    }
#endif
    __syncthreads();
  }

  if (has_system) {
#pragma unroll 1
    for (int first = thread; first < 1 << STEPS; first += THREADS) eliminate(now, row, first, 1 << STEPS);
  }
  __syncthreads();
  Word* const to = reinterpret_cast<Word*>(x) + first_word;
  for (int i = threadIdx.x; i < count * words_of_system; i += block) {
    const int at = 3 * part + i / words_of_system * row_words + i % words_of_system * WIDTH;
    to[i] = *reinterpret_cast<const Word*>(now.words + at);
  }
}
