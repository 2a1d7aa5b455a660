// The best local alignment of each of many pairs of DNA strings (Smith and Waterman): equal letters give 2, different
// ones -1, and each gap -2. Of the table of LENGTH x length scores only the greatest is wanted; a score depends on
// those to its left, above it, and diagonally before it. Codes of four letters are a byte each.
//
// LANES threads of a warp share a pair. Each has LENGTH / LANES columns in registers and is one row behind its left
// neighbour, from which it gets the score to its left.
//
//   PAIRS   that a group of LANES threads has, side by side
//   ROWS    rows that a lane computes before it passes its last scores on: fewer exchanges, more waiting at both ends
//   TEXT    the letters of the rows are read  global  one by one, by each lane
//                                             shared  by the block beforehand
//                                             words   as four in a word
//   SCORE   how two letters are compared: by a branch-free choice, or by a look into a table of 16 scores, in a word
//   BLOCKS  of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(align_pairs)
#pragma tuner problem(pairs : size = 16384, length : size = 128, LENGTH : constant = 128)
#pragma tuner problem_constraint(1 <= pairs <= 1048576) problem_constraint(4 <= length <= 512 && length % 4 == 0)
#pragma tuner problem_constraint(is_pow2(LENGTH) && 64 <= LENGTH <= 256)

#pragma tuner param(BLOCK, 32, 64, 128, 256, 512; default 128)
#pragma tuner param(LANES, 4, 8, 16, 32; default 32)
#pragma tuner param(PAIRS, 1, 2; default 1)
#pragma tuner param(ROWS, 1, 2, 4; default 1)
#pragma tuner param(TEXT, global, shared, words; default global)
#pragma tuner param(SCORE, choice, table; default choice)
#pragma tuner param(BLOCKS, 0, 2, 4, 8; default 0)

// A lane has 32 columns at most, of all its pairs, and four letters are for four rows.
#pragma tuner let(SHARED_BYTES = TEXT == shared ? BLOCK // LANES * PAIRS * length : 0)
#pragma tuner constraint(LENGTH * PAIRS <= 32 * LANES)
#pragma tuner constraint((TEXT == words) <= (ROWS == 4))
#pragma tuner constraint(BLOCKS * BLOCK <= 1024)
#pragma tuner constraint(SHARED_BYTES <= max_shared_per_block)

#pragma tuner grid(ceil_div(pairs, BLOCK // LANES * PAIRS)) block(BLOCK) shared(SHARED_BYTES)
#pragma tuner in(columns, uint8, pairs * LENGTH, index(4)) in(rows, uint8, pairs * length, index(4))
#pragma tuner out(best, int32, pairs)
#pragma tuner scalar(pairs, int32) scalar(length, int32)
#pragma tuner work(bytes = pairs * (LENGTH + length + 4), flops = 8 * pairs * LENGTH * length)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define LENGTH 128
#define BLOCK 128
#define LANES 32
#define PAIRS 1
#define ROWS 1
#define TEXT_global 0
#define TEXT_shared 1
#define TEXT_words 2
#define TEXT TEXT_global
#define SCORE_choice 0
#define SCORE_table 1
#define SCORE SCORE_choice
#define BLOCKS 0
#endif

__device__ constexpr int own_columns = LENGTH / LANES, gap = 2;

__device__ __forceinline__ int score_of(int a, int b) {
#if SCORE == SCORE_table
  // Two bits for each pair of letters, the score and one.
  return static_cast<int>(0xC0300C03u >> (8 * a + 2 * b) & 3) - 1;
#else
  return a == b ? 2 : -1;
#endif
}

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS align_pairs(const unsigned char* __restrict__ columns,
                                              const unsigned char* __restrict__ rows, int* __restrict__ best, int pairs,
                                              int length) {
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const int first_pair = (blockIdx.x * (BLOCK / LANES) + group) * PAIRS;
#if TEXT == TEXT_shared
  extern __shared__ unsigned char letters[];
#endif

  unsigned char own[PAIRS][own_columns];
  int above[PAIRS][own_columns] = {}, last[PAIRS][ROWS] = {}, corner[PAIRS] = {}, greatest[PAIRS] = {};
  const unsigned char* text[PAIRS];
#pragma unroll
  for (int p = 0; p < PAIRS; ++p) {
    // A group behind the last pair does that one's work, so that all lanes meet, and writes nothing.
    const int pair = min(first_pair + p, pairs - 1);
    text[p] = rows + static_cast<long long>(pair) * length;
#if TEXT == TEXT_shared
    unsigned char* const kept = letters + (group * PAIRS + p) * length;
    for (int i = lane; i < length; i += LANES) kept[i] = text[p][i];
    text[p] = kept;
#endif
#pragma unroll
    for (int c = 0; c < own_columns; ++c) {
      own[p][c] = columns[static_cast<long long>(pair) * LENGTH + lane * own_columns + c];
    }
  }
  __syncthreads();

#pragma unroll 1
  for (int step = -lane * ROWS; step < length + (LANES - 1 - lane) * ROWS; step += ROWS) {
#pragma unroll
    for (int p = 0; p < PAIRS; ++p) {
#if TEXT == TEXT_words
      const unsigned word = 0 <= step && step < length ? *reinterpret_cast<const unsigned*>(text[p] + step) : 0;
#endif
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const int row = step + r;
        int left = __shfl_up_sync(0xffffffff, last[p][r], 1, LANES);
        if (lane == 0) left = 0;
        if (row < 0 || row >= length) continue;
#if TEXT == TEXT_words
        const int letter = word >> (8 * r) & 0xff;
#else
        const int letter = text[p][row];
#endif
        int before = corner[p];
        corner[p] = left;
#pragma unroll
        for (int c = 0; c < own_columns; ++c) {
          const int here = max(max(before + score_of(letter, own[p][c]), 0), max(left, above[p][c]) - gap);
          before = above[p][c];
          above[p][c] = left = here;
          greatest[p] = max(greatest[p], here);
        }
        last[p][r] = left;
      }
    }
  }

#pragma unroll
  for (int p = 0; p < PAIRS; ++p) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
      greatest[p] = max(greatest[p], __shfl_xor_sync(0xffffffff, greatest[p], distance));
    }
    if (lane == 0 && first_pair + p < pairs) best[first_pair + p] = greatest[p];
  }
}
