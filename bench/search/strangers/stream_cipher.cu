// Words exclusive-or'ed with the stream of a cipher (ChaCha20): each 16 words are mixed with a block of 16 that ten
// double rounds make of a key and the block's number. The 16 words are a square: a round mixes its columns, the next
// its diagonals.
//
//   LANES   threads that share a block of words: one has all 16; four have a column each, and shuffle
//   BLOCKS  of words of a thread, side by side
//   UNROLL  double rounds of a round of the loop
//   ROTATE  shifts, or for 8 and 16 bits permutations of bytes
//   MOVE    words    threads read and write their own words one by one
//           vectors  four at a time
//           shared   the stream goes through shared memory, so that neighbours read and write side by side
//   EARLY   input is read before the rounds
//   WIDTH   words in one load and store behind shared memory
//   PAD     words behind each block of words there
//   SYNC    block or warp: a warp moves what its own threads made
//   CACHE   `streaming` leaves the caches to others
#pragma tuner kernel(stream_cipher)
#pragma tuner problem(blocks : size = 2097152, first : exact = 1)
#pragma tuner problem_constraint(1 <= blocks <= 67108864) problem_constraint(0 <= first <= 1000000)

#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(LANES, 1, 4; default 1)
#pragma tuner param(BLOCKS, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2, 5, 10; default 1)
#pragma tuner param(ROTATE, shifts, permutations; default shifts)
#pragma tuner param(MOVE, words, vectors, shared; default words)
#pragma tuner param(EARLY, 0, 1; default 0)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(PAD, 0, 1, 2, 4; default 0)
#pragma tuner param(SYNC, block, warp; default block)
#pragma tuner param(CACHE, plain, streaming; default plain)

// Four words of a row are neighbours, so only whole blocks have vectors. Padding keeps words of a load together.
#pragma tuner let(TILE = BLOCK // LANES * BLOCKS)
#pragma tuner constraint(MOVE != vectors || LANES == 1)
#pragma tuner constraint(MOVE == shared || WIDTH == 1 && PAD == 0 && SYNC == block)
#pragma tuner constraint(MOVE != shared || EARLY == 0)
#pragma tuner constraint(PAD % WIDTH == 0 && PAD <= max(1, WIDTH))
#pragma tuner constraint(UNROLL * BLOCKS <= 10)
#pragma tuner constraint(MOVE != shared || 4 * TILE * (16 + PAD) <= 49152)

#pragma tuner grid(ceil_div(blocks, TILE)) block(BLOCK)
#pragma tuner in(plain_text, uint32, 16 * blocks, index(2147483647)) out(cipher_text, uint32, 16 * blocks)
#pragma tuner in(key, uint32, 8, index(2147483647)) scalar(blocks, int32) scalar(first, uint32)
#pragma tuner work(bytes = 128 * blocks)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 128
#define LANES 1
#define BLOCKS 1
#define UNROLL 1
#define ROTATE_shifts 0
#define ROTATE_permutations 1
#define ROTATE ROTATE_shifts
#define MOVE_words 0
#define MOVE_vectors 1
#define MOVE_shared 2
#define MOVE MOVE_words
#define EARLY 0
#define WIDTH 1
#define PAD 0
#define SYNC_block 0
#define SYNC_warp 1
#define SYNC SYNC_block
#define CACHE_plain 0
#define CACHE_streaming 1
#define CACHE CACHE_plain
#endif

#if MOVE == MOVE_vectors || WIDTH == 4
using Word = uint4;
#elif WIDTH == 2
using Word = uint2;
#else
using Word = unsigned;
#endif

constexpr int unroll = UNROLL;  // nvcc expands no macros in `#pragma unroll`
constexpr int own_words = 16 / LANES, together = sizeof(Word) / 4;

union Pack {
  Word word;
  unsigned value[together];
};

__device__ __forceinline__ Pack load(const unsigned* from) {
  Pack pack;
#if CACHE == CACHE_streaming
  pack.word = __ldcs(reinterpret_cast<const Word*>(from));
#else
  pack.word = __ldg(reinterpret_cast<const Word*>(from));
#endif
  return pack;
}

__device__ __forceinline__ void store(unsigned* to, const Pack& pack) {
#if CACHE == CACHE_streaming
  __stcs(reinterpret_cast<Word*>(to), pack.word);
#else
  *reinterpret_cast<Word*>(to) = pack.word;
#endif
}

template <int BITS>
__device__ __forceinline__ unsigned rotated(unsigned word) {
#if ROTATE == ROTATE_permutations
  if (BITS == 16) return __byte_perm(word, word, 0x1032);
  if (BITS == 8) return __byte_perm(word, word, 0x2103);
#endif
  return word << BITS | word >> (32 - BITS);
}

__device__ __forceinline__ void mix(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  a += b, d = rotated<16>(d ^ a);
  c += d, b = rotated<12>(b ^ c);
  a += b, d = rotated<8>(d ^ a);
  c += d, b = rotated<7>(b ^ c);
}

