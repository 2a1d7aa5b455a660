#include "search/strategy/halton.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tuner::search {
namespace {

constexpr double kResolution = 1e-12;  // digits that are worth less are left out

std::uint32_t prime_after(std::uint32_t number) {
  const auto divided = [](std::uint32_t candidate) {
    for (std::uint32_t divisor = 2; divisor * divisor <= candidate; ++divisor) {
      if (candidate % divisor == 0) return true;
    }
    return false;
  };
  do ++number;
  while (divided(number));
  return number;
}

std::vector<std::uint32_t> permutation(std::uint32_t count, Prng& prng) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), 0U);
  for (std::size_t i = count; i > 1; --i) std::swap(result[i - 1], result[prng.below(i)]);
  return result;
}

}  // namespace

ScrambledHalton::ScrambledHalton(std::size_t dimensions, std::uint64_t seed) : point_(dimensions) {
  Prng prng(seed);
  std::uint32_t base = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    base = prime_after(base);
    Coordinate coordinate{base, {}};
    for (double worth = 1; worth > kResolution; worth /= base) coordinate.digits.push_back(permutation(base, prng));
    coordinates_.push_back(std::move(coordinate));
  }
}

const std::vector<double>& ScrambledHalton::next() {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const Coordinate& coordinate = coordinates_[i];
    double sum = 0;
    double worth = 1;
    std::uint64_t left = number_;
    for (const std::vector<std::uint32_t>& permuted : coordinate.digits) {
      worth /= coordinate.base;
      sum += worth * permuted[left % coordinate.base];
      left /= coordinate.base;
    }
    point_[i] = std::min(sum, 1 - kResolution);
  }
  ++number_;
  return point_;
}

}  // namespace tuner::search
