#pragma once

#include <string>
#include <vector>

#include "cache/store/store.hpp"
#include "search/space/space.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::engine {

/// Configurations that did well elsewhere and are valid here, at most a hundred: what a search does well to try first.
/// Nothing is believed of them; search::StrategyOptions says what comes of them. The winners come first, in this order:
/// the same GPU model with other problems or timing modes, other GPUs of the same architecture, other GPUs, all with
/// the kernel as it is; then the same three with other versions of its source. Among these the nearest problem first,
/// then the newest. What else ran at the nearest three follows, fastest first. The winner of the task itself is left
/// out where a session measures it anyway, and so is the baseline. Throws Error{store_*}.
std::vector<search::Configuration> promising_configurations(const Task& task, const cache::DecisionKey& key,
                                                            const cache::Store& store);

/// What of SessionOptions::hints is valid here, at most a hundred, in their order and each once, without the baseline.
std::vector<search::Configuration> hinted_configurations(const Task& task, const std::vector<std::string>& hints);

}  // namespace tuner::engine
