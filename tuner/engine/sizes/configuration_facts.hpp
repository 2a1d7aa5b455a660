#pragma once

#include <span>
#include <string>

#include "search/rule/features.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner::engine {

/// Whether each yes-or-no macro of a kernel holds for a configuration on a problem: `define(ALIGNED = n % WIDTH == 0)`.
/// Only what depends on the problem is asked; what cannot be evaluated does not hold. The configurations, canonical
/// texts, are named by their places. The result keeps what it needs of both; any thread. Empty if there is no such
/// macro.
search::ConfigurationFacts configuration_facts(const KernelDescription& kernel,
                                               std::span<const std::string> configurations);

}  // namespace tuner::engine
