#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace tuner::host {

/// The time of a whole check, which begins with this object. Each phase ends after a part of it, so that those that
/// follow have something; what a phase does not need, they have, too.
class Budget {
 public:
  enum class Phase { compiling, compiling_for_races, running, looking_for_races };

  explicit Budget(std::optional<std::chrono::milliseconds> all) : all_(all) {}
  std::chrono::steady_clock::time_point until(Phase phase) const;
  /// Whether that has come: what is missing then was left out, and not lost.
  bool is_over(Phase phase) const { return std::chrono::steady_clock::now() >= until(phase); }
  /// What there was no time for, in a sentence without a full stop; empty if that is nothing.
  std::string left_out(std::size_t configurations, std::size_t runs, std::size_t runs_for_races) const;

 private:
  std::optional<std::chrono::milliseconds> all_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace tuner::host
