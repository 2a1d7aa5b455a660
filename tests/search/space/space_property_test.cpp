#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "search/space/space.hpp"
#include "search/strategy/prng.hpp"
#include "tests/search/space/whole_product.hpp"

namespace tuner::search {
namespace {

/// Random small spaces, whose constraints are made of parts that an oracle evaluates one by one.
class Example {
 public:
  explicit Example(std::uint64_t seed) : prng_(seed), with_names_(prng_.below(8) == 0) {
    for (std::uint64_t i = 0, count = 1 + prng_.below(5); i < count; ++i) parameters_.push_back(parameter(i));
    constants_.set("size", static_cast<std::int64_t>(prng_.below(20)));
    constants_.accept_name("none");
    constants_.define("L1", Expression::parse(number(1)));
    constants_.define("L2", Expression::parse("L1 + " + number(1)));
    lets_ = true;
    for (std::uint64_t i = 0, count = prng_.below(4); i < count; ++i) {
      std::string text;
      for (std::uint64_t j = 0, parts = 1 + prng_.below(3); j < parts; ++j) {
        const std::string part = condition();
        parts_.push_back(Expression::parse(part));
        text += (j == 0 ? "(" : prng_.below(2) == 0 ? " and (" : " && (") + part + ")";
      }
      constraints_.push_back({Expression::parse(text), "test"});
    }
  }

  Space space() const { return Space(parameters_, constraints_, constants_); }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }

  /// Every configuration of the full product, in order.
  std::vector<Configuration> product() const {
    std::vector<Configuration> result;
    Configuration next{std::vector<std::uint32_t>(parameters_.size())};
    do {
      result.push_back(next);
    } while (test::next_choice(parameters_, next.choice));
    return result;
  }

  enum class Verdict { valid, invalid, fault };
  Verdict verdict(const Configuration& configuration) const {
    Scope scope(&constants_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      scope.set(parameters_[i].name, parameters_[i].values[configuration.choice[i]]);
    }
    bool fault = false;
    for (const Expression& part : parts_) {
      try {
        if (!part.evaluate_boolean(scope)) return Verdict::invalid;
      } catch (const ExpressionError&) {
        fault = true;
      }
    }
    return fault ? Verdict::fault : Verdict::valid;
  }

 private:
  Parameter parameter(std::uint64_t index) {
    Parameter result;
    result.name = std::string(1, static_cast<char>('z' - index));  // declared order is not the order of names
    std::set<std::string> texts;
    for (std::uint64_t i = 0, count = 1 + prng_.below(6); i < count; ++i) {
      const std::uint64_t kind = prng_.below(12);
      const auto number = static_cast<int>(prng_.below(16)) - 1;
      const Value value = kind == 0 ? Value(number / 2.0) : kind == 1 && with_names_ ? Value("none") : Value(number);
      if (texts.insert(value.text()).second) result.values.push_back(value);
    }
    result.default_value = result.values[prng_.below(result.values.size())];
    return result;
  }

  std::string number(int depth) {
    const std::uint64_t kind = prng_.below(depth > 0 ? 10 : 4);
    if (kind == 0) return std::to_string(prng_.below(9));
    if (kind == 1) return lets_ ? (prng_.below(2) == 0 ? "L1" : "L2") : "size";
    if (kind < 4) return parameters_[prng_.below(parameters_.size())].name;
    if (kind == 4) return "max(" + number(depth - 1) + ", " + number(depth - 1) + ")";
    if (kind == 5) return "(" + number(depth - 1) + " if " + condition(depth - 1) + " else " + number(depth - 1) + ")";
    static constexpr const char* signs[] = {" + ", " - ", " * ", " + ", " - ", " * ", " / ", " // ", " % "};
    return "(" + number(depth - 1) + signs[prng_.below(9)] + number(depth - 1) + ")";
  }

  std::string condition(int depth = 2) {
    const std::uint64_t kind = prng_.below(depth > 0 ? 8 : 3);
    if (kind == 0) return number(depth) + " in (1, 2, none, 5.0)";
    static constexpr const char* signs[] = {" <= ", " < ", " != ", " >= ", " == "};
    if (kind < 5) return number(depth) + signs[prng_.below(5)] + number(depth);
    if (kind == 5) return "not (" + condition(depth - 1) + ")";
    if (kind == 6) return number(depth) + " <= " + number(depth) + " <= " + number(depth);
    return "((" + condition(depth - 1) + ") or (" + condition(depth - 1) + "))";
  }

  Prng prng_;
  bool with_names_;  // then arithmetic mostly fails
  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
  std::vector<Expression> parts_;
  Scope constants_;
  bool lets_ = false;
};

void check_against_product(const Example& example) {
  std::vector<Configuration> valid;
  bool fault = false;
  const std::vector<Configuration> product = example.product();
  for (const Configuration& configuration : product) {
    const Example::Verdict verdict = example.verdict(configuration);
    if (verdict == Example::Verdict::valid) valid.push_back(configuration);
    if (verdict == Example::Verdict::fault) fault = true;
  }
  if (fault) {
    REQUIRE_THROWS_AS(example.space(), ExpressionError);
    return;
  }
  const Space space = example.space();
  REQUIRE(space.size() == valid.size());
  for (std::uint64_t i = 0; i < valid.size(); ++i) REQUIRE(space.at(i) == valid[i]);
  CHECK(space.why_empty().empty() != valid.empty());
  std::set<std::string> texts;
  for (const Configuration& configuration : product) {
    const auto place = std::lower_bound(valid.begin(), valid.end(), configuration);
    const bool expected = place != valid.end() && *place == configuration;
    REQUIRE(space.contains(configuration) == expected);
    REQUIRE(space.why_invalid(configuration).has_value() != expected);
    if (expected) REQUIRE(space.index_of(configuration) == static_cast<std::uint64_t>(place - valid.begin()));
    const std::string text = space.text(configuration);
    REQUIRE(texts.insert(text).second);
    REQUIRE(space.parse(text) == configuration);
  }
}

TEST_CASE("a space holds exactly what a filter over the full product leaves") {
  int faults = 0, empty = 0, full = 0, partial = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Example example(seed);
    std::string text;
    for (const Constraint& each : example.constraints()) text += each.expression.text() + "\n";
    CAPTURE(seed);
    CAPTURE(text);
    check_against_product(example);
    try {
      const Space space = example.space();
      const double size = static_cast<double>(space.size());
      ++(size == 0 ? empty : size == space.cartesian_size() ? full : partial);
    } catch (const ExpressionError&) {
      ++faults;
    }
  }
  // The examples exercise every kind of outcome.
  CHECK(faults > 50);
  CHECK(empty > 50);
  CHECK(full > 50);
  CHECK(partial > 50);
}

TEST_CASE("neighbours are the valid configurations one or two steps away") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Example example(seed);
    std::optional<Space> space;
    try {
      space.emplace(example.space());
    } catch (const ExpressionError&) {
      continue;
    }
    std::vector<Configuration> valid;
    for (std::uint64_t i = 0; i < space->size(); ++i) valid.push_back(space->at(i));
    for (const Configuration& from : example.product()) test::check_neighbours(*space, valid, from);
  }
}

}  // namespace
}  // namespace tuner::search
