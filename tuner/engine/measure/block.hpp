#pragma once

#include <vector>

#include "tuner/engine/measure/entrant_id.hpp"

namespace tuner::engine {

/// Entrants that ran once each, one right after the other, in this order.
struct Block {
  std::vector<EntrantId> order;
  std::vector<double> samples_ns;  ///< `samples_ns[i]` is the time of entrant `order[i]`
  bool disturbed = false;          ///< the clock moved meanwhile
  int launches = 1;                ///< of which each sample is the mean
};

}  // namespace tuner::engine
