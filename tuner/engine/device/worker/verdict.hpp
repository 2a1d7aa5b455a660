#pragma once

#include <optional>
#include <string>

#include "tuner/core/task/like_rounding.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::engine {

/// What became of one step with a candidate: ok, or why not, as one sentence.
struct Verdict {
  Outcome outcome = Outcome::ok;
  std::string message;
  std::optional<LikeRounding> like_rounding = std::nullopt;  ///< of a wrong result; without a time
  bool ok() const { return outcome == Outcome::ok; }
};

}  // namespace tuner::engine
