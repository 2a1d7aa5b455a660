#include "tuner/core/sizes/sizes.hpp"

#include <algorithm>
#include <map>

namespace tuner {
namespace {

/// Numbers the configurations that are named anew, in the order of their columns.
class Renumbering {
 public:
  void use(std::size_t column) { numbers_.emplace(column, 0); }
  std::vector<std::string> number(std::span<const std::string> configurations) {
    std::vector<std::string> used;
    for (auto& [column, number] : numbers_) {
      number = used.size();
      used.push_back(configurations[column]);
    }
    return used;
  }
  std::size_t of(std::size_t column) const { return numbers_.at(column); }

 private:
  std::map<std::size_t, std::size_t> numbers_;
};

}  // namespace

KernelSizes sizes_of(SizesInput input) {
  KernelSizes sizes{input.kernel, input.device, input.mode, {}, std::move(input.problems),
                    input.within, {},           {},         {}, {}};
  std::vector<ProblemValues> problems;
  for (const TunedSize& tuned : sizes.problems) problems.push_back(tuned.problem);
  const search::Portfolio smallest = search::smallest_portfolio(input.losses, input.within);
  const std::vector<search::Portfolio> curve = search::portfolio_curve(input.losses);
  search::LearnedRule learned;
  if (!input.may_serve.empty()) {
    learned = search::learn_rule({problems, input.losses, input.distance, input.further, input.may_serve, input.facts});
  }

  Renumbering numbers;
  for (const std::size_t member : smallest.members) numbers.use(member);
  for (const search::Portfolio& portfolio : curve) {
    for (const std::size_t member : portfolio.members) numbers.use(member);
  }
  for (const search::RuleNode& node : learned.rule.nodes) {
    if (const auto* leaf = std::get_if<search::RuleLeaf>(&node)) numbers.use(leaf->configuration);
  }
  sizes.configurations = numbers.number(input.configurations);
  const auto renumbered = [&](const search::Portfolio& portfolio) {
    SizesPortfolio result{portfolio.members, portfolio.mean_loss, portfolio.worst_loss, portfolio.exact};
    for (std::size_t& member : result.members) member = numbers.of(member);
    return result;
  };
  sizes.portfolio = renumbered(smallest);
  for (const search::Portfolio& portfolio : curve) sizes.curve.push_back(renumbered(portfolio));
  for (std::size_t i = 0; i < sizes.problems.size(); ++i) {
    TunedSize& tuned = sizes.problems[i];
    tuned.weight = input.losses.weight(i);
    tuned.member = std::nullopt;
    tuned.loss = 0;
    if (!smallest.serves[i]) continue;
    tuned.member = numbers.of(*smallest.serves[i]);
    tuned.loss = input.losses.loss(i, *smallest.serves[i]);
  }
  for (search::RuleNode& node : learned.rule.nodes) {
    if (auto* leaf = std::get_if<search::RuleLeaf>(&node)) leaf->configuration = numbers.of(leaf->configuration);
  }
  sizes.rule = std::move(learned.rule);
  sizes.validation = learned.validation;
  return sizes;
}

}  // namespace tuner
