#include "search/rule/rule.hpp"

#include <doctest/doctest.h>

namespace tuner::search {
namespace {

/// Asks whether n is divisible by 32, then how long it is.
Rule two_questions() {
  const std::vector<PropertyValues> tuned{{{"TYPE", "float"}, {"n", 100}}, {{"TYPE", "half"}, {"n", 4096}}};
  return {{RuleQuestion{Expression::parse("n % 32"), 0, 1, 2}, RuleLeaf{7, 0.01, 3},
           RuleQuestion{Expression::parse("n"), 1000, 3, 4}, RuleLeaf{8, 0.02, 2}, RuleLeaf{9, 0.03, 2}},
          domain_of(tuned)};
}

std::optional<std::size_t> chosen(const Rule& rule, const PropertyValues& problem) {
  const auto leaf = rule.choose(problem);
  return leaf ? std::optional(leaf->configuration) : std::nullopt;
}

TEST_CASE("a rule follows its questions to a configuration and what that is expected to lose") {
  const Rule rule = two_questions();
  CHECK(chosen(rule, {{"TYPE", "float"}, {"n", 2048}}) == 7);
  CHECK(chosen(rule, {{"TYPE", "half"}, {"n", 1000}}) == 8);
  CHECK(chosen(rule, {{"TYPE", "half"}, {"n", 1001}}) == 9);
  CHECK(rule.choose({{"TYPE", "half"}, {"n", 1001}})->expected_loss == 0.03);
}

TEST_CASE("a rule says nothing about sizes over twice as far out, other names and other properties") {
  const Rule rule = two_questions();
  CHECK(chosen(rule, {{"TYPE", "float"}, {"n", 50}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", "float"}, {"n", 49}}));
  CHECK(chosen(rule, {{"TYPE", "float"}, {"n", 8192}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", "float"}, {"n", 8193}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", "double"}, {"n", 100}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", 4}, {"n", 100}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", "float"}, {"n", "many"}}));
  CHECK_FALSE(chosen(rule, {{"n", 100}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", "float"}, {"n", 100}, {"m", 1}}));
  CHECK_FALSE(chosen(Rule(), {}));
}

TEST_CASE("zero, negative and real properties are not stretched beyond what was tuned") {
  const std::vector<PropertyValues> tuned{{{"a", 0}, {"b", -4}, {"c", 0.5}}, {{"a", 8}, {"b", -2}, {"c", 1.5}}};
  const std::vector<DomainRange> domain = domain_of(tuned);
  CHECK(is_within(domain, {{"a", 16}, {"b", -3}, {"c", 1.0}}));
  CHECK_FALSE(is_within(domain, {{"a", -1}, {"b", -3}, {"c", 1.0}}));
  CHECK_FALSE(is_within(domain, {{"a", 4}, {"b", -5}, {"c", 1.0}}));
  CHECK_FALSE(is_within(domain, {{"a", 4}, {"b", -3}, {"c", 1.6}}));
}

TEST_CASE("where a question cannot be answered, a rule says nothing") {
  Rule rule = two_questions();
  rule.nodes[0] = RuleQuestion{Expression::parse("1000 / (n - 100)"), 0, 1, 2};
  CHECK(chosen(rule, {{"TYPE", "float"}, {"n", 101}}));
  CHECK_FALSE(chosen(rule, {{"TYPE", "float"}, {"n", 100}}));
}

}  // namespace
}  // namespace tuner::search
