#include "tuner/host/picks.hpp"

#include <algorithm>

#include "tuner/host/cover_pairs.hpp"

namespace tuner::host {
namespace {

constexpr std::uint64_t kMostLookedAt = 200000;

}  // namespace

std::vector<Choice> cover_tasks(const std::vector<const Task*>& tasks, const PickFilter& wanted, std::size_t most,
                                bool& complete) {
  std::vector<Choice> choices;
  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<std::size_t> all, first, chosen;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const search::Space& space = tasks[t]->space();
    const std::uint64_t step = std::max<std::uint64_t>(1, space.size() * tasks.size() / kMostLookedAt);
    const std::optional<search::Configuration> baseline = tasks[t]->baseline();
    const auto take = [&](const search::Configuration& configuration) {
      if (wanted(*tasks[t], configuration)) first.push_back(rows.size());
      all.push_back(rows.size());
      rows.push_back(configuration.choice);
      rows.back().push_back(static_cast<std::uint32_t>(t));
      choices.push_back({t, configuration});
    };
    if (t == 0 && baseline) {
      chosen.push_back(0);
      take(*baseline);
    }
    for (std::uint64_t i = 0; i < space.size(); i += step) {
      const search::Configuration configuration = space.at(i);
      if (t == 0 && baseline && configuration == *baseline) continue;
      take(configuration);
    }
  }
  cover_pairs(rows, first, most + 1, chosen);
  complete = chosen.size() <= most;
  chosen.resize(std::min(chosen.size(), most));
  cover_pairs(rows, all, most, chosen);
  std::vector<Choice> result;
  for (const std::size_t row : chosen) result.push_back(choices[row]);
  return result;
}

}  // namespace tuner::host
