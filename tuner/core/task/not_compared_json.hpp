#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/unproven.hpp"

namespace tuner {

/// A list of {buffer, elements, first, of}, as docs/json.md describes it.
nlohmann::ordered_json not_compared_json(const std::vector<NotCompared>& not_compared);
/// A list of {buffer, why, elements, of}.
nlohmann::ordered_json unproven_json(const std::vector<Unproven>& unproven);

}  // namespace tuner
