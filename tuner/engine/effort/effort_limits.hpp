#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "search/strategy/strategy.hpp"
#include "tuner/effort.hpp"
#include "tuner/engine/effort/budget.hpp"

namespace tuner::engine {

/// What ends a search of this effort in a space of so many configurations, as long as it is not known what a result
/// costs. By counts and results only, so that a seed reproduces a search. `known_problems`: on so many others, tuned
/// together with this one, the kernel's best are known (Experience), so that less is left to find: then counts alone
/// end the search, and only there `percent_worth` changes them.
Budget limits_of(Effort effort, std::uint64_t space_size, std::uint64_t known_problems = 0,
                 std::chrono::duration<double> percent_worth = std::chrono::seconds(2));

/// What spending goes by. bench_search_effort chooses them, and judges them on kernels on which they were not chosen.
struct SpendingConstants {
  /// So many times the square root of the space's size are tried at most: the larger the space, the smaller the part
  /// that finds its best.
  double roots = 20;
  /// So many times that root at least, whatever is believed: beliefs are wrong where the best is a peak among slow
  /// ones.
  double least_roots = 9;
  /// However dear a result is, no search ends before the chance of one per cent is worth less, in seconds: that is a
  /// tenth, where one per cent is worth two.
  double small_chance_s = 0.2;
  /// Where one per cent or more is left, it is so many.
  double percent_left = 5;
};

/// What a search spends, once it is known what a result costs: that decides, and no clock. docs/searching.md says what
/// these rules were chosen on.
struct Spending {
  std::optional<std::uint64_t> most = {};         ///< configurations; nothing: all of them, which costs little
  bool most_is_least = false;                     ///< `most` is tried although it costs more than is paid
  double least = 0;                               ///< configurations, before a belief ends the search
  double result_s = 0;                            ///< what a result costs
  std::chrono::duration<double> percent_worth{};  ///< SessionOptions::percent_worth
  SpendingConstants constants = {};

  /// Whether what is believed left is worth going on until the strategy looks again.
  bool pays(const search::Belief& belief) const;
};

/// So many may be asked for before it is known what a result costs, of a space of so many: 25 at least, and otherwise
/// no more than is tried of a space whose results are dear.
std::uint64_t most_before_cost_is_known(std::uint64_t space_size);

Spending spending_of(Effort effort, std::uint64_t space_size, double result_s,
                     std::chrono::duration<double> percent_worth, const SpendingConstants& constants = {});

}  // namespace tuner::engine
