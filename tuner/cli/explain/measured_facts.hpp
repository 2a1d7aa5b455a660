#pragma once

#include <string>

#include "tuner/engine/comparison/side_by_side.hpp"
#include "tuner/explain/facts.hpp"

namespace tuner::cli {

/// What compiling and running it showed of a contestant; its time is not set.
explain::ConfigurationFacts measured_facts(const engine::Contestant& contestant, std::string name);

}  // namespace tuner::cli
