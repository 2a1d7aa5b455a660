#pragma once

#include "tuner/host/shim/include/cooperative_groups.h"

namespace cooperative_groups {

template <typename T, typename Join>
T reduce(const tuner_detail::Lanes& lanes, T value, Join join, int line = __builtin_LINE(),
         const char* file = __builtin_FILE()) {
  T result = lanes.shfl(value, 0, line, file);
  for (unsigned rank = 1; rank < lanes.num_threads(); ++rank)
    result = join(result, lanes.shfl(value, static_cast<int>(rank), line, file));
  return result;
}

}  // namespace cooperative_groups
