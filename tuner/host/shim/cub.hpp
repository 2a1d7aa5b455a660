#pragma once

#include <string.h>

#include "tuner/host/shim/functional.hpp"
#include "tuner/host/shim/warp.hpp"

// The part of CUB that kernels use most: reductions and prefix sums of blocks and warps, loads and stores. What is
// joined is joined in the order of the threads.

#define TUNER_SPOT                             \
  tuner::host::Spot spot = tuner::host::Spot { \
    __builtin_FILE(), __builtin_LINE()         \
  }

namespace cub {
namespace tuner_detail {

inline unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/// One value of each thread, in shared memory, without a constructor.
template <typename T, int Threads>
struct Slots {
  alignas(T) unsigned char bytes[Threads * sizeof(T)];
  T& operator[](int rank) { return reinterpret_cast<T*>(bytes)[rank]; }
};
struct Nothing {};

template <typename T, int Items, typename Join>
T join_items(const T (&items)[Items], Join join) {
  T result = items[0];
  for (int i = 1; i < Items; ++i) result = join(result, items[i]);
  return result;
}

/// What each lane of a warp, or of a part of one, begins with and ends with.
template <typename T, int Lanes, typename Join>
struct WarpPrefix {
  WarpPrefix(T own, Join join, int valid, tuner::host::Spot spot) : inclusive(own), exclusive(own), all(own) {
    const int lane = tuner::host::lane(), first = lane / Lanes * Lanes;
    const unsigned part = static_cast<unsigned>((1ull << Lanes) - 1) << first;  // those that meet
    const unsigned present = __activemask(spot.line, spot.file) & part;
    for (int rank = 0; rank < valid && (present >> (first + rank) & 1) != 0; ++rank) {
      const T next = tuner::host::shuffle(present, own, first + rank, spot);
      if (first + rank < lane) exclusive = rank == 0 ? next : join(exclusive, next);
      all = rank == 0 ? next : join(all, next);
      if (first + rank <= lane) inclusive = all;
    }
  }
  T inclusive, exclusive, all;  ///< `exclusive` of the first lane means nothing
};

}  // namespace tuner_detail

using Sum = ::cuda::std::plus<>;
using Min = ::cuda::minimum<>;
using Max = ::cuda::maximum<>;

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

/// Only the first thread is given the result; the others keep what they have.
template <typename T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
  static constexpr int kThreads = X * Y * Z;

 public:
  using TempStorage = tuner_detail::Slots<T, kThreads>;
  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <typename Join>
  T Reduce(T value, Join join, int valid, TUNER_SPOT) {
    const int rank = static_cast<int>(tuner_detail::rank_in_block());
    if (rank < valid) storage_[rank] = value;
    tuner::host::block_barrier(spot);
    if (rank != 0 || valid <= 0) return value;
    T result = storage_[0];
    for (int other = 1; other < valid && other < kThreads; ++other) result = join(result, storage_[other]);
    return result;
  }
  template <typename Join>
  T Reduce(T value, Join join, TUNER_SPOT) {
    return Reduce(value, join, kThreads, spot);
  }
  template <int Items, typename Join>
  T Reduce(T (&items)[Items], Join join, TUNER_SPOT) {
    return Reduce(tuner_detail::join_items(items, join), join, kThreads, spot);
  }
  T Sum(T value, TUNER_SPOT) { return Reduce(value, cub::Sum(), kThreads, spot); }
  T Sum(T value, int valid, TUNER_SPOT) { return Reduce(value, cub::Sum(), valid, spot); }
  template <int Items>
  T Sum(T (&items)[Items], TUNER_SPOT) {
    return Reduce(items, cub::Sum(), spot);
  }

 private:
  TempStorage& storage_;
};

template <typename T, int Lanes = 32>
class WarpReduce {
 public:
  using TempStorage = tuner_detail::Nothing;
  explicit WarpReduce(TempStorage&) {}

  template <typename Join>
  T Reduce(T value, Join join, int valid, TUNER_SPOT) {
    return tuner_detail::WarpPrefix<T, Lanes, Join>(value, join, valid, spot).all;
  }
  template <typename Join>
  T Reduce(T value, Join join, TUNER_SPOT) {
    return Reduce(value, join, Lanes, spot);
  }
  T Sum(T value, TUNER_SPOT) { return Reduce(value, cub::Sum(), Lanes, spot); }
};

