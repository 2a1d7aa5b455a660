#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/records/wanted.hpp"

namespace tuner::cli {

// What is assumed of a problem where nothing is known.
inline constexpr double kAssumedTimeNs = 100e3;
inline constexpr double kAssumedGainOverBaseline = 0.2;  ///< part of the time that tuning saves
inline constexpr double kAssumedGainOverWinner = 0.03;   ///< the same where the winner of a near size or GPU serves

/// What tuning a missed problem would have saved over its launches so far: a guess to order them by.
struct WantedValue {
  double time_ns = kAssumedTimeNs;  ///< of a launch now
  double gain = 0;                  ///< part of that which tuning is likely to save
  double saving_ns = 0;             ///< launches * time * gain
  std::string_view time_from;       ///< "served", "decisions by work", "decisions" or "assumed"
  std::string_view gain_from;       ///< "decisions" or "assumed"
};

struct ValuedWanted {
  cache::Wanted wanted;
  WantedValue value;
};

/// The work of a wanted entry's kernel on a problem, in whatever unit its description counts; nothing if it says none.
using WorkOf = std::function<std::optional<double>(const cache::Wanted& wanted, const std::string& problem)>;

/// All of them, the most valuable first and those with a trouble last; equal ones as they come. A time that is not
/// known is the median of what decisions of the same kernel and mode say of its baseline, on the same kind of GPU if
/// there are any: each scaled by work, if `work_of` gives it. The gain over a baseline is that of the median speed-up
/// of the same decisions, on any GPU.
std::vector<ValuedWanted> by_value(std::vector<cache::Wanted> wanted, const std::vector<cache::Decision>& decisions,
                                   const WorkOf& work_of);

}  // namespace tuner::cli
