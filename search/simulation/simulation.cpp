#include "search/simulation/simulation.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "search/strategy/prng.hpp"

namespace tuner::search {
namespace {

/// CPU time of this thread, so that other threads and other processes do not count.
double thread_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/// Standard normal: G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", 1958.
double normal(Prng& prng) {
  constexpr double kUnit = 0x1p-53;
  const double radius = static_cast<double>((prng.next() >> 11) + 1) * kUnit;  // above 0, at most 1
  const double turn = static_cast<double>(prng.next() >> 11) * kUnit;
  return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * turn);
}

class Simulation {
 public:
  Simulation(const RecordedSpace& recorded, const SimulationOptions& options)
      : recorded_(recorded),
        options_(options),
        budget_(static_cast<double>(options.budget)),
        noise_(options.given.seed ^ 0x6e6f697365) {}

  /// `began` is when work for the first suggestion did.
  SimulatedRun run(Strategy& strategy, double began) {
    const std::size_t most_asks = 2 * recorded_.rows.size();
    for (std::size_t asks = 0; asks < most_asks && spent_ < budget_ && !stopped();) {
      const std::vector<Configuration> asked = strategy.ask(batch());
      double used = thread_us() - began;
      if (asked.empty()) break;
      asks += asked.size();
      observations_.clear();
      for (const Configuration& configuration : asked) observations_.push_back(visit(configuration));
      began = thread_us();
      for (const Observation& observation : observations_) strategy.tell(observation);
      const double now = thread_us();
      used += now - began;
      began = now;
      const auto count = static_cast<double>(asked.size());
      result_.suggestion_us.insert(result_.suggestion_us.end(), asked.size(), used / count);
    }
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

  /// Where each row costs 1 the last batch is smaller, so that no more is asked for than is paid for.
  std::size_t batch() const {
    const double left = std::ceil(budget_ - spent_);
    return std::min(std::max<std::size_t>(options_.batch, 1), static_cast<std::size_t>(std::max(left, 1.0)));
  }

  Observation visit(const Configuration& configuration) {
    const std::optional<std::uint64_t> index = recorded_.space.index_of(configuration);
    if (!index) {
      throw Error(Errc::internal, "A strategy asked for a configuration that is not in the space.");
    }
    const RecordedOutcome& row = recorded_.rows[*index];
    const auto [known, first] = told_ns_.try_emplace(*index, row.time_ns);
    if (first) {
      if (options_.noise == Noise::recorded) known->second *= std::exp(row.relative_deviation * normal(noise_));
      spent_ += row.cost;
      result_.visits.push_back({row.outcome == Outcome::ok ? row.time_ns : 0, spent_});
    }
    Observation observation;
    observation.configuration = configuration;
    observation.outcome = row.outcome;
    if (row.outcome == Outcome::ok) observation.time_ns = known->second;
    observation.registers = row.registers;
    observation.spill_bytes = row.spill_bytes;
    observation.occupancy = row.occupancy;
    return observation;
  }

  const RecordedSpace& recorded_;
  const SimulationOptions& options_;
  const double budget_;
  Prng noise_;
  double spent_ = 0;
  std::unordered_map<std::uint64_t, double> told_ns_;  // by row, for those that were visited
  std::vector<Observation> observations_;
  SimulatedRun result_;
};

}  // namespace

std::vector<ScoredRow> scored_rows(const RecordedSpace& recorded) {
  std::vector<ScoredRow> rows;
  rows.reserve(recorded.rows.size());
  for (const RecordedOutcome& row : recorded.rows) {
    rows.push_back({row.outcome == Outcome::ok ? row.time_ns : 0, row.cost});
  }
  return rows;
}

SimulatedRun simulate(const RecordedSpace& recorded, const SimulationOptions& options) {
  const double began = thread_us();
  const std::unique_ptr<Strategy> strategy = make_strategy(options.strategy, recorded.space, options.given);
  return Simulation(recorded, options).run(*strategy, began);
}

SimulatedRun simulate(Strategy& strategy, const RecordedSpace& recorded, const SimulationOptions& options) {
  return Simulation(recorded, options).run(strategy, thread_us());
}

}  // namespace tuner::search
