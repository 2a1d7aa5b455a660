// Alignment, coalescing, layout and width: what a warp's request costs.
//
// y = f(x) for records of `fields` values. f flips the top bit of every component (the sign, where there is one): the least
// that shows that each value arrived, and the same code for double, float, half2 and char4. Memory hands out sectors of 32
// bytes and lines of 128; how many of them the 32 threads of a warp touch with one load decides what it costs. The problem
// chooses a study, the parameters what can be done about it:
//
//   offset          the data begin `offset` values behind an aligned address. ALIGN_PAD: let the first threads idle until
//                   every warp begins on a line, which also makes wide loads possible
//   index, stride   0: record after record; 1: every stride-th record; 2: records at random, by a table. READ_PATH: keep
//                   in the caches what will not be used again, or do not
//   fields > 1      LAYOUT aos: record after record, soa: field after field, staged: as aos, through shared memory.
//                   EXECUTION one_thread: a record each, or cooperative: neighbouring threads take neighbouring values
//   TYPE            narrow types fetch less with every load. WIDTH: how many values one load brings, up to 16 bytes
//
// ITEMS_PER_THREAD loads of a thread are under way together before the first of them is used.
#include "tuner_device.cuh"

#pragma tuner kernel(access_patterns)
#pragma tuner problem(records: size = 134217728, fields: exact = 1, TYPE: constant = float)
#pragma tuner problem(offset: exact = 0, index: exact = 0, stride: exact = 1)
#pragma tuner problem_constraint(1 <= records <= 2147483647) problem_constraint(1 <= fields <= 32)
#pragma tuner problem_constraint(records * fields * stride <= 68719476736)
#pragma tuner problem_constraint(TYPE == double || TYPE == float || TYPE == half2 || TYPE == char4)
#pragma tuner problem_constraint(0 <= offset <= 1024 && (offset == 0 || fields == 1 && index == 0))
#pragma tuner problem_constraint(index in (0, 1, 2)) problem_constraint(1 <= stride <= 1024 && (stride == 1 || index == 1))

#pragma tuner param(BLOCKDIMX, 128, 256, 512, 1024; default 256)
#pragma tuner param(ITEMS_PER_THREAD, 1, 2, 4, 8)
#pragma tuner param(WIDTH, 1, 2, 4)
#pragma tuner param(ALIGN_PAD, 0, 1)
#pragma tuner param(LAYOUT, aos, soa, staged)
#pragma tuner param(EXECUTION, one_thread, cooperative)
#pragma tuner param(READ_PATH, plain, restrict, ldg, ldcs, ldcg)
#pragma tuner param(WRITE_PATH, plain_store, streaming_store)

// IS_FLAT: it makes no difference where records begin and end.
#pragma tuner define(FIELDS = fields) define(INDEX = index)
#pragma tuner define(IS_FLAT = fields == 1 || EXECUTION == cooperative)
#pragma tuner define(VALUE_BYTES = sizeof(TYPE))
#pragma tuner define(COMPONENT_BYTES = TYPE == half2 ? 2 : TYPE == char4 ? 1 : sizeof(TYPE))
#pragma tuner let(VALUES_PER_THREAD = ITEMS_PER_THREAD * (LAYOUT == soa || IS_FLAT ? WIDTH : 1) * (IS_FLAT ? 1 : fields))
#pragma tuner let(IDLE_VALUES = ALIGN_PAD ? 128 // sizeof(TYPE) - 1 : 0)
#pragma tuner let(STAGE_BYTES = LAYOUT == staged ? BLOCKDIMX * VALUES_PER_THREAD * sizeof(TYPE) : 0)

#pragma tuner constraint(WIDTH * sizeof(TYPE) <= 16) constraint(VALUES_PER_THREAD * sizeof(TYPE) <= 256)
#pragma tuner constraint(STAGE_BYTES <= max_shared_per_block)
#pragma tuner constraint(LAYOUT == aos || fields > 1 && index == 0 && EXECUTION == one_thread)
#pragma tuner constraint(EXECUTION == one_thread || fields > 1)
#pragma tuner constraint(ALIGN_PAD == 0 || offset * sizeof(TYPE) % 128 != 0)
#pragma tuner constraint(WIDTH == 1 || ALIGN_PAD == 1 || offset % WIDTH == 0)
#pragma tuner constraint(WIDTH == 1 || LAYOUT == soa || fields % WIDTH == 0 || IS_FLAT && index == 0)
#pragma tuner constraint(READ_PATH in (plain, ldcs) || index != 0)

