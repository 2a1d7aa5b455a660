#pragma once

#include <cstdint>
#include <vector>

#include "search/strategy/prng.hpp"

namespace tuner::search {

/// Points of the unit cube that fill it more evenly than independent ones, from the first point on: J. H. Halton, "On
/// the efficiency of certain quasi-random sequences of points", Numerische Mathematik 2, 1960, with every digit of
/// every coordinate permuted at random (A. B. Owen, "A randomized Halton algorithm in R", arXiv:1706.02808, 2017),
/// without which the coordinates of many dimensions run in step. Each point by itself is uniform.
class ScrambledHalton {
 public:
  ScrambledHalton(std::size_t dimensions, std::uint64_t seed);

  /// The next point, each coordinate in [0, 1); valid until the next call.
  const std::vector<double>& next();

 private:
  /// One coordinate: the digits of the point's number in a prime base, the last one first, each exchanged for another.
  struct Coordinate {
    std::uint32_t base;
    std::vector<std::vector<std::uint32_t>> digits;  ///< by place, a permutation
  };

  std::vector<Coordinate> coordinates_;
  std::vector<double> point_;
  std::uint64_t number_ = 0;
};

}  // namespace tuner::search
