#include "tuner/cli/simulate/simulate_runs.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "search/simulation/simulation.hpp"
#include "search/strategy/prng.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/process/in_threads.hpp"

namespace tuner::cli {

namespace {

/// What is kept of one run.
struct Run {
  std::vector<double> fractions;
  std::vector<double> suggestion_us;
  std::size_t evaluations = 0;
};

/// Every run has a number: strategies, in each spaces, in each repeats.
class Runs {
 public:
  Runs(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces, const std::atomic<bool>& stop,
       const RunsDone& report)
      : request_(request),
        spaces_(spaces),
        stop_(stop),
        report_(report),
        runs_(request.strategies.size() * spaces.size() * request.repeats) {
    for (const SimulatedSpace& space : spaces) {
      search::Prng prng(request.seed ^ space.fingerprint);
      std::vector<std::uint64_t> seeds;
      for (std::size_t i = 0; i < request.repeats; ++i) seeds.push_back(prng.next());
      seeds_.push_back(std::move(seeds));
    }
  }

  void work() {
    in_threads(runs_.size(), request_.workers, [&](std::size_t number) {
      if (stop_) return;
      runs_[number] = run(number);
      const std::lock_guard lock(mutex_);
      report_(++done_, runs_.size());
    });
  }

  std::span<const Run> of(std::size_t strategy, std::size_t space) const {
    return std::span(runs_).subspan((strategy * spaces_.size() + space) * request_.repeats, request_.repeats);
  }

 private:
  Run run(std::size_t number) const {
    const std::size_t repeat = number % request_.repeats;
    const std::size_t place = number / request_.repeats % spaces_.size();
    const SimulatedSpace& space = spaces_[place];
    search::SimulationOptions options;
    options.strategy = request_.strategies[number / request_.repeats / spaces_.size()];
    options.given.seed = seeds_[place][repeat];
    // Who is limited in time does not know how many evaluations that will be.
    if (request_.cost == SimulatedCost::evaluations) options.given.budget = request_.budget;
    options.given.may_end_early = true;
    options.given.promising = space.promising;
    options.budget = request_.budget;
    options.batch = request_.batch;
    options.noise = request_.noise;
    options.stop = &stop_;
    search::SimulatedRun result = search::simulate(space.recorded, options);
    return {space.yardstick.fractions(result.visits), std::move(result.suggestion_us), result.visits.size()};
  }

  const SimulateRequest& request_;
  const std::vector<SimulatedSpace>& spaces_;
  const std::atomic<bool>& stop_;
  const RunsDone& report_;
  std::vector<std::vector<std::uint64_t>> seeds_;  // by space and repeat
  std::vector<Run> runs_;
  std::mutex mutex_;
  std::size_t done_ = 0;  // guarded by the mutex
};

SuggestionCost cost_of(const std::vector<double>& suggestion_us) {
  if (suggestion_us.empty()) return {};
  return {search::estimate(suggestion_us).mean, engine::quantile(suggestion_us, 0.99)};
}

StrategyScores summary(const Runs& runs, std::size_t strategy, const SimulateRequest& request,
                       const std::vector<SimulatedSpace>& spaces) {
  StrategyScores result;
  result.strategy = request.strategies[strategy];
  std::vector<search::Score> scores;
  std::vector<double> all_us;
  for (std::size_t place = 0; place < spaces.size(); ++place) {
    std::vector<std::vector<double>> curves;
    std::vector<double> us;
    double evaluations = 0;
    for (const Run& run : runs.of(strategy, place)) {
      curves.push_back(run.fractions);
      us.insert(us.end(), run.suggestion_us.begin(), run.suggestion_us.end());
      evaluations += static_cast<double>(run.evaluations) / static_cast<double>(request.repeats);
    }
    all_us.insert(all_us.end(), us.begin(), us.end());
    scores.push_back(search::score_of(spaces[place].yardstick, curves));
    result.spaces.push_back({scores.back(), cost_of(us), evaluations});
    result.mean.evaluations += evaluations / static_cast<double>(spaces.size());
  }
  result.mean.score = search::average(scores);
  result.mean.suggestion = cost_of(all_us);
  return result;
}

}  // namespace

std::vector<StrategyScores> run_simulations(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces,
                                            const std::atomic<bool>& stop, const RunsDone& report) {
  Runs runs(request, spaces, stop, report);
  runs.work();
  if (stop) return {};
  std::vector<StrategyScores> result;
  for (std::size_t i = 0; i < request.strategies.size(); ++i) result.push_back(summary(runs, i, request, spaces));
  return result;
}

}  // namespace tuner::cli
