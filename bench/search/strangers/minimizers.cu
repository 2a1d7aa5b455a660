// The minimizers of a strand of DNA: for each window of WINDOW successive words of K letters, the least of their hash
// values. Codes of four letters are a byte each; a word has its first letter in its lowest two bits.
//
// A block has BLOCK * ITEMS windows.
//
//   LETTERS  global  each read where it is needed
//            bytes   by the block beforehand, into shared memory
//            packed  likewise, 16 in a word, so that a word of K letters is two of these, shifted
//   HASHES   own     each thread computes those of its windows
//            shared  the block computes each once, into shared memory
//   WORDS    scratch of all their letters, or rolling: from the word before it and one more letter
//   METHOD   scan      a thread looks at all words of a window
//            slide     its windows are neighbours, and share the words that all of them have
//            doubling  the least of two words, then of four, and so on, through shared memory
//   SKEW     an empty place after every 32 hash values
//   BUFFERS  of hash values, for doubling
//   OUTPUT   of neighbouring windows: one by one, by vectors, or through shared memory
//   STORE    `streaming` leaves the caches to others
#pragma tuner kernel(minimizers)
#pragma tuner problem(windows : size = 16777216, K : constant = 15, WINDOW : constant = 16)
#pragma tuner problem_constraint(1 <= windows <= 268435456) problem_constraint(4 <= K <= 15)
#pragma tuner problem_constraint(WINDOW in (8, 16, 32))

#pragma tuner param(BLOCK, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(ITEMS, 1, 2, 4, 8, 16; default 1)
#pragma tuner param(LETTERS, global, bytes, packed; default global)
#pragma tuner param(HASHES, own, shared; default shared)
#pragma tuner param(WORDS, scratch, rolling; default scratch)
#pragma tuner param(METHOD, scan, slide, doubling; default scan)
#pragma tuner param(SKEW, 0, 1; default 0)
#pragma tuner param(BUFFERS, 1, 2; default 1)
#pragma tuner param(OUTPUT, single, vectors, turned; default single)
#pragma tuner param(STORE, plain, streaming; default plain)

// Neighbouring windows alone have words of their own, conflicts, and something to write together. Packed letters need
// not be rolled. A thread's own words always are, unless they are packed.
#pragma tuner let(TILE = BLOCK * ITEMS)
#pragma tuner constraint(TILE <= 8192 && ITEMS <= WINDOW)
#pragma tuner constraint(METHOD != slide || ITEMS >= 2)
#pragma tuner constraint(METHOD == slide || HASHES == shared && OUTPUT == single && SKEW == 0)
#pragma tuner constraint(METHOD == doubling || BUFFERS == 1)
#pragma tuner constraint(LETTERS != packed || WORDS == scratch)
#pragma tuner constraint(HASHES == shared || SKEW == 0 && (LETTERS == packed || WORDS == rolling))
#pragma tuner constraint(OUTPUT != vectors || ITEMS >= 4)
#pragma tuner let(VALUES = TILE + WINDOW - 1)
#pragma tuner let(HASH_BYTES = 4 * BUFFERS * (VALUES + VALUES // 32 + 1) if HASHES == shared else 0)
#pragma tuner let(LETTER_BYTES = 0 if LETTERS == global else (TILE + 80 if LETTERS == bytes else TILE // 4 + 32))
#pragma tuner let(OUTPUT_BYTES = 4 * (TILE + TILE // 32) if OUTPUT == turned else 0)
#pragma tuner constraint(HASH_BYTES + LETTER_BYTES + OUTPUT_BYTES <= 49152)

