// The tuner's own device code: fills inputs from a seed, plants and checks patterns, and compares outputs. Compiled by NVRTC
// for each session, and by the host compiler for tests and for host-side reference data: the same text gives the same bits,
// because every real operation is one correctly rounded IEEE operation and nothing may be contracted into an FMA.
//
// No includes: compiling this stands between the start of a session and its first launch. For the same reason the kernels
// are four programs, which are compiled side by side: TUNER_SUPPORT_PART is the number of one of them. Without it all are
// compiled, as by the host, for which support_host.cpp supplies the few CUDA names.
#ifndef TUNER_SUPPORT_PART
#define TUNER_SUPPORT_PART 0
#endif
#define IS_IN_PART(part) (TUNER_SUPPORT_PART == 0 || TUNER_SUPPORT_PART == (part))

typedef unsigned char Byte;
typedef unsigned short Half;
typedef unsigned int Word;
typedef unsigned long long Long;
typedef long long SignedLong;

// What a check found. `first` starts as all ones, the rest as zero. `worst` holds the bits of a double that is not
// negative: such bits order as the numbers do.
struct Finding {
  Long count;
  Long first;
  Long worst;
  Long sum;
};

// The numbers of ElementType and Generator::Kind in the tuner.
enum Type { kBoolean, kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kInt64, kUint64, kFloat16, kBfloat16, kFloat32, kFloat64 };
enum Kind { kConstant, kIota, kUniform, kNormal, kIndex, kFile, kPermutation, kOffsets };

// Unrolled loops would take three times as long to compile; the time of these kernels does not matter.
#ifndef TUNER_ROLLED
#define TUNER_ROLLED _Pragma("unroll 1")
#endif
// Nor is what is large inlined at each use, where it would take longest.
#ifndef TUNER_APART
#define TUNER_APART __noinline__
#endif
#define EACH(i, count) TUNER_ROLLED \
  for (Long i = (Long)blockIdx.x * blockDim.x + threadIdx.x, step_of_grid = (Long)gridDim.x * blockDim.x; i < (count); \
       i += step_of_grid)

// ---- Numbers -----------------------------------------------------------------------------------------------------------

