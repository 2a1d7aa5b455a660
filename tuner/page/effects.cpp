#include "tuner/page/effects.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tuner::page {

namespace {

struct Timed {
  std::vector<std::size_t> values;  ///< of each parameter
  double time_ns;
};

/// The configurations that differ in one parameter alone, by the values of all others.
using Sets = std::map<std::vector<std::size_t>, std::vector<const Timed*>>;

Sets sets_of(const std::vector<Timed>& timed, std::size_t parameter) {
  Sets sets;
  for (const Timed& one : timed) {
    std::vector<std::size_t> others = one.values;
    others[parameter] = 0;
    sets[std::move(others)].push_back(&one);
  }
  return sets;
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
  for (const auto& [others, set] : sets_of(timed, position)) {
    if (set.size() < 2) continue;
    const bool is_winners = winner != nullptr && std::find(set.begin(), set.end(), winner) != set.end();
    double best = set.front()->time_ns;
    for (const Timed* one : set) best = std::min(best, one->time_ns);
    for (const Timed* one : set) {
      Sum& sum = sums[one->values[position]];
      sum.logarithms += std::log(one->time_ns / best);
      ++sum.count;
      if (is_winners) effect.values[one->values[position]].around_winner = one->time_ns / winner->time_ns;
    }
  }
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
    if (table.rows[i].empty()) continue;
    if (trial.configuration == winner) winner_at = timed.size();
    timed.push_back({table.rows[i], *trial.time_ns});
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
