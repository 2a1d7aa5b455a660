#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// "; did you mean `x`?" or nothing.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tuner
