#pragma once

#include <string>
#include <string_view>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// Why the generators of `argument` do not fit a type of so many lanes: they are one for all elements, or one a lane.
/// Empty where they do.
std::string why_not_by_lane(const Argument& argument, std::string_view type, int lanes);

}  // namespace tuner
