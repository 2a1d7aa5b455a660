#pragma once

#include "tuner/host/shim/block.hpp"
#include "tuner/host/shim/numbers.hpp"

// What the lanes of a warp do together. Lanes meet at the same line of the kernel with the same mask.

namespace tuner::host {

template <typename T>
inline T shuffle(unsigned mask, T value, int source, Spot spot) {
  static_assert(sizeof(T) <= 16, "a shuffle moves at most 16 bytes");
  T result = value;
  warp_exchange(mask, spot, source, &value, &result, sizeof(T));
  return result;
}

/// `source` if it lies in the segment of `width` lanes around the current one, else the current lane.
inline int within_segment(int source, int width) {
  return source >= 0 && source / width == lane() / width ? source : lane();
}

template <typename T, typename Join>
inline T reduce(unsigned mask, T value, Spot spot, Join join) {
  unsigned long long all[32];
  warp_gather(mask, spot, static_cast<unsigned long long>(value), all);
  T result = value;
  for (int other = 0; other < 32; ++other) {
    if (other != lane() && (mask >> other & 1)) result = join(result, static_cast<T>(all[other]));
  }
  return result;
}

}  // namespace tuner::host

#define TUNER_SPOT int line = __builtin_LINE(), const char *file = __builtin_FILE()

inline void __syncwarp(unsigned mask = 0xffffffffu, TUNER_SPOT) {
  tuner::host::warp_exchange(mask, {file, line}, 0, nullptr, nullptr, 0);
}
inline unsigned __activemask(TUNER_SPOT) {
  return tuner::host::active_lanes({file, line});
}

template <typename T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, TUNER_SPOT) {
  const int own = tuner::host::lane();
  return tuner::host::shuffle(mask, value, own / width * width + static_cast<int>(unsigned(source) % unsigned(width)),
                              {file, line});
}
template <typename T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, TUNER_SPOT) {
  using namespace tuner::host;
  return shuffle(mask, value, within_segment(lane() - static_cast<int>(delta), width), {file, line});
}
template <typename T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, TUNER_SPOT) {
  using namespace tuner::host;
  return shuffle(mask, value, within_segment(lane() + static_cast<int>(delta), width), {file, line});
}
template <typename T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, TUNER_SPOT) {
  using namespace tuner::host;
  return shuffle(mask, value, within_segment(lane() ^ lanes, width), {file, line});
}

inline unsigned __ballot_sync(unsigned mask, int vote, TUNER_SPOT) {
  return tuner::host::warp_ballot(mask, {file, line}, vote);
}
inline int __any_sync(unsigned mask, int vote, TUNER_SPOT) {
  return tuner::host::warp_ballot(mask, {file, line}, vote) != 0;
}
inline int __all_sync(unsigned mask, int vote, TUNER_SPOT) {
  return tuner::host::warp_ballot(mask, {file, line}, !vote) == 0;
}
template <typename T>
inline unsigned __match_any_sync(unsigned mask, T value, TUNER_SPOT) {
  unsigned long long all[32], own = 0;
  __builtin_memcpy(&own, &value, sizeof value);
  tuner::host::warp_gather(mask, {file, line}, own, all);
  unsigned same = 0;
  for (int lane = 0; lane < 32; ++lane) same |= (mask >> lane & 1 && all[lane] == own ? 1u : 0u) << lane;
  return same;
}
template <typename T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all_same, TUNER_SPOT) {
  const unsigned same = __match_any_sync(mask, value, line, file);
  *all_same = same == tuner::host::warp_ballot(mask, {file, line}, 1);
  return *all_same ? same : 0;
}

#define TUNER_REDUCE(NAME, JOIN)                                                               \
  template <typename T>                                                                        \
  inline T NAME(unsigned mask, T value, TUNER_SPOT) {                                          \
    return tuner::host::reduce(mask, value, {file, line}, [](T a, T b) -> T { return JOIN; }); \
  }
TUNER_REDUCE(__reduce_add_sync, static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
TUNER_REDUCE(__reduce_min_sync, (a < b ? a : b))
TUNER_REDUCE(__reduce_max_sync, (a < b ? b : a))
TUNER_REDUCE(__reduce_and_sync, (a & b))
TUNER_REDUCE(__reduce_or_sync, (a | b))
TUNER_REDUCE(__reduce_xor_sync, (a ^ b))
#undef TUNER_REDUCE
#undef TUNER_SPOT