#pragma tuner grid(ceil_div(records * fields + IDLE_VALUES, BLOCKDIMX * VALUES_PER_THREAD)) block(BLOCKDIMX)
#pragma tuner shared(STAGE_BYTES)
#pragma tuner in(x, TYPE, offset + records * fields * stride, uniform(0, 100))
#pragma tuner in(table, int32, index == 2 ? records : 1, index(records))
#pragma tuner out(y, TYPE, offset + records * fields)
#pragma tuner scalar(records, int32) scalar(offset, int32) scalar(stride, int32)
#pragma tuner work(bytes = 2 * sizeof(TYPE) * records * fields + (index == 2 ? 4 * records : 0))

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 256
#endif
#ifndef ITEMS_PER_THREAD
#define ITEMS_PER_THREAD 1
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef ALIGN_PAD
#define ALIGN_PAD 0
#endif
#ifndef LAYOUT
#define LAYOUT_aos 0
#define LAYOUT_soa 1
#define LAYOUT_staged 2
#define LAYOUT LAYOUT_aos
#endif
#ifndef READ_PATH
#define READ_PATH_plain 0
#define READ_PATH_restrict 1
#define READ_PATH_ldg 2
#define READ_PATH_ldcs 3
#define READ_PATH_ldcg 4
#define READ_PATH READ_PATH_plain
#endif
#ifndef WRITE_PATH
#define WRITE_PATH_plain_store 0
#define WRITE_PATH_streaming_store 1
#define WRITE_PATH WRITE_PATH_plain_store
#endif
#ifndef IS_FLAT
#define IS_FLAT 1
#endif
#ifndef VALUE_BYTES
#define VALUE_BYTES 4
#define COMPONENT_BYTES 4
#endif
#ifndef FIELDS
#define FIELDS 1
#endif
#ifndef INDEX
#define INDEX 0
#endif

#if READ_PATH == READ_PATH_restrict
#define READ_ONLY * __restrict__
#else
#define READ_ONLY *
#endif

template <int Bytes>
struct Bits {
  using Type = tuner::uint32;
};
template <>
struct Bits<8> {
  using Type = tuner::uint64;
};
using Value = Bits<VALUE_BYTES>::Type;
template <int Count>
using Pack = tuner::Pack<Value, Count>;

__device__ constexpr Value top_bits() {
  Value bits = 0;
  for (int bytes = COMPONENT_BYTES; bytes <= VALUE_BYTES; bytes += COMPONENT_BYTES) bits |= Value{1} << (8 * bytes - 1);
  return bits;
}

template <int Count>
__device__ __forceinline__ Pack<Count> f(Pack<Count> x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) x[i] ^= top_bits();
  return x;
}

template <int Count>
__device__ __forceinline__ Pack<Count> read(const Value* from) {
#if READ_PATH == READ_PATH_ldg
  return tuner::load_pack_read_only<Count>(from);
#elif READ_PATH == READ_PATH_ldcs
  return tuner::load_pack_streaming<Count>(from);
#elif READ_PATH == READ_PATH_ldcg
  return tuner::load_pack_past_l1<Count>(from);
#else
  return tuner::load_pack<Count>(from);
#endif
}

template <int Count>
__device__ __forceinline__ void write(Value* to, Pack<Count> pack) {
#if WRITE_PATH == WRITE_PATH_streaming_store
  tuner::store_pack_streaming(to, pack);
#else
  tuner::store_pack(to, pack);
#endif
}

// How far behind an address that is a multiple of `bytes` this one lies, in values.
__device__ __forceinline__ int misplaced(const Value* address, int bytes) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(address) % bytes / sizeof(Value));
}
__device__ __forceinline__ bool takes_packs(const Value* address) { return misplaced(address, WIDTH * VALUE_BYTES) == 0; }

#if IS_FLAT || LAYOUT != LAYOUT_soa
// Where value `at` of the result is read from. A pack of values lies within a record, or all records are neighbours.
__device__ __forceinline__ long long source_of(long long at, const int READ_ONLY table, int stride) {
#if INDEX == 0
  return at;
#else
  const long long record = FIELDS == 1 ? at : at / FIELDS;
#if INDEX == 1
  return record * stride * FIELDS + (at - record * FIELDS);
#else
  return static_cast<long long>(table[record]) * FIELDS + (at - record * FIELDS);
#endif
#endif
}
#endif

#if IS_FLAT

// Neighbouring threads take neighbouring packs.
__device__ __forceinline__ void work_on_block(const Value READ_ONLY x, const int READ_ONLY table, Value* y, int records,
                                              int stride) {
  constexpr int tile = BLOCKDIMX * ITEMS_PER_THREAD * WIDTH;
  const long long values = static_cast<long long>(records) * FIELDS;
  const int idle = ALIGN_PAD ? misplaced(x, 128) : 0;
  const long long first = static_cast<long long>(blockIdx.x) * tile - idle;
  if (first >= 0 && first + tile <= values && takes_packs(x + first) && takes_packs(y + first)) {
    Pack<WIDTH> packs[ITEMS_PER_THREAD];
    const long long at = first + threadIdx.x * WIDTH;
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      packs[i] = read<WIDTH>(x + source_of(at + i * BLOCKDIMX * WIDTH, table, stride));
    }
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) write(y + at + i * BLOCKDIMX * WIDTH, f(packs[i]));
  } else {
    const long long end = min(first + tile, values);
#pragma unroll 1
    for (long long at = max(first, 0LL) + threadIdx.x; at < end; at += BLOCKDIMX) {
      write(y + at, f(read<1>(x + source_of(at, table, stride))));
    }
  }
}

#elif LAYOUT == LAYOUT_aos

