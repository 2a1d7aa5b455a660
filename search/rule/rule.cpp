#include "search/rule/rule.hpp"

#include <algorithm>
#include <limits>

namespace tuner::search {
namespace {

void extend(DomainRange& range, const Value& value) {
  if (value.is_name()) {
    const auto at = std::lower_bound(range.names.begin(), range.names.end(), value.as_name());
    if (at == range.names.end() || *at != value.as_name()) range.names.insert(at, value.as_name());
    return;
  }
  const bool is_size = value.is_integer() && value.as_integer() > 0;
  range.least = std::min(range.least, value.as_real() / (is_size ? 2 : 1));
  range.most = std::max(range.most, value.as_real() * (is_size ? 2 : 1));
}

bool is_within(const DomainRange& range, const Value& value) {
  if (value.is_name()) return std::binary_search(range.names.begin(), range.names.end(), value.as_name());
  return value.as_real() >= range.least && value.as_real() <= range.most;
}

}  // namespace

std::vector<DomainRange> domain_of(std::span<const PropertyValues> problems) {
  std::vector<DomainRange> domain;
  if (problems.empty()) return domain;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [name, value] : problems.front()) domain.push_back({name, kInfinity, -kInfinity, {}});
  for (const PropertyValues& problem : problems) {
    for (DomainRange& range : domain) {
      if (const auto found = problem.find(range.property); found != problem.end()) extend(range, found->second);
    }
  }
  return domain;
}

bool is_within(const std::vector<DomainRange>& domain, const PropertyValues& problem) {
  return domain.size() == problem.size() && std::all_of(domain.begin(), domain.end(), [&](const DomainRange& range) {
           const auto found = problem.find(range.property);
           return found != problem.end() && is_within(range, found->second);
         });
}

std::optional<RuleLeaf> Rule::choose(const PropertyValues& problem) const {
  if (nodes.empty() || !is_within(domain, problem)) return std::nullopt;
  std::size_t at = 0;
  while (const auto* question = std::get_if<RuleQuestion>(&nodes[at])) {
    const auto value = feature_value(question->expression, problem);
    if (!value) return std::nullopt;
    at = *value <= question->threshold ? question->yes : question->no;
  }
  return std::get<RuleLeaf>(nodes[at]);
}

}  // namespace tuner::search