#pragma tuner grid(ceil_div(windows, TILE)) block(BLOCK)
#pragma tuner in(letters, uint8, windows + WINDOW + K + 16, index(4)) out(least, uint32, windows)
#pragma tuner scalar(windows, int32)
#pragma tuner work(bytes = 5 * windows)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define K 15
#define WINDOW 16
#define BLOCK 128
#define ITEMS 1
#define LETTERS_global 0
#define LETTERS_bytes 1
#define LETTERS_packed 2
#define LETTERS LETTERS_global
#define HASHES_own 0
#define HASHES_shared 1
#define HASHES HASHES_shared
#define WORDS_scratch 0
#define WORDS_rolling 1
#define WORDS WORDS_scratch
#define METHOD_scan 0
#define METHOD_slide 1
#define METHOD_doubling 2
#define METHOD METHOD_scan
#define SKEW 0
#define BUFFERS 1
#define OUTPUT_single 0
#define OUTPUT_vectors 1
#define OUTPUT_turned 2
#define OUTPUT OUTPUT_single
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#endif

constexpr int tile = BLOCK * ITEMS, values = tile + WINDOW - 1, value_share = (values + BLOCK - 1) / BLOCK;

__device__ __forceinline__ constexpr int place(int i) {
  return i + SKEW * (i / 32);
}

__device__ __forceinline__ unsigned hash_of(unsigned word) {
  word *= 0x9e3779b1u;
  word ^= word >> 15;
  word *= 0x85ebca77u;
  return word ^ word >> 13;
}

// The letters of a tile; those behind the last are zeros.
struct Letters {
#if LETTERS == LETTERS_packed
  const unsigned* from;

  __device__ __forceinline__ unsigned word(int i) const {
    return __funnelshift_r(from[i / 16], from[i / 16 + 1], 2 * (i % 16)) & ((1u << 2 * K) - 1);
  }
#else
  const unsigned char* from;
  int end;

  __device__ __forceinline__ unsigned operator[](int i) const {
#if LETTERS == LETTERS_global
    return i < end ? __ldg(from + i) : 0;
#else
    return from[i];
#endif
  }
  __device__ __forceinline__ unsigned word(int i) const {
    unsigned found = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) found |= (*this)[i + k] << 2 * k;
    return found;
  }
  // The word that begins at i, if `word` begins before it.
  __device__ __forceinline__ unsigned next(unsigned word, int i) const {
    return word >> 2 | (*this)[i + K - 1] << 2 * (K - 1);
  }
#endif
};

// The hash values of words that follow each other, one by one.
struct Values {
  const Letters& letters;
  int i;
  unsigned word;

  __device__ __forceinline__ Values(const Letters& of, int first) : letters(of), i(first), word(of.word(first)) {}
  __device__ __forceinline__ unsigned take() {
    const unsigned value = hash_of(word);
    ++i;
#if LETTERS == LETTERS_packed
    word = letters.word(i);
#else
    word = letters.next(word, i);
#endif
    return value;
  }
};

