#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "search/simulation/scoring.hpp"
#include "tuner/cli/simulate/simulate_request.hpp"
#include "tuner/cli/simulate/simulate_space.hpp"

namespace tuner::cli {

/// CPU that a strategy took for one configuration that it proposed.
struct SuggestionCost {
  double mean_us = 0;
  double p99_us = 0;
};

/// One strategy on one space, or on all of them in the mean.
struct SimulatedScore {
  search::Score score;
  SuggestionCost suggestion;
  double evaluations = 0;  ///< visited rows of a run, in the mean
};

struct StrategyScores {
  std::string strategy;
  std::vector<SimulatedScore> spaces;  ///< in the order of the spaces
  SimulatedScore mean;                 ///< spaces count the same; the 99th percentile is of all suggestions
};

/// Told after each run how many of how many are done, by one thread at a time.
using RunsDone = std::function<void(std::size_t done, std::size_t all)>;

/// Runs every strategy on every space, `request.repeats` times each, on `request.workers` threads. What it returns,
/// but for CPU times, depends neither on their number nor on which other spaces and strategies there are. When `stop`
/// becomes true it returns soon, with nothing.
std::vector<StrategyScores> run_simulations(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces,
                                            const std::atomic<bool>& stop, const RunsDone& report);

}  // namespace tuner::cli
