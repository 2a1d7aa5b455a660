#pragma once

#include <string>

#include "cache/store/decision.hpp"

namespace tuner {

/// How much of its space a decision rests on: "60 of 9,921 configurations", "all 24 configurations"; empty where it is
/// unknown.
std::string searched_text(const cache::Decision& decision);

/// How its winner was verified: "again after the final race, on fresh inputs, and at 6 awkward sizes".
std::string verified_text(const cache::Decision& decision);

}  // namespace tuner
