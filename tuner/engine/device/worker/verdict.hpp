#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
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

/// Thrown when work on the device is still running at its limit. Like a sticky error it ends the process: nothing else
/// stops a kernel that does not end.
class StillRunning : public std::runtime_error {
 public:
  explicit StillRunning(std::chrono::milliseconds limit)
      : std::runtime_error("still running after " + std::to_string(limit.count()) + " ms"), limit_(limit) {}
  std::chrono::milliseconds limit() const noexcept { return limit_; }

 private:
  std::chrono::milliseconds limit_;
};

}  // namespace tuner::engine
