#pragma once

#include <optional>

#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"

namespace tuner::engine {

/// The stored decision of a search of more effort than the session asks for: nothing is to be searched then. Nothing if
/// there is none, if the session asks for no effort, narrows the space or measures afresh, and if the decision is of
/// another space, of another version of what was measured or of another driver.
std::optional<cache::Decision> stored_answer(const Task& task, const SessionOptions& options,
                                             const SessionParts& parts);

/// The decision as the report of a session that measured nothing.
TuneReport stored_report(const Task& task, const SessionOptions& options, cache::Decision decision);

}  // namespace tuner::engine
