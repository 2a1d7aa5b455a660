#pragma once

#include <string_view>
#include <vector>

#include "tuner/explain/facts.hpp"
#include "tuner/explain/finding.hpp"

namespace tuner::explain {

/// Why one configuration is faster than the other, most important first: special causes by strength, then general ones
/// less what the former account for, then causes that account for little, consequences, observations, at last what is
/// unexplained. Empty where the difference does not show in time: less than 1 %, an
/// interval that includes 1, or times that are not known. Pure; call add_derived on both first.
std::vector<Finding> explain_difference(const ConfigurationFacts& slower, const ConfigurationFacts& faster,
                                        const DeviceInfo& device);

/// The names that a Finding's cause can have.
std::vector<std::string_view> rule_names();
/// "cause", "consequence", "observation", "unexplained".
std::string_view claim_name(Claim claim);

}  // namespace tuner::explain