template <typename T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;

 public:
  using TempStorage = tuner_detail::Slots<T, kThreads>;
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <typename Join>
  void InclusiveScan(T in, T& out, Join join, T& all, TUNER_SPOT) {
    T before;
    const bool any = scan(in, before, join, all, spot);
    out = any ? join(before, in) : in;
  }
  template <typename Join>
  void InclusiveScan(T in, T& out, Join join, TUNER_SPOT) {
    T all;
    InclusiveScan(in, out, join, all, spot);
  }
  template <typename Join>
  void ExclusiveScan(T in, T& out, T initial, Join join, T& all, TUNER_SPOT) {
    T before;
    const bool any = scan(in, before, join, all, spot);
    out = any ? join(initial, before) : initial;
  }
  template <typename Join>
  void ExclusiveScan(T in, T& out, T initial, Join join, TUNER_SPOT) {
    T all;
    ExclusiveScan(in, out, initial, join, all, spot);
  }
  void InclusiveSum(T in, T& out, TUNER_SPOT) { InclusiveScan(in, out, cub::Sum(), spot); }
  void InclusiveSum(T in, T& out, T& all, TUNER_SPOT) { InclusiveScan(in, out, cub::Sum(), all, spot); }
  void ExclusiveSum(T in, T& out, TUNER_SPOT) { ExclusiveScan(in, out, T{}, cub::Sum(), spot); }
  void ExclusiveSum(T in, T& out, T& all, TUNER_SPOT) { ExclusiveScan(in, out, T{}, cub::Sum(), all, spot); }
  template <int Items>
  void InclusiveSum(T (&in)[Items], T (&out)[Items], TUNER_SPOT) {
    T all, sum;
    ExclusiveScan(tuner_detail::join_items(in, cub::Sum()), sum, T{}, cub::Sum(), all, spot);
    for (int i = 0; i < Items; ++i) out[i] = sum = sum + in[i];
  }
  template <int Items>
  void ExclusiveSum(T (&in)[Items], T (&out)[Items], TUNER_SPOT) {
    T all;
    ExclusiveSum(in, out, all, spot);
  }
  template <int Items>
  void ExclusiveSum(T (&in)[Items], T (&out)[Items], T& all, TUNER_SPOT) {
    T sum;
    ExclusiveScan(tuner_detail::join_items(in, cub::Sum()), sum, T{}, cub::Sum(), all, spot);
    for (int i = 0; i < Items; ++i) {
      const T next = sum + in[i];
      out[i] = sum;
      sum = next;
    }
  }

 private:
  /// False for the first thread, which nothing comes before.
  template <typename Join>
  bool scan(T in, T& before, Join join, T& all, tuner::host::Spot spot) {
    const int rank = static_cast<int>(tuner_detail::rank_in_block());
    storage_[rank] = in;
    tuner::host::block_barrier(spot);
    all = storage_[0];
    for (int other = 1; other < kThreads; ++other) {
      if (other == rank) before = all;
      all = join(all, storage_[other]);
    }
    return rank > 0;
  }
  TempStorage& storage_;
};

template <typename T, int Lanes = 32>
class WarpScan {
 public:
  using TempStorage = tuner_detail::Nothing;
  explicit WarpScan(TempStorage&) {}

  template <typename Join>
  void InclusiveScan(T in, T& out, Join join, TUNER_SPOT) {
    out = tuner_detail::WarpPrefix<T, Lanes, Join>(in, join, Lanes, spot).inclusive;
  }
  template <typename Join>
  void ExclusiveScan(T in, T& out, T initial, Join join, TUNER_SPOT) {
    const T before = tuner_detail::WarpPrefix<T, Lanes, Join>(in, join, Lanes, spot).exclusive;
    out = tuner::host::lane() % Lanes == 0 ? initial : join(initial, before);
  }
  void InclusiveSum(T in, T& out, TUNER_SPOT) { InclusiveScan(in, out, cub::Sum(), spot); }
  void ExclusiveSum(T in, T& out, TUNER_SPOT) { ExclusiveScan(in, out, T{}, cub::Sum(), spot); }
};

template <typename T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
class BlockLoad {
 public:
  using TempStorage = tuner_detail::Nothing;
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}
  template <typename From>
  void Load(From from, T (&items)[Items], int valid = X * Y * Z * Items) {
    const int rank = static_cast<int>(tuner_detail::rank_in_block());
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == BLOCK_LOAD_STRIPED ? i * X * Y * Z + rank : rank * Items + i;
      if (at < valid) items[i] = from[at];
    }
  }
  template <typename From, typename Else>
  void Load(From from, T (&items)[Items], int valid, Else otherwise) {
    for (T& item : items) item = otherwise;
    Load(from, items, valid);
  }
};

template <typename T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
class BlockStore {
 public:
  using TempStorage = tuner_detail::Nothing;
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}
  template <typename To>
  void Store(To to, T (&items)[Items], int valid = X * Y * Z * Items) {
    const int rank = static_cast<int>(tuner_detail::rank_in_block());
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == BLOCK_STORE_STRIPED ? i * X * Y * Z + rank : rank * Items + i;
      if (at < valid) to[at] = items[i];
    }
  }
};

}  // namespace cub

#undef TUNER_SPOT
