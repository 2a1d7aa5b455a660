#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tuner {

/// A candidate that was rejected for a result that is off by what may be rounding.
struct LikeRounding {
  std::string buffer;  ///< that is off; the first of several
  double atol = 0;     ///< which would accept it there: two digits
  double time_ns = 0;  ///< of one launch
  friend bool operator==(const LikeRounding&, const LikeRounding&) = default;
};

/// All of those of a session.
struct LikeRoundingSummary {
  std::int64_t configurations = 0;  ///< so many; the rest is of the fastest
  LikeRounding fastest;
  friend bool operator==(const LikeRoundingSummary&, const LikeRoundingSummary&) = default;

  void add(const LikeRounding& rejected);
};

/// The least number of two digits that is more than `difference`, which is positive.
double atol_for(double difference);

/// "20 configurations are off by what looks like rounding. The fastest took 73.1 us, 0.3 times the winner's time; `atol
/// 4e-4` in the directive of `c` would accept it". `winner_ns` may be 0: then nothing is compared.
std::string text_of(const LikeRoundingSummary& rejected, double winner_ns);

/// As counters of a decision, which is how it is stored: "like_rounding" and what begins with it.
void add_to_counters(const LikeRoundingSummary& rejected, std::map<std::string, std::int64_t>& counters);
/// What add_to_counters wrote.
std::optional<LikeRoundingSummary> like_rounding_in(const std::map<std::string, std::int64_t>& counters);

}  // namespace tuner
