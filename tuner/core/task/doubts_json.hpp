#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "tuner/core/task/beyond_memory.hpp"
#include "tuner/core/task/like_rounding.hpp"
#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/unproven.hpp"

namespace tuner {

/// A list of {buffer, elements, first, of}, as docs/json.md describes it.
nlohmann::ordered_json not_compared_json(const std::vector<NotCompared>& not_compared);
/// A list of {buffer, why, elements, of}.
nlohmann::ordered_json unproven_json(const std::vector<Unproven>& unproven);
/// Null if memory delivers as much.
nlohmann::ordered_json beyond_memory_json(const std::optional<BeyondMemory>& beyond);
/// Null if nothing was rejected so.
nlohmann::ordered_json like_rounding_json(const std::optional<LikeRoundingSummary>& rejected);

}  // namespace tuner
