#include "tuner/engine/measure/shuffle.hpp"

#include <limits>
#include <utility>

namespace tuner::engine {

void Shuffle::operator()(std::vector<EntrantId>& entrants) {
  for (std::size_t left = entrants.size(); left > 1; --left) {  // Fisher and Yates
    std::swap(entrants[left - 1], entrants[random_below(left)]);
  }
}

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t Shuffle::random() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t bits = state_;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

// Values past the last whole multiple of `bound` are drawn again, so that all are equally likely.
std::uint64_t Shuffle::random_below(std::uint64_t bound) {
  const std::uint64_t rest = (std::numeric_limits<std::uint64_t>::max() % bound + 1) % bound;
  for (;;) {
    const std::uint64_t drawn = random();
    if (drawn <= std::numeric_limits<std::uint64_t>::max() - rest) return drawn % bound;
  }
}

}  // namespace tuner::engine