// Each thread takes whole records.
__device__ __forceinline__ void work_on_block(const Value READ_ONLY x, const int READ_ONLY table, Value* y, int records,
                                              int stride) {
  constexpr int tile = BLOCKDIMX * ITEMS_PER_THREAD;
  const long long first = static_cast<long long>(blockIdx.x) * tile + threadIdx.x;
  if ((blockIdx.x + 1LL) * tile <= records) {
    Pack<WIDTH> packs[ITEMS_PER_THREAD][FIELDS / WIDTH];
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      const Value READ_ONLY record = x + source_of((first + i * BLOCKDIMX) * FIELDS, table, stride);
#pragma unroll
      for (int j = 0; j < FIELDS / WIDTH; ++j) packs[i][j] = read<WIDTH>(record + j * WIDTH);
    }
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
#pragma unroll
      for (int j = 0; j < FIELDS / WIDTH; ++j) {
        write(y + (first + i * BLOCKDIMX) * FIELDS + j * WIDTH, f(packs[i][j]));
      }
    }
  } else {
#pragma unroll 1
    for (long long record = first; record < records; record += BLOCKDIMX) {
      for (int field = 0; field < FIELDS; ++field) {
        const long long at = record * FIELDS + field;
        write(y + at, f(read<1>(x + source_of(at, table, stride))));
      }
    }
  }
}

#elif LAYOUT == LAYOUT_soa

// Each thread takes WIDTH neighbouring records, field by field; all values of a field are neighbours.
__device__ __forceinline__ void work_on_block(const Value READ_ONLY x, const int READ_ONLY, Value* y, int records, int) {
  constexpr int tile = BLOCKDIMX * ITEMS_PER_THREAD * WIDTH;
  const long long first = static_cast<long long>(blockIdx.x) * tile;
  if (first + tile <= records && records % WIDTH == 0) {
    Pack<WIDTH> packs[FIELDS][ITEMS_PER_THREAD];
    const long long at = first + threadIdx.x * WIDTH;
    const long long pitch = records;
#pragma unroll
    for (int field = 0; field < FIELDS; ++field) {
#pragma unroll
      for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        packs[field][i] = read<WIDTH>(x + field * pitch + at + i * BLOCKDIMX * WIDTH);
      }
    }
#pragma unroll
    for (int field = 0; field < FIELDS; ++field) {
#pragma unroll
      for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
        write(y + field * pitch + at + i * BLOCKDIMX * WIDTH, f(packs[field][i]));
      }
    }
  } else {
    const long long end = min(first + tile, static_cast<long long>(records));
#pragma unroll 1
    for (long long at = first + threadIdx.x; at < end; at += BLOCKDIMX) {
      for (long long field = 0; field < FIELDS; ++field) {
        write(y + field * records + at, f(read<1>(x + field * records + at)));
      }
    }
  }
}

#else  // staged

// The block copies its records to shared memory in the order in which they lie, so that each thread can take a record of
// its own from there, and back the same way.
__device__ __forceinline__ void work_on_block(const Value READ_ONLY x, const int READ_ONLY, Value* y, int records, int) {
  extern __shared__ __align__(16) Value stage[];
  constexpr int tile = BLOCKDIMX * ITEMS_PER_THREAD * FIELDS;
  const long long values = static_cast<long long>(records) * FIELDS;
  const long long first = static_cast<long long>(blockIdx.x) * tile;
  if (first + tile <= values) {
    constexpr int copies = ITEMS_PER_THREAD * FIELDS / WIDTH;
    const int at = threadIdx.x * WIDTH;
    Pack<WIDTH> packs[copies];
#pragma unroll
    for (int i = 0; i < copies; ++i) packs[i] = read<WIDTH>(x + first + at + i * BLOCKDIMX * WIDTH);
#pragma unroll
    for (int i = 0; i < copies; ++i) tuner::store_pack(stage + at + i * BLOCKDIMX * WIDTH, packs[i]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      Value* record = stage + (i * BLOCKDIMX + threadIdx.x) * FIELDS;
#pragma unroll
      for (int j = 0; j < FIELDS; j += WIDTH) {
        tuner::store_pack(record + j, f(tuner::load_pack<WIDTH>(static_cast<const Value*>(record) + j)));
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      const Value* staged = stage + at + i * BLOCKDIMX * WIDTH;
      write(y + first + at + i * BLOCKDIMX * WIDTH, tuner::load_pack<WIDTH>(staged));
    }
  } else {
#pragma unroll 1
    for (long long at = first + threadIdx.x; at < values; at += BLOCKDIMX) write(y + at, f(read<1>(x + at)));
  }
}

#endif

extern "C" __global__ void access_patterns(const Value READ_ONLY x, const int READ_ONLY table, Value* y, int records,
                                           int offset, int stride) {
  work_on_block(x + offset, table, y + offset, records, stride);
  // The few values before the records too, so that all of y is defined.
  if (blockIdx.x == 0) {
#pragma unroll 1
    for (int at = threadIdx.x; at < offset; at += BLOCKDIMX) write(y + at, f(read<1>(x + at)));
  }
}