// A block of words before it is mixed: word 4 * row + column.
__device__ __forceinline__ unsigned start_word(int i, unsigned number, const unsigned* key) {
  if (i == 0) return 0x61707865u;
  if (i == 1) return 0x3320646eu;
  if (i == 2) return 0x79622d32u;
  if (i == 3) return 0x6b206574u;
  if (i < 12) return __ldg(key + i - 4);
  return i == 12 ? number : 0x9e3779b9u * i;
}

// A thread's part of a block of words: all of it, or a column.
struct State {
  unsigned word[own_words];

  // Which word of the block is the thread's i-th.
  __device__ __forceinline__ static int index(int i, int lane) { return LANES == 1 ? i : 4 * i + lane; }

  __device__ __forceinline__ void start(unsigned number, const unsigned* key, int lane) {
#pragma unroll
    for (int i = 0; i < own_words; ++i) word[i] = start_word(index(i, lane), number, key);
  }

  __device__ __forceinline__ void double_round() {
#if LANES == 1
#pragma unroll
    for (int c = 0; c < 4; ++c) mix(word[c], word[4 + c], word[8 + c], word[12 + c]);
#pragma unroll
    for (int c = 0; c < 4; ++c) mix(word[c], word[4 + (c + 1) % 4], word[8 + (c + 2) % 4], word[12 + (c + 3) % 4]);
#else
    mix(word[0], word[1], word[2], word[3]);
    turn(1);
    mix(word[0], word[1], word[2], word[3]);
    turn(3);
#endif
  }

#if LANES == 4
  // Row r comes from `by` * r columns to the right.
  __device__ __forceinline__ void turn(int by) {
#pragma unroll
    for (int r = 1; r < 4; ++r) {
      word[r] = __shfl_sync(0xffffffffu, word[r], (threadIdx.x + by * r) % 4, 4);
    }
  }
#endif
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    stream_cipher(const unsigned* __restrict__ plain_text, unsigned* __restrict__ cipher_text,
                  const unsigned* __restrict__ key, int blocks, unsigned first) {
  constexpr int groups = BLOCK / LANES;
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const int block_begin = blockIdx.x * (groups * BLOCKS);
  // Number b of a thread's blocks of words. A warp's lie side by side.
  const auto in_tile = [&](int b) {
    constexpr int of_warp = 32 / LANES;
    return (group / of_warp * BLOCKS + b) * of_warp + group % of_warp;
  };

#if EARLY
  Pack input[BLOCKS][own_words / together];
#pragma unroll
  for (int b = 0; b < BLOCKS; ++b) {
    const int number = min(block_begin + in_tile(b), blocks - 1);
#pragma unroll
    for (int i = 0; i < own_words; i += together) {
      input[b][i / together] = load(plain_text + 16LL * number + State::index(i, lane));
    }
  }
#endif

  State state[BLOCKS];
#pragma unroll
  for (int b = 0; b < BLOCKS; ++b) state[b].start(first + block_begin + in_tile(b), key, lane);
#pragma unroll unroll
  for (int round = 0; round < 10; ++round) {
#pragma unroll
    for (int b = 0; b < BLOCKS; ++b) state[b].double_round();
  }
#pragma unroll
  for (int b = 0; b < BLOCKS; ++b) {
    State begin;
    begin.start(first + block_begin + in_tile(b), key, lane);
#pragma unroll
    for (int i = 0; i < own_words; ++i) state[b].word[i] += begin.word[i];
  }

#if MOVE == MOVE_shared
  constexpr int row = 16 + PAD;
  __shared__ __align__(16) unsigned stream[groups * BLOCKS * row];
#pragma unroll
  for (int b = 0; b < BLOCKS; ++b) {
#pragma unroll
    for (int i = 0; i < own_words; ++i) stream[in_tile(b) * row + State::index(i, lane)] = state[b].word[i];
  }
#if SYNC == SYNC_warp
  constexpr int threads = 32;
  const int begin = threadIdx.x / 32 * (32 / LANES * BLOCKS), thread = threadIdx.x % 32;
  __syncwarp();
#else
  constexpr int threads = BLOCK, begin = 0;
  const int thread = threadIdx.x;
  __syncthreads();
#endif
  constexpr int moved = threads / LANES * BLOCKS;
#pragma unroll 4
  for (int i = thread * together; i < 16 * moved; i += threads * together) {
    const int number = begin + i / 16;
    if (block_begin + number >= blocks) break;
    const long long at = 16LL * (block_begin + number) + i % 16;
    Pack pack = load(plain_text + at), mask;
    mask.word = *reinterpret_cast<const Word*>(stream + number * row + i % 16);
#pragma unroll
    for (int w = 0; w < together; ++w) pack.value[w] ^= mask.value[w];
    store(cipher_text + at, pack);
  }
#else
#pragma unroll
  for (int b = 0; b < BLOCKS; ++b) {
    const int number = block_begin + in_tile(b);
    if (number >= blocks) continue;
#pragma unroll
    for (int i = 0; i < own_words; i += together) {
      const long long at = 16LL * number + State::index(i, lane);
#if EARLY
      Pack pack = input[b][i / together];
#else
      Pack pack = load(plain_text + at);
#endif
#pragma unroll
      for (int w = 0; w < together; ++w) pack.value[w] ^= state[b].word[i + w];
      store(cipher_text + at, pack);
    }
  }
#endif
}
