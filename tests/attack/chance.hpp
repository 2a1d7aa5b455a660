#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace tuner::attack {

/// Where every random choice of a case comes from: the same seed, the same case.
class Chance {
 public:
  Chance(std::uint64_t seed, std::string_view section, std::uint64_t number) {
    std::seed_seq sequence{seed, seed >> 32, std::uint64_t{std::hash<std::string_view>{}(section)}, number};
    engine_.seed(sequence);
  }
  /// 0 .. count - 1; count is not 0.
  std::size_t below(std::size_t count) { return engine_() % count; }
  /// True once in `times`.
  bool once_in(std::size_t times) { return below(times) == 0; }
  std::uint64_t bits() { return engine_(); }
  char byte() { return static_cast<char>(engine_()); }
  template <typename List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }
  template <typename Value>
  Value one_of(std::initializer_list<Value> list) {
    return std::data(list)[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tuner::attack
