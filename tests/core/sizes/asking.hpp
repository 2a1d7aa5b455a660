#pragma once

#include <fmt/format.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/core/sizes/sizes.hpp"

namespace tuner::test {

/// Two properties and a rule whose questions are these; question i leads to leaf i, or on to the next.
inline KernelSizes asking(const std::vector<std::pair<std::string, double>>& questions) {
  KernelSizes sizes;
  sizes.kernel = "ns::odd";
  sizes.device = "GPU \\\n of another kind";
  for (std::size_t i = 0; i <= questions.size(); ++i) {
    sizes.configurations.push_back(
        fmt::format("BLOCK={},FAST={},KIND={}", i, i % 2 == 0 ? "true" : "false", i % 3 == 0 ? "wide" : "tall"));
  }
  for (const auto& [type, m, n] : {std::tuple{"float", 1, 6}, {"half", 64, 5000}}) {
    sizes.problems.push_back({{{"TYPE", type}, {"m", m}, {"n", n}, {"x", 0.25 * m}}, 1, 1, {}, 0});
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    sizes.rule.nodes.push_back(
        search::RuleQuestion{search::Expression::parse(questions[i].first), questions[i].second, 2 * i + 1, 2 * i + 2});
    sizes.rule.nodes.push_back(search::RuleLeaf{i, 0.01, 1});
  }
  sizes.rule.nodes.push_back(search::RuleLeaf{questions.size(), 0.01, 1});
  std::vector<ProblemValues> tuned;
  for (const TunedSize& size : sizes.problems) tuned.push_back(size.problem);
  sizes.rule.domain = search::domain_of(tuned);
  return sizes;
}

}  // namespace tuner::test
