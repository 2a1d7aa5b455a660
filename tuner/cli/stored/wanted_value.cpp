#include "tuner/cli/stored/wanted_value.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace tuner::cli {

namespace {

/// More decisions of a kernel tell no more of its time.
constexpr std::size_t kMostDecisions = 64;

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What decisions say of one kernel in one mode.
struct Known {
  std::vector<const cache::Decision*> decisions;
  std::vector<double> speedups;
};

/// Time and where it is from, of what has no winner.
void guess_time(const cache::Wanted& wanted, const Known& known, const WorkOf& work_of, WantedValue& value) {
  std::vector<double> times, times_by_work;
  const std::optional<double> work = known.decisions.empty() ? std::nullopt : work_of(wanted, wanted.key.problem);
  const auto add = [&](bool of_this_gpu) {
    for (const cache::Decision* const decision : known.decisions) {
      if (of_this_gpu && decision->key.device != wanted.key.device) continue;
      if (times.size() == kMostDecisions) return;
      times.push_back(decision->baseline_time_ns.value_or(decision->time_ns));
      const auto its_work = work ? work_of(wanted, decision->key.problem) : std::nullopt;
      if (its_work && *its_work > 0) times_by_work.push_back(times.back() * *work / *its_work);
    }
  };
  add(true);
  if (times.empty()) add(false);
  if (const auto time = median(std::move(times_by_work)); time && *time > 0) {
    value.time_ns = *time;
    value.time_from = "decisions by work";
  } else if (const auto unscaled = median(std::move(times))) {
    value.time_ns = *unscaled;
    value.time_from = "decisions";
  }
}

WantedValue value_of(const cache::Wanted& wanted, const Known& known, const WorkOf& work_of) {
  WantedValue value{.time_from = "assumed", .gain_from = "assumed"};
  if (wanted.time_ns) {
    value.time_ns = *wanted.time_ns;
    value.time_from = "served";
  } else {
    guess_time(wanted, known, work_of, value);
  }
  const bool has_winner = wanted.rung != "baseline" && wanted.rung != "fallback" && wanted.rung != "unrunnable";
  value.gain = has_winner ? kAssumedGainOverWinner : kAssumedGainOverBaseline;
  if (const auto speedup = median(known.speedups); !has_winner && speedup && *speedup >= 1) {
    value.gain = 1 - 1 / *speedup;
    value.gain_from = "decisions";
  }
  value.saving_ns = static_cast<double>(wanted.launched) * value.time_ns * value.gain;
  return value;
}

}  // namespace

std::vector<ValuedWanted> by_value(std::vector<cache::Wanted> wanted, const std::vector<cache::Decision>& decisions,
                                   const WorkOf& work_of) {
  std::map<std::pair<std::string, std::string>, Known> known;
  for (const cache::Decision& decision : decisions) {
    Known& of_kernel = known[{decision.key.kernel_name, decision.key.mode}];
    of_kernel.decisions.push_back(&decision);
    if (decision.speedup) of_kernel.speedups.push_back(*decision.speedup);
  }
  std::vector<ValuedWanted> valued;
  for (cache::Wanted& one : wanted) {
    const WantedValue value = value_of(one, known[{one.key.kernel_name, one.key.mode}], work_of);
    valued.push_back({std::move(one), value});
  }
  std::stable_sort(valued.begin(), valued.end(), [](const ValuedWanted& a, const ValuedWanted& b) {
    if (a.wanted.trouble.empty() != b.wanted.trouble.empty()) return a.wanted.trouble.empty();
    return a.value.saving_ns > b.value.saving_ns;
  });
  return valued;
}

}  // namespace tuner::cli
