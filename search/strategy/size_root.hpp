#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tuner::search {

/// The square root of a space's size: how much is to be tried grows with it. Larger spaces than the largest count as of
/// that size, because nobody knows more of them.
inline double size_root(std::uint64_t space_size) {
  constexpr std::uint64_t kLargest = 40'000;
  return std::sqrt(static_cast<double>(std::min(space_size, kLargest)));
}

}  // namespace tuner::search
