#pragma once

#include <memory>

#include "tuner/core/description/description.hpp"
#include "tuner/engine_protocol/jobs.hpp"

namespace tuner::engine {

/// What a program describes. Throws as parse_descriptions does.
std::shared_ptr<const KernelDescription> description_of(const JobSubject& subject);

}  // namespace tuner::engine
