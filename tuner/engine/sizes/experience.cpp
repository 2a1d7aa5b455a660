#include "tuner/engine/sizes/experience.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tuner::engine {

namespace {

/// What is slower than the best by more than this, as a logarithm, is not remembered.
constexpr double kWorthKnowing = 0.25;
/// Expected loss of what was best at twice the size. The order among problems matters, its scale hardly.
constexpr double kLossByDistance = 0.03;
/// What differs in more than its sizes is as far as ten doublings.
constexpr double kOtherKind = 10;

double far(const KernelDescription& kernel, const ProblemValues& a, const ProblemValues& b) {
  return distance(kernel, a, b).value_or(kOtherKind);
}

}  // namespace

void Experience::add(const ProblemValues& problem, const std::vector<cache::Trial>& trials) {
  std::map<std::string, double> times;  // the latest of each
  for (const cache::Trial& trial : trials) {
    times.erase(trial.configuration);
    // A time that an early stop left is a bound and no time.
    if (trial.outcome == Outcome::ok && trial.time_ns && !trial.censored) times[trial.configuration] = *trial.time_ns;
  }
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [configuration, time] : times) best = std::min(best, time);
  KnownProblem one{.problem = problem, .known = {}};
  for (const auto& [configuration, time] : times) {
    const double loss = std::log(time / best);
    if (loss <= kWorthKnowing) one.known.push_back({configuration, loss});
  }
  std::erase_if(problems_, [&](const KnownProblem& other) { return other.problem == one.problem; });
  if (!one.known.empty()) problems_.push_back(std::move(one));
}

std::vector<std::string> Experience::best_for(const ProblemValues& problem, std::size_t most) const {
  std::map<std::string, double> expected;
  for (const KnownProblem& one : problems_) {
    if (one.problem == problem) continue;
    const double farther = kLossByDistance * far(kernel_, one.problem, problem);
    for (const Known& known : one.known) {
      const auto [entry, is_new] = expected.emplace(known.configuration, known.loss + farther);
      if (!is_new) entry->second = std::min(entry->second, known.loss + farther);
    }
  }
  std::vector<std::pair<double, std::string>> in_order;
  for (const auto& [configuration, loss] : expected) in_order.emplace_back(loss, configuration);
  std::sort(in_order.begin(), in_order.end());
  std::vector<std::string> best;
  for (auto& [loss, configuration] : in_order) {
    if (best.size() == most) break;
    best.push_back(std::move(configuration));
  }
  return best;
}

std::vector<std::size_t> spread_order(const KernelDescription& kernel, const std::vector<ProblemValues>& problems) {
  const std::size_t count = problems.size();
  std::vector<double> nearest(count, std::numeric_limits<double>::infinity());  // to any that was chosen
  std::vector<std::size_t> order;
  const auto farthest_from = [&](std::size_t i) {
    double farthest = 0;
    for (const ProblemValues& other : problems) farthest = std::max(farthest, far(kernel, problems[i], other));
    return farthest;
  };
  std::size_t next = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const double farthest = farthest_from(i);
    if (farthest < least) next = i, least = farthest;
  }
  while (order.size() < count) {
    order.push_back(next);
    for (std::size_t i = 0; i < count; ++i) {
      nearest[i] = std::min(nearest[i], i == next ? -1 : far(kernel, problems[i], problems[next]));
    }
    next = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  return order;
}

}  // namespace tuner::engine
