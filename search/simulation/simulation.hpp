#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "search/simulation/scoring.hpp"
#include "search/space/space.hpp"
#include "search/strategy/strategy.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::search {

/// What is recorded of one configuration.
struct RecordedOutcome {
  Outcome outcome = Outcome::ok;
  double time_ns = 0;             ///< ok only, then above 0
  double relative_deviation = 0;  ///< of a single measurement: standard deviation / mean
  double cost = 1;                ///< what visiting it takes: 1 an evaluation, or time in units of the mean row's
  std::optional<int> registers;
  std::optional<int> spill_bytes;
  std::optional<double> occupancy;
};

/// A space of which every configuration was recorded. The space must outlive it.
struct RecordedSpace {
  const Space& space;
  std::vector<RecordedOutcome> rows;  ///< by index in the space
};

/// The rows as a Yardstick takes them.
std::vector<ScoredRow> scored_rows(const RecordedSpace& recorded);

enum class Noise {
  none,
  recorded  ///< what a strategy is told is the time times exp(relative_deviation * z), z standard normal, once a row
};

struct SimulationOptions {
  std::string strategy = "auto";
  /// What the strategy is given; its seed also seeds the noise.
  StrategyOptions given;
  /// The run ends when visits have cost more than this.
  std::size_t budget = 200;
  /// Configurations are asked for this many at a time and told after the last of them, as compile workers need it.
  std::size_t batch = 1;
  Noise noise = Noise::none;
  /// The run ends when it becomes true; its result is then incomplete. May be null.
  const std::atomic<bool>* stop = nullptr;
};

/// One run of a strategy over a recorded space.
struct SimulatedRun {
  std::vector<ScoredVisit> visits;  ///< first visits, in order; times as recorded, whatever was told
  /// Microseconds of CPU that each asked configuration took the strategy: its part of the ask and its tell. Making the
  /// strategy counts to the first.
  std::vector<double> suggestion_us;
};

/// Runs a strategy. The same options give the same visits. A row that failed costs like any other; asking again for a
/// row that was visited costs nothing and tells the same, but after twice as many asks as there are rows the run ends:
/// strategies do not ask twice. Throws Error{bad_usage} for an unknown strategy. Safe to call from several threads.
SimulatedRun simulate(const RecordedSpace& recorded, const SimulationOptions& options);
/// The same with a strategy that is there already; of what strategies are given only the seed plays a part, in the
/// noise.
SimulatedRun simulate(Strategy& strategy, const RecordedSpace& recorded, const SimulationOptions& options);

}  // namespace tuner::search
