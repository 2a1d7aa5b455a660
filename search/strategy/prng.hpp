#pragma once

#include <cstdint>

namespace tuner::search {

/// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Small,
/// and gives the same numbers with every standard library, which the distributions of <random> do not. Any seed is
/// good, 0 too.
class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Uniform in 0 .. count - 1, for count > 0. The lowest 2^64 mod count numbers are drawn again: they would make the
  /// first results likelier.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t surplus = (0 - count) % count;
    std::uint64_t drawn = next();
    while (drawn < surplus) drawn = next();
    return drawn % count;
  }

  /// Uniform in [0, 1): a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace tuner::search
