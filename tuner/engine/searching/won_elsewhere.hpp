#pragma once

#include <vector>

#include "cache/records/key.hpp"
#include "search/space/space.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"

namespace tuner::engine {

/// What a search asks for before anything else: of `options.proven` what the space has, else hints, and behind them
/// what won for other problems and on other GPUs. A replay repeats a recording: what was measured here before has no
/// part in it. What cannot be read is a warning.
std::vector<search::Configuration> won_elsewhere(const Task& task, const SessionOptions& options,
                                                 const SessionParts& parts, const cache::DecisionKey& key);

}  // namespace tuner::engine
