#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/cli/simulate/simulate_request.hpp"
#include "tuner/cli/simulate/simulate_runs.hpp"
#include "tuner/cli/simulate/simulate_space.hpp"

namespace tuner::cli {

/// The table that `tuner simulate` prints, with its legend.
std::string simulation_text(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces,
                            const std::vector<StrategyScores>& strategies);
/// As documented in docs/json.md.
nlohmann::ordered_json simulation_json(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces,
                                       const std::vector<StrategyScores>& strategies);

}  // namespace tuner::cli
