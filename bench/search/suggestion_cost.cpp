// What a strategy costs in a large space that nobody recorded: CPU of a suggestion, refits included.
//   bench_search_suggestion_cost DEFINITION.json [STRATEGY [REPEATS [EVALUATIONS [SEED]]]]
// DEFINITION holds {"parameters": {"NAME": [integers]}, "constraints": ["…"]}. Times are made up from a seed: smooth in
// the ranks of the values, with pairs of parameters that matter together, a rugged part that changes from one
// configuration to the next, and one configuration of twenty that fails. A machine with other work makes figures worse.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "bench/program.hpp"
#include "bench/search/definition.hpp"
#include "search/simulation/scoring.hpp"
#include "search/simulation/simulation.hpp"
#include "search/strategy/prng.hpp"

namespace {

using namespace tuner::search;

/// Uniform in 0 to 1.
double share(Prng& prng) {
  return static_cast<double>(prng.next() >> 11) * 0x1p-53;
}

/// A landscape over value ranks.
class Landscape {
 public:
  Landscape(const Space& space, std::uint64_t seed) : space_(space), seed_(seed) {
    Prng prng(seed);
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
      best_.push_back(share(prng));
      weight_.push_back(2 * share(prng));
      pair_.push_back(prng.below(space.parameters().size()));
      pair_weight_.push_back(2 * share(prng) - 1);
    }
  }

  RecordedOutcome at(std::uint64_t index) const {
    const Configuration configuration = space_.at(index);
    std::vector<double> rank;
    for (std::size_t i = 0; i < configuration.choice.size(); ++i) {
      const auto values = static_cast<double>(space_.parameters()[i].values.size());
      rank.push_back((configuration.choice[i] + 0.5) / values - best_[i]);
    }
    double log_time = 0;
    for (std::size_t i = 0; i < rank.size(); ++i) {
      log_time += weight_[i] * rank[i] * rank[i] + pair_weight_[i] * rank[i] * rank[pair_[i]];
    }
    Prng rugged(seed_ ^ (index * 0x9e3779b97f4a7c15));
    RecordedOutcome outcome;
    if (rugged.below(20) == 0) {
      outcome.outcome = tuner::Outcome::launch_refused;
    } else {
      outcome.time_ns = 1e6 * std::exp(log_time + 0.2 * share(rugged));
    }
    return outcome;
  }

 private:
  const Space& space_;
  std::uint64_t seed_;
  std::vector<double> best_, weight_, pair_weight_;
  std::vector<std::uint64_t> pair_;
};

double part(std::vector<double>& sorted, double share_below) {
  return sorted[static_cast<std::size_t>(share_below * static_cast<double>(sorted.size() - 1))];
}

int measure(const std::vector<std::string>& words) {
  if (words.empty() || words.size() > 5) {
    throw std::runtime_error(
        "usage: bench_search_suggestion_cost DEFINITION.json [STRATEGY [REPEATS [EVALUATIONS [SEED]]]]");
  }
  const auto number = [&](std::size_t place, std::size_t otherwise) {
    return words.size() > place ? std::stoul(words[place]) : otherwise;
  };
  const std::size_t repeats = number(2, 5), budget = number(3, 200), seed = number(4, 0);
  const auto start = std::chrono::steady_clock::now();
  tuner::bench::Definition definition = tuner::bench::read_definition(words[0]);
  const Space space(std::move(definition.parameters), std::move(definition.constraints), {});
  const std::uint64_t size = space.size();
  const std::chrono::duration<double, std::milli> constructing = std::chrono::steady_clock::now() - start;
  const Landscape landscape(space, seed);
  RecordedSpace recorded{space, {}};
  for (std::uint64_t i = 0; i < size; ++i) recorded.rows.push_back(landscape.at(i));
  const Yardstick yardstick(scored_rows(recorded), budget);

  SimulationOptions options;
  if (words.size() > 1) options.strategy = words[1];
  options.budget = budget;
  options.given.budget = budget;
  options.given.may_end_early = true;
  std::vector<double> all, first;
  std::vector<std::vector<double>> curves;
  for (std::size_t i = 0; i < repeats; ++i) {
    options.given.seed = seed + i;
    const SimulatedRun run = simulate(recorded, options);
    first.push_back(run.suggestion_us.at(0));
    all.insert(all.end(), run.suggestion_us.begin(), run.suggestion_us.end());
    curves.push_back(yardstick.fractions(run.visits));
  }
  const double mean = estimate(all).mean;
  std::sort(all.begin(), all.end());
  std::sort(first.begin(), first.end());
  const Score score = score_of(yardstick, curves);
  fmt::print("{} configurations, found in {:.1f} ms; {}, {} runs of {} evaluations, made-up times of seed {}\n\n", size,
             constructing.count(), options.strategy, repeats, budget, seed);
  fmt::print(
      "| CPU of a suggestion, µs | mean | median | p99 | most | first of a run (median) "
      "|\n|---|---|---|---|---|---|\n");
  fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n\n", options.strategy, mean, part(all, 0.5),
             part(all, 0.99), all.back(), part(first, 0.5));
  fmt::print("Score over these evaluations {:.3f} ± {:.3f}, fraction at the end {:.3f}\n", score.score.mean,
             score.score.standard_error, score.fraction.back().mean);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_search_suggestion_cost", [&] { return measure({argv + 1, argv + argc}); });
}
