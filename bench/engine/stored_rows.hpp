#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tuner::bench {

/// What another program sees of the database while others work on it; zeros while there is none.
struct Seen {
  std::int64_t trials = 0;
  std::int64_t decisions = 0;
  std::int64_t sessions = 0;        ///< that recorded trials
  std::int64_t configurations = 0;  ///< that have a trial
};
Seen look_at(const std::filesystem::path& folder);
/// Every value of the oldest `count` trials: equal if nothing changed.
std::string trial_rows(const std::filesystem::path& folder, std::int64_t count);

}  // namespace tuner::bench