// The finaliser of SplitMix64: every bit of the result depends on every bit of the argument.
__device__ inline Long mix(Long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ inline Long draw(Long seed, Long buffer, Long position) {
  const Long golden = 0x9e3779b97f4a7c15ull;
  return mix(mix(mix(seed + golden) + golden * (buffer + 1)) + golden * (position + 1));
}

// Rounds to a 16-bit format with this many mantissa bits and this largest exponent (15: half, 127: bfloat16), to nearest
// even, straight from double so that nothing is rounded twice.
__device__ inline Half narrow(double value, int mantissa_bits, int max_exponent) {
  const Long bits = (Long)__double_as_longlong(value);
  const Word sign = (Word)(bits >> 48) & 0x8000u;
  const Long magnitude = bits & 0x7fffffffffffffffull;
  const Word infinity = (Word)(2 * max_exponent + 1) << mantissa_bits;
  if (magnitude > 0x7ff0000000000000ull) return (Half)(sign | infinity | (1u << (mantissa_bits - 1)));
  int exponent = (int)(magnitude >> 52) - 1023;
  if (exponent > max_exponent) return (Half)(sign | infinity);
  const Long mantissa = (magnitude & 0xfffffffffffffull) | 0x10000000000000ull;
  int shift = 52 - mantissa_bits;
  const bool subnormal = exponent < 1 - max_exponent;
  if (subnormal) shift += 1 - max_exponent - exponent;
  if (shift > 54) return (Half)sign;
  Word kept = (Word)(mantissa >> shift);
  const Long rest = mantissa & ((1ull << shift) - 1);
  const Long tie = 1ull << (shift - 1);
  if (rest > tie || (rest == tie && (kept & 1u))) ++kept;
  if (subnormal) return (Half)(sign | kept);
  return (Half)(sign | ((((Word)(exponent + max_exponent)) << mantissa_bits) + (kept - (1u << mantissa_bits))));
}

__device__ inline double widen_half(Half value) {
  const Word mantissa = value & 0x3ffu;
  const int exponent = (value >> 10) & 0x1f;
  Long bits;
  if (exponent == 31) {
    bits = 0x7ff0000000000000ull | ((Long)mantissa << 42);
  } else if (exponent == 0) {
    const double magnitude = mantissa * 5.9604644775390625e-08;  // 2^-24; exact
    return value & 0x8000u ? -magnitude : magnitude;
  } else {
    bits = ((Long)(exponent + 1008) << 52) | ((Long)mantissa << 42);
  }
  return __longlong_as_double((SignedLong)(bits | ((Long)(value & 0x8000u) << 48)));
}

__device__ inline double widen_bfloat16(Half value) { return (double)__uint_as_float((Word)value << 16); }

// Towards zero, except that reals beyond 64 bits stop at the ends. Not-a-number gives 0.
__device__ inline Long integer_of(double value) {
  if (!(value == value)) return 0;
  if (value >= 18446744073709551616.0) return ~0ull;
  if (value >= 0) return (Long)value;
  if (value <= -9223372036854775808.0) return 0x8000000000000000ull;
  return (Long)(SignedLong)value;
}

__device__ inline void store(Byte* data, Long i, int type, double value) {
  switch (type) {
    case kBoolean:
      data[i] = value != 0 ? 1 : 0;
      break;
    case kInt8:
    case kUint8:
      data[i] = (Byte)integer_of(value);
      break;
    case kInt16:
    case kUint16:
      ((Half*)data)[i] = (Half)integer_of(value);
      break;
    case kInt32:
    case kUint32:
      ((Word*)data)[i] = (Word)integer_of(value);
      break;
    case kInt64:
    case kUint64:
      ((Long*)data)[i] = integer_of(value);
      break;
    case kFloat16:
      ((Half*)data)[i] = narrow(value, 10, 15);
      break;
    case kBfloat16:
      ((Half*)data)[i] = narrow(value, 7, 127);
      break;
    case kFloat32:
      ((float*)data)[i] = (float)value;
      break;
    default:
      ((double*)data)[i] = value;
  }
}

// ---- Filling -----------------------------------------------------------------------------------------------------------

// Where `i` goes in the permutation of [0, count) that `key` chooses: steps that are one to one on the smallest power of two
// that holds them, repeated until the place is among them. At most every second place is not.
__device__ inline Long permuted(Long i, Long count, Long key) {
  int bits = 1;
  TUNER_ROLLED for (; bits < 53 && (count - 1) >> bits; ++bits) {
  }
  const Long mask = (1ull << bits) - 1;
  do {
    TUNER_ROLLED for (int round = 1; round <= 4; ++round) {
      const Long random = mix(key + round);
      i = ((i ^ random) * ((random >> 31) | 1)) & mask;
      i ^= i >> ((bits + 1) / 2);
    }
  } while (i >= count);
  return i;
}

// Row `row` of offsets may begin here at the earliest, and at the latest where the next one may.
__device__ inline Long row_begin(Long row, double mean) { return integer_of(__dmul_rn(mean, (double)row)); }

// Fills `elements` elements, of which the first is number `first` and each of the others `stride` behind the one before it:
// all, or those of one lane. constant(value) · iota(start, step) · uniform(low, high) · normal(mean, deviation) ·
// index(count) · permutation(count), a new one every `count` elements · offsets(mean, spread). Integers take the floor of
// uniform and normal; a boolean is a coin toss for both, and iota alternates.
#if IS_IN_PART(1)
extern "C" __global__ void tuner_fill(Byte* data, Long elements, Long first, Long stride, int type, int kind, Long seed, Long buffer,
                                      double a, double b) {
  EACH(number, elements) {
    const Long i = first + stride * number;
    double value = a;
    if (kind == kIota) {
      value = __dadd_rn(a, __dmul_rn(b, (double)number));
      if (type == kBoolean) value = (double)(integer_of(value) & 1);
    } else if (kind == kUniform) {
      const Long random = draw(seed, buffer, 4 * i);
      value = __dadd_rn(a, __dmul_rn(__dadd_rn(b, -a), (double)(random >> 11) * 1.1102230246251565e-16));  // 2^-53
      if (type == kBoolean) value = (double)(random >> 63);
      else if (type < kFloat16) value = floor(value);
    } else if (kind == kNormal) {
      // The sum of twelve uniform numbers less six has variance one and is exact in integers; its tails end at six.
      Long sum = 0;
      TUNER_ROLLED for (int part = 0; part < 4; ++part) {
        const Long random = draw(seed, buffer, 4 * i + part);
        sum += (random >> 43) + ((random >> 22) & 0x1fffffull) + ((random >> 1) & 0x1fffffull);
      }
      const double standard = ((double)(SignedLong)sum - 12582906.0) * 4.76837158203125e-07;  // 6 * 2^21 - 6; 2^-21
      value = __dadd_rn(a, __dmul_rn(b, standard));
      if (type == kBoolean) value = (double)(draw(seed, buffer, 4 * i) >> 63);
      else if (type < kFloat16) value = floor(value);
    } else if (kind == kIndex) {
      value = (double)__umul64hi(draw(seed, buffer, 4 * i), integer_of(a));
    } else if (kind == kPermutation) {
      const Long count = integer_of(a);
      const Long before = number / count;  // whole permutations
      value = (double)permuted(number - before * count, count, draw(seed, buffer, 4 * (first + stride * before)));
    } else if (kind == kOffsets) {
      // From 0 to where all rows end; between them each row begins up to `b` later than rows of equal length would.
      const Long begin = row_begin(number, a);
      const Long length = row_begin(number + 1, a) - begin;
      const Long room = length < integer_of(b) ? length : integer_of(b);
      value = (double)begin;
      if (number > 0 && number + 1 < elements) value = (double)(begin + __umul64hi(draw(seed, buffer, 4 * i), room + 1));
    }
    store(data, i, type, value);
  }
}
#endif

// ---- Guards and checksums ----------------------------------------------------------------------------------------------

__device__ inline Byte pattern(Long seed, Long offset) { return (Byte)(mix(seed + (offset >> 3)) >> (8 * (offset & 7))); }

// Writes the pattern into the bytes [begin, end) of an allocation.
#if IS_IN_PART(1)
extern "C" __global__ void tuner_plant(Byte* allocation, Long begin, Long end, Long seed) {
  EACH(i, end - begin) allocation[begin + i] = pattern(seed, begin + i);
}
#endif

// Counts the bytes of [begin, end) that no longer hold it; `first` and `worst` are the lowest and highest of them.
#if IS_IN_PART(2)
extern "C" __global__ void tuner_check_planted(const Byte* allocation, Long begin, Long end, Long seed, Finding* finding) {
  EACH(i, end - begin) {
    if (allocation[begin + i] == pattern(seed, begin + i)) continue;
    atomicAdd(&finding->count, 1ull);
    atomicMin(&finding->first, begin + i);
    atomicMax(&finding->worst, begin + i);
  }
}
#endif

// A sum over the content that does not depend on the order of summation, but on the place of every byte.
#if IS_IN_PART(2)
extern "C" __global__ void tuner_checksum(const Byte* data, Long bytes, Finding* finding) {
  Long sum = 0;
  EACH(i, (bytes + 7) / 8) {
    Long word = 0;
    if (8 * i + 8 <= bytes) {
      word = ((const Long*)data)[i];
    } else {
      TUNER_ROLLED for (Long byte = 8 * i; byte < bytes; ++byte) word |= (Long)data[byte] << (8 * (byte - 8 * i));
    }
    sum += mix(word ^ mix(i + 1));
  }
  if (sum != 0) atomicAdd(&finding->sum, sum);
}
#endif

// The same by elements, less those of `excluded` (which may be null).
#if IS_IN_PART(2)
extern "C" __global__ void tuner_checksum_elements(const Byte* data, Long elements, int size, const Word* excluded, Finding* finding) {
  Long sum = 0;
  EACH(i, elements) {
    if (excluded && (excluded[i / 32] >> (i % 32) & 1u)) continue;
    Long word = 0;
    TUNER_ROLLED for (int byte = 0; byte < size; ++byte) word |= (Long)data[i * size + byte] << (8 * byte);
    sum += mix(word ^ mix(i + 1));
  }
  if (sum != 0) atomicAdd(&finding->sum, sum);
}
#endif

// ---- Outputs -----------------------------------------------------------------------------------------------------------

__device__ inline bool holds_poison(const Byte* data, Long i, int size, Byte poison) {
  TUNER_ROLLED for (int byte = 0; byte < size; ++byte) {
    if (data[i * size + byte] != poison) return false;
  }
  return true;
}

__device__ inline void count_bits(Word bits, Long w, Finding* finding) {
  if (bits == 0) return;
  Word count = 0;
  Word lowest = 0;
  TUNER_ROLLED for (int bit = 31; bit >= 0; --bit) {
    if (bits >> bit & 1u) {
      ++count;
      lowest = (Word)bit;
    }
  }
  atomicAdd(&finding->count, (Long)count);
  atomicMin(&finding->first, 32 * w + lowest);
}

// Bit i of `mask` says that element i still holds the poison; with `narrow_down`, in this run and in the one before.
// Counts those bits, less those of `excluded` (which may be null).
#if IS_IN_PART(2)
extern "C" __global__ void tuner_find_unwritten(const Byte* data, Long elements, int size, int poison, int narrow_down, Word* mask,
                                                const Word* excluded, Finding* finding) {
  EACH(w, (elements + 31) / 32) {
    const Word before = narrow_down ? mask[w] : 0xffffffffu;
    Word bits = 0;
    TUNER_ROLLED for (int bit = 0; bit < 32 && before != 0; ++bit) {
      const Long i = 32 * w + (Word)bit;
      if ((before >> bit & 1u) && i < elements && holds_poison(data, i, size, (Byte)poison)) bits |= 1u << bit;
    }
    mask[w] = bits;
    if (excluded) bits &= ~excluded[w];
    count_bits(bits, w, finding);
  }
}
#endif

// Counts the elements that the reference leaves unwritten and the kernel does not, by their masks.
#if IS_IN_PART(2)
extern "C" __global__ void tuner_find_overwritten(const Word* unwritten, const Word* by_reference, Long words, Finding* finding) {
  EACH(w, words) count_bits(by_reference[w] & ~unwritten[w], w, finding);
}
#endif

__device__ inline double load(const Byte* data, Long i, int type) {
  switch (type) {
    case kInt8:
      return (double)(signed char)data[i];
    case kInt16:
      return (double)((const short*)data)[i];
    case kUint16:
      return (double)((const Half*)data)[i];
    case kInt32:
      return (double)((const int*)data)[i];
    case kUint32:
      return (double)((const Word*)data)[i];
    case kInt64:
      return (double)((const SignedLong*)data)[i];
    case kUint64:
      return (double)((const Long*)data)[i];
    case kFloat16:
      return widen_half(((const Half*)data)[i]);
    case kBfloat16:
      return widen_bfloat16(((const Half*)data)[i]);
    case kFloat32:
      return (double)((const float*)data)[i];
    case kFloat64:
      return ((const double*)data)[i];
    default:
      return (double)data[i];
  }
}

// More than 0 if element `i` belongs behind element `j`, less if before it. What is not a number comes last.
__device__ inline int order_of(const Byte* data, Long i, Long j, int type) {
  if (type == kInt64 || type == kUint64) {
    const Long flipped = type == kInt64 ? 1ull << 63 : 0;
    const Long x = ((const Long*)data)[i] ^ flipped;
    const Long y = ((const Long*)data)[j] ^ flipped;
    return (int)(x > y) - (int)(x < y);
  }
  const double x = load(data, i, type);
  const double y = load(data, j, type);
  return (int)(x > y || (!(x == x) && y == y)) - (int)(x < y || (!(y == y) && x == x));
}

// One array of the records that are sorted: `lanes` elements in a row of each, `stride` behind those of the one before it.
struct Column {
  Byte* data;
  Long stride;
  Long lanes;
  int type;
  int size;
};
struct Columns {
  Column column[4];
};

// One step of a bitonic sort of records: puts each and the one whose number has the bits of `flip` the other way round in the
// order of their first element that differs.
#if IS_IN_PART(3)
extern "C" __global__ void tuner_sort_step(Columns columns, Long records, Long flip) {
  EACH(number, records) {
    const Long other = number ^ flip;
    if (other <= number || other >= records) continue;
    int order = 0;
    TUNER_ROLLED for (int c = 0; c < 4; ++c) {
      const Column& column = columns.column[c];
      TUNER_ROLLED for (Long lane = 0; lane < column.lanes && order == 0; ++lane)
        order = order_of(column.data, column.stride * number + lane, column.stride * other + lane, column.type);
    }
    if (order <= 0) continue;
    TUNER_ROLLED for (int c = 0; c < 4; ++c) {
      const Column& column = columns.column[c];
      Byte* here = column.data + column.stride * number * column.size;
      Byte* there = column.data + column.stride * other * column.size;
      TUNER_ROLLED for (Long byte = 0; byte < column.lanes * column.size; ++byte) {
        const Byte moved = here[byte];
        here[byte] = there[byte];
        there[byte] = moved;
      }
    }
  }
}
#endif

// |found - expected|, without losing the low digits of 64-bit integers; infinite where one is not a number or infinite and
// the other is not the same.
__device__ inline double error_of(const Byte* found, Long i, const Byte* expected, Long j, int type) {
  if (type == kInt64 || type == kUint64) {
    const Long x = ((const Long*)found)[i];
    const Long r = ((const Long*)expected)[j];
    const bool above = type == kInt64 ? (SignedLong)x > (SignedLong)r : x > r;
    return (double)(above ? x - r : r - x);
  }
  const double x = load(found, i, type);
  const double r = load(expected, j, type);
  if (x == r || (!(x == x) && !(r == r))) return 0;
  const double difference = __dadd_rn(x, -r);
  const double error = difference < 0 ? -difference : difference;
  return error < 1.7976931348623157e308 ? error : __longlong_as_double(0x7ff0000000000000ll);
}

// Counts the elements that differ by more than atol + rtol * |expected|, less those of `excluded` (which may be null).
// Where `spread` is given, `accepted` times an element's spread is allowed, too, and `sum` counts the elements that differ
// by more than `alike` times that. With a period, `expected` has so many elements, over and over; `sum` then counts those
// of `found` that are not numbers.
#if IS_IN_PART(3)
extern "C" __global__ void tuner_compare(const Byte* found, const Byte* expected, Long elements, Long period, int type, double rtol,
                                         double atol, const float* spread, double accepted, double alike, const Word* excluded,
                                         Finding* finding) {
  Long count = 0;
  Long counted_apart = 0;
  Long first = ~0ull;
  double worst = 0;
  EACH(i, elements) {
    if (excluded && (excluded[i / 32] >> (i % 32) & 1u)) continue;
    const Long j = period ? i % period : i;
    if (period && type >= kFloat16) {
      const double value = load(found, i, type);
      if (!(value == value)) ++counted_apart;
    }
    const double error = error_of(found, i, expected, j, type);
    if (error == 0) continue;
    const double reference = load(expected, j, type);
    const double allowed = __dadd_rn(atol, __dmul_rn(rtol, reference < 0 ? -reference : reference));
    // An infinite error is one too many even where the allowance is infinite too.
    const bool is_finite = error < 1.7976931348623157e308;
    if (error <= allowed && is_finite) continue;
    if (error > worst) worst = error;  // what a tolerance alone would have to accept
    if (spread && is_finite && error <= __dmul_rn(accepted, spread[i])) continue;
    if (spread && !(is_finite && error <= __dmul_rn(alike, spread[i]))) ++counted_apart;
    ++count;
    if (i < first) first = i;
  }
  if (counted_apart != 0) atomicAdd(&finding->sum, counted_apart);
  if (worst != 0) atomicMax(&finding->worst, (Long)__double_as_longlong(worst));
  if (count == 0) return;
  atomicAdd(&finding->count, count);
  atomicMin(&finding->first, first);
}
#endif

// ---- How exactly elements are computed -------------------------------------------------------------------------------------

// `spread` keeps the most by which an element has differed so far. What is not finite says nothing.
#if IS_IN_PART(4)
extern "C" __global__ void tuner_widen_spread(const Byte* found, const Byte* expected, Long elements, int type,
                                              const Word* excluded, float* spread) {
  EACH(i, elements) {
    if (excluded && (excluded[i / 32] >> (i % 32) & 1u)) continue;
    const double error = error_of(found, i, expected, i, type);
    if (error < 3e38 && error > spread[i]) spread[i] = (float)error;
  }
}

// The bits of positive floats grow like their logarithm: their mean is near that of the geometric mean.
__device__ inline float mean_of(Long sum_of_bits, Long count) { return count ? __uint_as_float((Word)(sum_of_bits / count)) : 0; }

TUNER_APART __device__ float magnitude(const Byte* data, Long i, int type) {
  const double value = load(data, i, type);
  return (float)(value < 0 ? -value : value);
}

// Neighbours are 64 elements of one lane, and the last ones up to 127: of neighbourhood `n` from `first` to before `end`,
// `lanes` apart.
__device__ inline Long neighbourhoods(Long elements, Long lanes) {
  const Long whole = elements / (64 * lanes);
  return (whole ? whole : 1) * lanes;
}
#define EACH_NEIGHBOURHOOD(n) EACH(n, neighbourhoods(elements, lanes))
#define EACH_NEIGHBOUR(i, n) TUNER_ROLLED \
  for (Long i = (n) / lanes * 64 * lanes + (n) % lanes, \
            end = (n) + lanes < neighbourhoods(elements, lanes) ? ((n) / lanes + 1) * 64 * lanes : elements; \
       i < end; i += lanes)

// What moves by more than `most` of its size, and of that of its neighbours in the geometric mean, is no rounding: an index
// or a branch has changed. Nothing is known of it then. `count` is how many are left that move.
extern "C" __global__ void tuner_drop_spread(float* spread, const Byte* reference, Long elements, Long lanes, int type, float most,
                                             Finding* finding) {
  Long left = 0;
  EACH_NEIGHBOURHOOD(n) {
    Long sum = 0;
    Long count = 0;
    EACH_NEIGHBOUR(i, n) {
      const float size = magnitude(reference, i, type);
      if (!(size > 0 && size < 3e38f)) continue;
      sum += __float_as_uint(size);
      ++count;
    }
    const float limit = most * mean_of(sum, count);
    EACH_NEIGHBOUR(i, n) {
      if (spread[i] > limit && spread[i] > most * magnitude(reference, i, type)) spread[i] = 0;
      if (spread[i] != 0) ++left;
    }
  }
  if (left != 0) atomicAdd(&finding->count, left);
}

// Zeros, or the whole numbers of a size at which their type has four bits behind the point: an index, a flag or a count, or
// one of 16 sums.
TUNER_APART __device__ bool is_of_kind(const Byte* data, Long i, int type, int is_zero) {
  const double value = load(data, i, type);
  const double size = value < 0 ? -value : value;
  if (is_zero) return size == 0;
  return size >= 1 && size < (type == kFloat16 ? 64 : type == kBfloat16 ? 8 : 524288) && size == floor(size);
}

// `sum` counts the elements of a kind, `count` those of them that came out the same every time.
extern "C" __global__ void tuner_count_kind(const float* spread, const Byte* reference, Long elements, int type, int is_zero,
                                            Finding* finding) {
  Long all = 0;
  Long still = 0;
  EACH(i, elements) {
    if (!is_of_kind(reference, i, type, is_zero)) continue;
    ++all;
    if (spread[i] == 0) ++still;
  }
  if (all != 0) atomicAdd(&finding->sum, all);
  if (still != 0) atomicAdd(&finding->count, still);
}

// `part` of the standard deviation of the differences of so many elements from one of them; no bound where there is no other.
__device__ inline float deviation(float part, Long count, double sum, double squares) {
  if (count < 2) return 3e38f;
  const double share = 1.0f / (float)count;
  const double mean = __dmul_rn(sum, share);
  const float variance = (float)__dadd_rn(__dmul_rn(squares, share), -__dmul_rn(mean, mean));
  return variance > 0 ? part * sqrtf(variance) : 0;
}

// An element that came out the same every time, where more than a quarter of its neighbours, and these are 16 or more, did
// not, was lucky: it is taken to be `part` as uncertain as they are. A handful, as of statistics, are no neighbours. Among
// fewer that moved it is `of_size` of their size in the geometric mean, unless it is a zero or a whole number. Elsewhere these
// are exact where that is said.
// Then a spread is lowered to `of_deviation` of the standard deviation of its neighbours, but to no less than `sure` of itself:
// where elements may be off by more than they differ, a kernel that writes one value would pass.
extern "C" __global__ void tuner_level_spread(float* spread, const Byte* reference, Long elements, Long lanes, int type, float part,
                                              float of_size, float sure, float of_deviation, int zero_is_exact,
                                              int whole_is_exact) {
  EACH_NEIGHBOURHOOD(n) {
    Long bits = 0;
    Long moved = 0;
    Long all = 0;
    Long size_bits = 0;
    Long sized = 0;
    Long finite = 0;
    double first = 0;
    double sum = 0;
    double squares = 0;
    EACH_NEIGHBOUR(i, n) {
      ++all;
      if (spread[i] != 0) ++moved;
      bits += __float_as_uint(spread[i]);
      const float size = magnitude(reference, i, type);
      if (!(size < 3e38f)) continue;
      if (size > 0) {
        size_bits += __float_as_uint(size);
        ++sized;
      }
      const double value = load(reference, i, type);
      if (finite++ == 0) first = value;
      const double difference = __dadd_rn(value, -first);
      sum = __dadd_rn(sum, difference);
      squares = __dadd_rn(squares, __dmul_rn(difference, difference));
    }
    const bool is_moving = 4 * moved > all && all >= 16;
    const float least = is_moving ? part * mean_of(bits, moved) : of_size * mean_of(size_bits, sized);
    const float most = deviation(of_deviation, finite, sum, squares);
    EACH_NEIGHBOUR(i, n) {
      float own = spread[i];
      const bool is_exact = own == 0 && (((zero_is_exact || !is_moving) && is_of_kind(reference, i, type, 1)) ||
                                         ((whole_is_exact || !is_moving) && is_of_kind(reference, i, type, 0)));
      if (own < least && !is_exact) own = least;
      const float lowered = most > sure * own ? most : sure * own;
      spread[i] = own < lowered ? own : lowered;
    }
  }
}
#endif
