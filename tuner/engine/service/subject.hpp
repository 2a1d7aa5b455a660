#pragma once

#include "search/space/space.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine_protocol/jobs.hpp"

namespace tuner::engine {

/// What a program describes, as a task for this device. Throws as parse_descriptions and Task do.
Task task_of(const JobSubject& subject, const DeviceInfo& device, search::Listing listing);

}  // namespace tuner::engine
