#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "search/portfolio/loss_matrix.hpp"
#include "search/rule/rule.hpp"

namespace tuner::search {

/// How far apart two problems are; nothing if one cannot stand in for the other.
using ProblemDistance = std::function<std::optional<double>(const PropertyValues&, const PropertyValues&)>;

/// What a rule, and its rival, the best configuration of the nearest of the other problems, lost on problems that were
/// left out: the rule was learned anew without them. Where the rule says so, and one is near, it asks the nearest
/// itself. Losses are weighted; a configuration without a time counts as the slowest known there.
struct RuleValidation {
  std::size_t problems = 0;  ///< left out, in turn
  double rule_mean = 0, rule_worst = 0;
  std::size_t compared = 0;                    ///< those of which another problem is near enough
  double nearest_mean = 0, nearest_worst = 0;  ///< on these
};

struct LearnedRule {
  Rule rule;  ///< a leaf's expected loss is that of its problems when they were left out; of all if it has none
  RuleValidation validation;
};

struct LearnRequest {
  std::span<const PropertyValues> problems;
  const LossMatrix& losses;  ///< a row for each problem
  ProblemDistance distance;
  std::span<const std::string> further;  ///< expressions that may matter: work, waves of blocks
  /// Configurations that the rule may name, those of a portfolio for example; empty: any.
  std::span<const std::size_t> allowed;
  ConfigurationFacts facts = {};
};

/// Learns which configuration to use for which problem. What each costs is interpolated between the problems, and a
/// tree is grown that tells apart where different ones are cheapest. The same request gives the same rule. Takes
/// seconds of CPU time for forty problems, on as many threads as there are, all of which may ask for `distance` and
/// `facts`. Throws Error{internal} if nothing has a time.
LearnedRule learn_rule(const LearnRequest& request);

}  // namespace tuner::search
