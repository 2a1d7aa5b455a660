#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "search/rule/features.hpp"

namespace tuner::search {

struct RuleLeaf {
  std::size_t configuration = 0;
  double expected_loss = 0;  ///< 0.02: two per cent slower than the best
  std::size_t problems = 0;  ///< that were tuned and end here
  /// The winner of the nearest size is the better choice, if one is near.
  bool nearest = false;
};

/// Is `expression <= threshold`?
struct RuleQuestion {
  Expression expression;
  double threshold = 0;
  std::size_t yes = 0, no = 0;  ///< nodes, behind this one
};

using RuleNode = std::variant<RuleLeaf, RuleQuestion>;

/// The values of one property for which a rule may answer.
struct DomainRange {
  std::string property;
  double least = 0, most = 0;      ///< of numbers
  std::vector<std::string> names;  ///< of names, sorted; then it takes no numbers
};

/// What the tuned problems span, by name of the property. A whole number above zero may be half the least or twice the
/// greatest: as far as one problem may be from another to count as near.
std::vector<DomainRange> domain_of(std::span<const PropertyValues> problems);
/// Whether the problem has these properties and no others, each in its range.
bool is_within(const std::vector<DomainRange>& domain, const PropertyValues& problem);

/// Says which configuration to use for which problem. A value: copied, and evaluated from several threads.
struct Rule {
  std::vector<RuleNode> nodes;  ///< of a tree; the first is the root
  std::vector<DomainRange> domain;

  /// The leaf for a problem; nothing outside of the domain, or if a question cannot be evaluated. Takes microseconds.
  std::optional<RuleLeaf> choose(const PropertyValues& problem) const;
};

}  // namespace tuner::search
