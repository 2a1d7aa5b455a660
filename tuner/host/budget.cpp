#include "tuner/host/budget.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace tuner::host {
namespace {

double part_until_end_of(Budget::Phase phase) {
  switch (phase) {
    case Budget::Phase::compiling:
      return 0.4;
    case Budget::Phase::compiling_for_races:
      return 0.55;
    case Budget::Phase::running:
      return 0.8;
    case Budget::Phase::looking_for_races:
      break;
  }
  return 1;
}

}  // namespace

std::chrono::steady_clock::time_point Budget::until(Phase phase) const {
  using Clock = std::chrono::steady_clock;
  if (!all_) return Clock::time_point::max();
  return begun_ + std::chrono::duration_cast<Clock::duration>(*all_ * part_until_end_of(phase));
}

std::string Budget::left_out(std::size_t configurations, std::size_t runs, std::size_t runs_for_races) const {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view several) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : several));
  };
  add(configurations, "configuration was not compiled", "configurations were not compiled");
  add(runs, "run was left out", "runs were left out");
  add(runs_for_races, "run was not checked for races", "runs were not checked for races");
  if (parts.empty() || !all_) return "";
  return fmt::format("The time limit of {:g} s was reached (`--budget`): {}",
                     std::chrono::duration<double>(*all_).count(), fmt::join(parts, ", "));
}

}  // namespace tuner::host
