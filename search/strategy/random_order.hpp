#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "search/strategy/prng.hpp"

namespace tuner::search {

/// The numbers 0 .. count - 1 in an order drawn from a seed, each order equally likely: the shuffle of R. Durstenfeld,
/// "Algorithm 235: Random permutation", CACM 7(7), 1964, run forwards and only as far as asked. Of the shuffled list,
/// positions that still hold their own number are not stored, so a draw costs constant time and memory whatever the
/// count.
class RandomOrder {
 public:
  RandomOrder(std::uint64_t count, std::uint64_t seed) : count_(count), prng_(seed) {}

  /// The next number; nothing when all have been drawn.
  std::optional<std::uint64_t> next() {
    if (drawn_ == count_) return std::nullopt;
    const std::uint64_t position = drawn_ + prng_.below(count_ - drawn_);
    const std::uint64_t number = take(position);
    if (position != drawn_) moved_[position] = take(drawn_);
    ++drawn_;
    return number;
  }

 private:
  /// What stands at `position`, which is not looked at again unless it is filled anew.
  std::uint64_t take(std::uint64_t position) {
    const auto entry = moved_.find(position);
    if (entry == moved_.end()) return position;
    const std::uint64_t number = entry->second;
    moved_.erase(entry);
    return number;
  }

  std::uint64_t count_;
  Prng prng_;
  std::uint64_t drawn_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;  // position in the shuffled list -> number
};

}  // namespace tuner::search
