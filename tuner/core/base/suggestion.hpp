#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// "; did you mean `x`?", or `otherwise` where none is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates,
                       std::string_view otherwise = {});

}  // namespace tuner
