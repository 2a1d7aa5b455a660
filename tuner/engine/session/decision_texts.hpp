#pragma once

#include <vector>

#include "cache/records/decision_text.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_options.hpp"

namespace tuner::engine {

/// What is kept beside a decision: the samples of its finalists in the race, and the source with the user's headers,
/// unless the options say otherwise. What was replayed has no source.
std::vector<cache::DecisionText> decision_texts(const Task& task, const SessionOptions& options,
                                                const TuneReport& report);

}  // namespace tuner::engine
