#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache/records/trial.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner::engine {

/// What several problems of one kernel that are tuned together teach each other: which configurations are good, and
/// where.
class Experience {
 public:
  /// `kernel` outlives it. Problems are complete.
  explicit Experience(const KernelDescription& kernel) : kernel_(kernel) {}
  /// What was measured on a problem, in the place of what was added for it before.
  void add(const ProblemValues& problem, const std::vector<cache::Trial>& trials);
  /// How many problems it knows something of.
  std::size_t problems() const { return problems_.size(); }
  /// Those expected to be the fastest on another problem, as texts, the best first. A configuration is expected to lose
  /// what it loses on a problem where it was measured, and more the farther away that is; of several problems the one
  /// counts that says the least.
  std::vector<std::string> best_for(const ProblemValues& problem, std::size_t most) const;

 private:
  struct Known {
    std::string configuration;
    double loss = 0;  ///< natural logarithm of its time over the best time there
  };
  struct KnownProblem {
    ProblemValues problem;
    std::vector<Known> known;  ///< not far from the best
  };
  const KernelDescription& kernel_;
  std::vector<KnownProblem> problems_;
};

/// An order in which each problem is as far as can be from those before it; the first is the one in the middle.
/// Positions in `problems`. Takes the square of their number: a second for two thousand.
std::vector<std::size_t> spread_order(const KernelDescription& kernel, const std::vector<ProblemValues>& problems);

}  // namespace tuner::engine
