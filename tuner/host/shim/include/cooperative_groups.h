#pragma once

#include "tuner/host/shim/vector_types.hpp"
#include "tuner/host/shim/warp.hpp"

// Groups of a block and of its warps. What spans blocks cannot wait here: blocks run one after the other.

#define TUNER_SPOT int line = __builtin_LINE(), const char *file = __builtin_FILE()

namespace cooperative_groups {
namespace tuner_detail {

inline unsigned threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}
inline unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/// Some lanes of a warp; their ranks are in the order of the lanes.
class Lanes {
 public:
  explicit Lanes(unsigned mask) : mask_(mask) {}
  unsigned thread_rank() const { return rank_of(tuner::host::lane()); }
  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
  unsigned size() const { return num_threads(); }
  unsigned mask() const { return mask_; }

  void sync(TUNER_SPOT) const { __syncwarp(mask_, line, file); }
  template <typename T>
  T shfl(T value, int rank, TUNER_SPOT) const {
    return from(value, static_cast<int>(static_cast<unsigned>(rank) % num_threads()), line, file);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta, TUNER_SPOT) const {
    return from(value, static_cast<int>(thread_rank() - delta), line, file);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta, TUNER_SPOT) const {
    return from(value, static_cast<int>(thread_rank() + delta), line, file);
  }
  template <typename T>
  T shfl_xor(T value, unsigned lanes, TUNER_SPOT) const {
    return from(value, static_cast<int>(thread_rank() ^ lanes), line, file);
  }
  int any(int vote, TUNER_SPOT) const { return __any_sync(mask_, vote, line, file); }
  int all(int vote, TUNER_SPOT) const { return __all_sync(mask_, vote, line, file); }
  unsigned ballot(int vote, TUNER_SPOT) const { return by_rank(__ballot_sync(mask_, vote, line, file)); }
  template <typename T>
  unsigned match_any(T value, TUNER_SPOT) const {
    return by_rank(__match_any_sync(mask_, value, line, file));
  }
  template <typename T>
  unsigned match_all(T value, int& all_same, TUNER_SPOT) const {
    return by_rank(__match_all_sync(mask_, value, &all_same, line, file));
  }

 private:
  unsigned rank_of(int lane) const { return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << lane) - 1))); }
  /// Of who has that rank; of the lane itself where nobody has it.
  template <typename T>
  T from(T value, int rank, int line, const char* file) const {
    int source = tuner::host::lane();
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask_ >> lane & 1) != 0 && static_cast<int>(rank_of(lane)) == rank) source = lane;
    }
    return tuner::host::shuffle(mask_, value, source, {file, line});
  }
  unsigned by_rank(unsigned lanes) const {
    unsigned ranks = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask_ & lanes) >> lane & 1) ranks |= 1u << rank_of(lane);
    }
    return ranks;
  }

  unsigned mask_;
};

/// The lanes around the current one that make a tile, as far as the block has them.
inline unsigned tile_mask(unsigned size) {
  const unsigned lane = static_cast<unsigned>(tuner::host::lane());
  const unsigned first = rank_in_block() - lane;
  unsigned mask = 0;
  for (unsigned other = lane / size * size; other < lane / size * size + size; ++other) {
    if (first + other < threads_of_block()) mask |= 1u << other;
  }
  return mask;
}

}  // namespace tuner_detail

class thread_block {
 public:
  static void sync(TUNER_SPOT) { tuner::host::block_barrier({file, line}); }
  static unsigned thread_rank() { return tuner_detail::rank_in_block(); }
  static unsigned num_threads() { return tuner_detail::threads_of_block(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static dim3 group_dim() { return dim_threads(); }
};
inline thread_block this_thread_block() {
  return {};
}

class grid_group {
 public:
  static bool is_valid() { return true; }
  [[noreturn]] static void sync(TUNER_SPOT) {
    tuner::host::stop("`grid_group::sync` cannot run on the CPU, where blocks run one after the other", {file, line});
  }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long num_blocks() { return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z; }
  static unsigned long long thread_rank() {
    return block_rank() * tuner_detail::threads_of_block() + tuner_detail::rank_in_block();
  }
  static unsigned long long num_threads() { return num_blocks() * tuner_detail::threads_of_block(); }
  static unsigned long long size() { return num_threads(); }
  static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 dim_blocks() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static dim3 group_dim() { return dim_blocks(); }
};
inline grid_group this_grid() {
  return {};
}

class coalesced_group : public tuner_detail::Lanes {
 public:
  using Lanes::Lanes;
  static unsigned meta_group_rank() { return 0; }
  static unsigned meta_group_size() { return 1; }
};
inline coalesced_group coalesced_threads(TUNER_SPOT) {
  return coalesced_group(__activemask(line, file));
}

template <unsigned Size, typename Parent = void>
class thread_block_tile : public tuner_detail::Lanes {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile of more than one warp cannot run on the CPU");

 public:
  explicit thread_block_tile(unsigned parents_rank, unsigned parents_size)
      : Lanes(tuner_detail::tile_mask(Size)), rank_(parents_rank / Size), tiles_((parents_size + Size - 1) / Size) {}
  /// To the type that does not name its parent.
  template <typename Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other)
      : Lanes(other), rank_(other.meta_group_rank()), tiles_(other.meta_group_size()) {
    static_assert(std::is_void_v<Parent>, "a tile of another parent is another type");
  }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return tiles_; }

 private:
  unsigned rank_, tiles_;
};
template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(static_cast<unsigned>(parent.thread_rank()),
                                         static_cast<unsigned>(parent.size()));
}
/// Of a number of threads that is known at run time.
template <typename Parent>
coalesced_group tiled_partition(const Parent&, unsigned size) {
  return coalesced_group(tuner_detail::tile_mask(size));
}

template <typename T>
coalesced_group labeled_partition(const tuner_detail::Lanes& lanes, T label, TUNER_SPOT) {
  return coalesced_group(__match_any_sync(lanes.mask(), label, line, file));
}
inline coalesced_group binary_partition(const tuner_detail::Lanes& lanes, bool side, TUNER_SPOT) {
  return labeled_partition(lanes, static_cast<int>(side), line, file);
}

/// Any group of a block.
class thread_group {
 public:
  thread_group(const thread_block&) : mask_(0) {}
  thread_group(const tuner_detail::Lanes& lanes) : mask_(lanes.mask()) {}
  void sync(TUNER_SPOT) const {
    if (mask_ == 0) return thread_block::sync(line, file);
    lanes().sync(line, file);
  }
  unsigned thread_rank() const { return mask_ == 0 ? thread_block::thread_rank() : lanes().thread_rank(); }
  unsigned num_threads() const { return mask_ == 0 ? thread_block::num_threads() : lanes().num_threads(); }
  unsigned size() const { return num_threads(); }

 private:
  tuner_detail::Lanes lanes() const { return tuner_detail::Lanes(mask_); }
  unsigned mask_;  ///< 0: the whole block
};

template <typename Group>
void sync(const Group& group, TUNER_SPOT) {
  group.sync(line, file);
}

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

}  // namespace cooperative_groups

#undef TUNER_SPOT
