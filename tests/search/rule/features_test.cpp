#include "search/rule/features.hpp"

#include <doctest/doctest.h>

namespace tuner::search {
namespace {

std::vector<std::string> texts(const std::vector<PropertyValues>& problems, const std::vector<std::string>& further) {
  std::vector<std::string> result;
  for (const Feature& feature : candidate_features(problems, further)) result.push_back(feature.expression.text());
  return result;
}

TEST_CASE("what is divisible because it is large is a matter of size") {
  std::vector<PropertyValues> problems;
  for (std::int64_t n = 500; n <= 64000; n *= 2) problems.push_back({{"n", n}});
  for (const Feature& feature : candidate_features(problems)) CHECK_FALSE(feature.is_divisibility);
  problems.push_back({{"n", 4096}});
  bool any = false;
  for (const Feature& feature : candidate_features(problems)) any = any || feature.is_divisibility;
  CHECK(any);
}

TEST_CASE("properties come first, then what the caller adds, products, ratios and divisibility") {
  const std::vector<PropertyValues> problems{{{"m", 64}, {"n", 100}},
                                             {{"m", 128}, {"n", 31}},
                                             {{"m", 32}, {"n", 2048}},
                                             {{"m", 16}, {"n", 64}},
                                             {{"m", 48}, {"n", 4000}}};
  std::string all;
  for (const std::string& text : texts(problems, {"ceil_div(m, 32) * ceil_div(n, 33)"})) all += text + ", ";
  CHECK(all == "m, n, ceil_div(m, 32) * ceil_div(n, 33), m / n, m % 32, n % 128, ");
}

TEST_CASE("what orders the problems as an earlier expression does, or tells none apart, is left out") {
  const std::vector<PropertyValues> problems{{{"k", 7}, {"n", 64}}, {{"k", 7}, {"n", 128}}};
  CHECK(texts(problems, {"2 * n", "-n", "k"}) == std::vector<std::string>{"n"});
  CHECK(texts({{{"n", 5}}}, {}).empty());
  CHECK(texts({}, {"n"}).empty());
}

TEST_CASE("of powers of two that tell the same problems apart the middle one is asked about") {
  const std::vector<PropertyValues> problems{{{"n", 1001}}, {{"n", 1280}}, {{"n", 4077}}};
  const std::vector<std::string> all = texts(problems, {});
  CHECK(all == std::vector<std::string>{"n", "n % 16"});  // from 2 to 128
}

TEST_CASE("names are asked about one by one, and what cannot be evaluated everywhere is left out") {
  const std::vector<PropertyValues> problems{{{"TYPE", "float"}, {"n", 0}}, {{"TYPE", "double"}, {"n", 3}}};
  CHECK(texts(problems, {"1000 / n", "n + missing", "TYPE * 2"}) == std::vector<std::string>{"n"});
  const std::vector<PropertyValues> names{{{"T", "a b"}}, {{"T", "x"}}, {{"T", "y"}}};
  CHECK(texts(names, {}) == std::vector<std::string>{"T == \"a b\"", "T == \"x\"", "T == \"y\""});
}

TEST_CASE("a value that overflows, divides by zero or needs what the problem lacks is none") {
  const PropertyValues problem{{"n", std::int64_t{1} << 40}, {"zero", 0}};
  CHECK(feature_value(Expression::parse("n % 32 == 0"), problem) == 1.0);
  CHECK(feature_value(Expression::parse("n / 3"), problem) == doctest::Approx(366503875925.33));
  CHECK_FALSE(feature_value(Expression::parse("n * n"), problem));
  CHECK_FALSE(feature_value(Expression::parse("n / zero"), problem));
  CHECK_FALSE(feature_value(Expression::parse("m"), problem));
}

}  // namespace
}  // namespace tuner::search
