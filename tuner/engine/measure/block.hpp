#pragma once

#include <cstddef>
#include <vector>

namespace tuner::engine {

/// Entries that ran once each, one right after the other, in this order.
struct Block {
  std::vector<std::size_t> order;
  std::vector<double> samples_ns;  ///< `samples_ns[i]` is the time of entry `order[i]`
  bool disturbed = false;          ///< the clock moved meanwhile
  int launches = 1;                ///< of which each sample is the mean
};

}  // namespace tuner::engine
