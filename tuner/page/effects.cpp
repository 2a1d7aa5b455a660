#include "tuner/page/effects.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>

namespace tuner::page {

namespace {

struct Timed {
  std::span<const std::uint32_t> values;  ///< of each parameter
  double time_ns;
  std::uint64_t mark = 0;  ///< the sum of its values' marks
};

/// A number that looks like chance, another for each value of each parameter.
std::uint64_t mark_of(std::uint64_t parameter, std::uint64_t value) {
  std::uint64_t mark = (parameter << 32U) + value + 1;
  for (int i = 0; i < 3; ++i) mark = (mark ^ (mark >> 31U)) * 0x9e3779b97f4a7c15U;
  return mark ^ (mark >> 31U);
}

bool differ_in_it_alone(const Timed& a, const Timed& b, std::size_t parameter) {
  const auto after = static_cast<std::ptrdiff_t>(parameter) + 1;
  return std::equal(a.values.begin(), a.values.begin() + after - 1, b.values.begin()) &&
         std::equal(a.values.begin() + after, a.values.end(), b.values.begin() + after);
}

/// Calls `with` for each set of configurations that differ in one parameter alone, in the order of `timed`.
template <class With>
void for_each_set(const std::vector<Timed>& timed, std::size_t parameter, With with) {
  struct Grouped {
    std::uint64_t others;  ///< the same for all of a set, and hardly ever for two
    std::uint32_t at;
    auto operator<=>(const Grouped&) const = default;
  };
  std::vector<Grouped> entries;
  for (const Timed& one : timed) {
    entries.push_back(
        {one.mark - mark_of(parameter, one.values[parameter]), static_cast<std::uint32_t>(entries.size())});
  }
  std::sort(entries.begin(), entries.end());
  std::vector<const Timed*> set;
  for (const Grouped& entry : entries) {
    const Timed& one = timed[entry.at];
    if (!set.empty() && !differ_in_it_alone(*set.front(), one, parameter)) {
      with(set);
      set.clear();
    }
    set.push_back(&one);
  }
  if (!set.empty()) with(set);
}

struct Sum {
  double logarithms = 0;
  std::size_t count = 0;
};

ParameterEffect effect_of(const Parameter& parameter, std::size_t position, const std::vector<Timed>& timed,
                          const Timed* winner) {
  ParameterEffect effect{.name = parameter.name, .values = {}, .range = {}};
  for (const std::string& value : parameter.values) effect.values.push_back({.value = value});
  for (const Timed& one : timed) {
    ValueEffect& value = effect.values[one.values[position]];
    ++value.timed;
    value.best_ns = std::min(value.best_ns.value_or(one.time_ns), one.time_ns);
  }
  std::vector<Sum> sums(parameter.values.size());
  for_each_set(timed, position, [&](const std::vector<const Timed*>& set) {
    if (set.size() < 2) return;
    const bool is_winners = winner != nullptr && std::find(set.begin(), set.end(), winner) != set.end();
    double best = set.front()->time_ns;
    for (const Timed* one : set) best = std::min(best, one->time_ns);
    for (const Timed* one : set) {
      Sum& sum = sums[one->values[position]];
      sum.logarithms += std::log(one->time_ns / best);
      ++sum.count;
      if (is_winners) effect.values[one->values[position]].around_winner = one->time_ns / winner->time_ns;
    }
  });
  double least = 0, greatest = 0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0) continue;
    const double ratio = std::exp(sums[i].logarithms / static_cast<double>(sums[i].count));
    effect.values[i].ratio = ratio;
    effect.values[i].compared = sums[i].count;
    least = known == 0 ? ratio : std::min(least, ratio);
    greatest = std::max(greatest, ratio);
    ++known;
  }
  if (known > 1) effect.range = greatest / least;
  return effect;
}

}  // namespace

std::vector<ParameterEffect> parameter_effects(const Table& table, std::span<const cache::Trial> trials,
                                               const std::string& winner) {
  std::vector<Timed> timed;
  std::size_t winner_at = trials.size();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const cache::Trial& trial = trials[i];
    if (trial.outcome != Outcome::ok || trial.censored || !trial.time_ns || *trial.time_ns <= 0) continue;
    Timed one{.values = table.row(i), .time_ns = *trial.time_ns};
    if (one.values.empty()) continue;
    for (std::size_t p = 0; p < one.values.size(); ++p) one.mark += mark_of(p, one.values[p]);
    if (trial.configuration == winner) winner_at = timed.size();
    timed.push_back(one);
  }
  const Timed* const its = winner_at < timed.size() ? &timed[winner_at] : nullptr;
  std::vector<ParameterEffect> effects;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    if (table.parameters[p].values.size() < 2) continue;
    effects.push_back(effect_of(table.parameters[p], p, timed, its));
  }
  std::stable_sort(effects.begin(), effects.end(), [](const ParameterEffect& a, const ParameterEffect& b) {
    return a.range.value_or(0) > b.range.value_or(0);
  });
  return effects;
}

}  // namespace tuner::page
