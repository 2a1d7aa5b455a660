#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tuner::explain {

/// What a sentence claims.
enum class Claim : std::uint8_t {
  cause,        ///< this makes the difference in time, or part of it
  consequence,  ///< follows from a cause or shows how it acts: another count of instructions, a limit that was reached
  observation,  ///< differs; whether it matters is not known, because there are no counters
  unexplained,  ///< what is left
};

/// One difference in words.
struct Finding {
  std::string_view cause;  ///< name of the rule: "bank_conflicts"
  Claim claim = Claim::observation;
  std::string sentence;           ///< with its two numbers, without a full stop
  double slower = 0, faster = 0;  ///< the numbers, in the unit that the sentence names
  /// Which part of the difference in time it could account for, 0 to 1. Parts overlap, so they need not add up to one.
  double strength = 0;
};

}  // namespace tuner::explain
