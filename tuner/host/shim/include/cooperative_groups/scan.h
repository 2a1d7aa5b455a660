#pragma once

#include "tuner/host/shim/include/cooperative_groups.h"

namespace cooperative_groups {

template <typename T, typename Join = plus<T>>
T inclusive_scan(const tuner_detail::Lanes& lanes, T value, Join join = {}, int line = __builtin_LINE(),
                 const char* file = __builtin_FILE()) {
  T result = lanes.shfl(value, 0, line, file);
  for (unsigned rank = 1; rank < lanes.num_threads(); ++rank) {
    const T next = lanes.shfl(value, static_cast<int>(rank), line, file);
    if (rank <= lanes.thread_rank()) result = join(result, next);
  }
  return result;
}

template <typename T, typename Join = plus<T>>
T exclusive_scan(const tuner_detail::Lanes& lanes, T value, Join join = {}, int line = __builtin_LINE(),
                 const char* file = __builtin_FILE()) {
  const T before = lanes.shfl_up(inclusive_scan(lanes, value, join, line, file), 1, line, file);
  return lanes.thread_rank() == 0 ? T{} : before;
}

}  // namespace cooperative_groups
