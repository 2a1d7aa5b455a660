#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tuner/core/task/not_compared.hpp"

namespace tuner {

/// A list of {buffer, elements, first, of}, as docs/json.md describes it.
nlohmann::ordered_json not_compared_json(const std::vector<NotCompared>& not_compared);

}  // namespace tuner