__device__ __forceinline__ void store(unsigned* to, unsigned value) {
#if STORE == STORE_streaming
  __stcs(to, value);
#else
  *to = value;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    minimizers(const unsigned char* __restrict__ letters_of, unsigned* __restrict__ least, int windows) {
  const long long first = static_cast<long long>(blockIdx.x) * tile;
  const int count = static_cast<int>(min(static_cast<long long>(tile), windows - first));
  const int letters_there = count + WINDOW + K;  // more than words need, as taking one looks at the next
  const unsigned char* const from = letters_of + first;

#if LETTERS == LETTERS_global
  const Letters letters = {from, letters_there};
#elif LETTERS == LETTERS_bytes
  constexpr int words = (tile + WINDOW + K) / 4 + 1;
  __shared__ unsigned staged[words];
  for (int i = threadIdx.x; i < words; i += BLOCK) {
    staged[i] = 4 * i < letters_there ? __ldg(reinterpret_cast<const unsigned*>(from) + i) : 0;
  }
  const Letters letters = {reinterpret_cast<const unsigned char*>(staged), letters_there};
#else
  constexpr int words = (tile + WINDOW + K) / 16 + 2;
  __shared__ unsigned staged[words];
  for (int i = threadIdx.x; i < words; i += BLOCK) {
    uint4 sixteen = {};
    if (16 * i < letters_there) sixteen = __ldg(reinterpret_cast<const uint4*>(from) + i);
    const auto packed = [](unsigned four) { return (four | four >> 6 | four >> 12 | four >> 18) & 0xff; };
    staged[i] = packed(sixteen.x) | packed(sixteen.y) << 8 | packed(sixteen.z) << 16 | packed(sixteen.w) << 24;
  }
  const Letters letters = {staged};
#endif
#if LETTERS != LETTERS_global
  __syncthreads();
#endif

#if HASHES == HASHES_shared
  __shared__ unsigned value_of[BUFFERS][place(values) + 1];
#if WORDS == WORDS_rolling
  const int begin = threadIdx.x * value_share, end = min(begin + value_share, values);
  if (begin < end) {
    Values own(letters, begin);
    for (int i = begin; i < end; ++i) value_of[0][place(i)] = own.take();
  }
#else
  for (int i = threadIdx.x; i < values; i += BLOCK) value_of[0][place(i)] = hash_of(letters.word(i));
#endif
  __syncthreads();
#endif

#if METHOD == METHOD_slide
  const int own_first = threadIdx.x * ITEMS;
#if HASHES == HASHES_own
  Values own(letters, own_first);
  const auto value = [&](int) { return own.take(); };
#else
  const auto value = [&](int i) { return value_of[0][place(own_first + i)]; };
#endif
  // Those that only the first windows have, those that all have, those that only the last have.
  unsigned found[ITEMS], common = 0xffffffffu;
#pragma unroll
  for (int i = 0; i < ITEMS - 1; ++i) found[i] = value(i);
#pragma unroll 4
  for (int i = ITEMS - 1; i < WINDOW; ++i) common = min(common, value(i));
  found[ITEMS - 1] = common;
#pragma unroll
  for (int i = ITEMS - 2; i >= 0; --i) found[i] = min(found[i], found[i + 1]);
  unsigned later = 0xffffffffu;
#pragma unroll
  for (int i = 1; i < ITEMS; ++i) {
    later = min(later, value(WINDOW + i - 1));
    found[i] = min(found[i], later);
  }

#if OUTPUT == OUTPUT_turned
  __shared__ unsigned turned[tile + tile / 32];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) turned[own_first + i + (own_first + i) / 32] = found[i];
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.x; i < tile; i += BLOCK) {
    if (i < count) store(least + first + i, turned[i + i / 32]);
  }
#elif OUTPUT == OUTPUT_vectors
#pragma unroll
  for (int i = 0; i < ITEMS; i += 4) {
    if (own_first + i + 3 < count) {
      uint4* const to = reinterpret_cast<uint4*>(least + first + own_first + i);
      const uint4 four = make_uint4(found[i], found[i + 1], found[i + 2], found[i + 3]);
#if STORE == STORE_streaming
      __stcs(to, four);
#else
      *to = four;
#endif
    } else {
#pragma unroll
      for (int k = i; k < i + 4; ++k) {
        if (own_first + k < count) store(least + first + own_first + k, found[k]);
      }
    }
  }
#else
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (own_first + i < count) store(least + first + own_first + i, found[i]);
  }
#endif

#elif METHOD == METHOD_doubling
  int now = 0;
#pragma unroll 1
  for (int distance = 1; distance < WINDOW; distance *= 2) {
    unsigned found[value_share];
#pragma unroll
    for (int s = 0; s < value_share; ++s) {
      const int i = threadIdx.x + s * BLOCK;
      if (i < values) found[s] = min(value_of[now][i], value_of[now][min(i + distance, values - 1)]);
    }
    if (BUFFERS == 1) __syncthreads();
    now = (now + 1) % BUFFERS;
#pragma unroll
    for (int s = 0; s < value_share; ++s) {
      const int i = threadIdx.x + s * BLOCK;
      if (i < values) value_of[now][i] = found[s];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += BLOCK) store(least + first + i, value_of[now][i]);

#else
  for (int i = threadIdx.x; i < count; i += BLOCK) {
    unsigned found = 0xffffffffu;
#pragma unroll
    for (int k = 0; k < WINDOW; ++k) found = min(found, value_of[0][i + k]);
    store(least + first + i, found);
  }
#endif
}
