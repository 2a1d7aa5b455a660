#pragma once

#include <cstdint>
#include <vector>

#include "tuner/engine/measure/entrant_id.hpp"

namespace tuner::engine {

/// Puts the entrants of a block into random order. The same seed gives the same orders on every platform, which the
/// standard library's shuffle does not promise.
class Shuffle {
 public:
  explicit Shuffle(std::uint64_t seed) : state_(seed) {}
  void operator()(std::vector<EntrantId>& entrants);

 private:
  std::uint64_t random();
  std::uint64_t random_below(std::uint64_t bound);

  std::uint64_t state_;
};

}  // namespace tuner::engine
