#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "search/space/constraint_compiler.hpp"
#include "search/space/constraint_program.hpp"
#include "search/space/interval.hpp"
#include "tests/search/example_spaces.hpp"
#include "tests/search/space/random_expression.hpp"
#include "tests/search/space/whole_product.hpp"

namespace tuner::search {
namespace {

using test::constraint;
using test::next_choice;

Scope constants() {
  Scope result;
  result.accept_name("none");
  return result;
}

/// The values of all steps for one choice a parameter.
std::vector<Operand> run(const ConstraintProgram& program, const std::vector<std::uint32_t>& choice) {
  std::vector<Operand> cells(program.steps().size());
  for (StepId id = 0; id < cells.size(); ++id) {
    const Step& step = program.steps()[id];
    if (step.constant) {
      cells[id] = step.value;
    } else if (step.kind == Step::Kind::parameter) {
      cells[id] = program.values(step.operands[0])[choice[step.operands[0]]];
    } else {
      cells[id] = evaluate(step, cells.data(), program.more().data());
    }
  }
  return cells;
}

std::optional<Value> value_of(const Operand& operand) {
  if (operand.kind >= Operand::Kind::undefined) return std::nullopt;
  return operand.value();
}

std::optional<Value> value_of(const Expression& expression, const Scope& scope) {
  try {
    return expression.evaluate(scope);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

TEST_CASE("a program gives the value that the expression gives, or like it none") {
  int undefined = 0;
  int defined = 0;
  const Scope names = constants();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    test::RandomExpressions random(seed);
    const std::vector<Parameter> parameters = random.parameters(3, 3);
    const std::string text = random.below(2) == 0 ? random.condition("abc", 3) : random.number("abc", 3);
    const Constraint constraint = test::constraint(text);
    const ConstraintProgram program = compile_constraints(parameters, {&constraint, 1}, names);
    std::vector<std::uint32_t> choice(3);
    do {
      Scope scope(&names);
      for (std::size_t i = 0; i < 3; ++i) scope.set(parameters[i].name, parameters[i].values[choice[i]]);
      const std::vector<Operand> cells = run(program, choice);
      CAPTURE(text);
      CAPTURE(seed);
      const std::optional<Value> expected = value_of(constraint.expression, scope);
      if (program.conditions().size() == 1) {
        const std::optional<Value> found = value_of(cells[program.conditions().front().step]);
        REQUIRE(found.has_value() == expected.has_value());
        if (found) REQUIRE(found->text() == expected->text());
      }
      ++(expected ? defined : undefined);
    } while (next_choice(parameters, choice));
  }
  CHECK(undefined > 1000);
  CHECK(defined > 1000);
}

bool holds(const Range& range, const Operand& value) {
  if (range.kind == Range::Kind::open) return true;
  if (value.kind >= Operand::Kind::undefined) return false;
  if (range.kind == Range::Kind::value) return true;
  return !value.is_name() && range.low <= value.to_real() && value.to_real() <= range.high;
}

TEST_CASE("the range of a step holds every value that it can have, and is open if it might have none") {
  int narrow = 0;
  const Scope names = constants();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    test::RandomExpressions random(seed);
    const std::vector<Parameter> parameters = random.parameters(3, 4);
    const Constraint constraint = test::constraint(random.condition("abc", 3));
    CAPTURE(constraint.expression.text());
    CAPTURE(seed);
    const ConstraintProgram program = compile_constraints(parameters, {&constraint, 1}, names);
    std::vector<std::uint32_t> choice(3);
    do {
      const std::vector<Operand> cells = run(program, choice);
      for (std::uint32_t level = 0; level <= 3; ++level) {  // so many parameters are known
        std::vector<Range> ranges(cells.size());
        for (StepId id = 0; id < cells.size(); ++id) {
          const Step& step = program.steps()[id];
          if (step.level <= level) {
            ranges[id] = Range::of(cells[id]);
          } else if (step.kind == Step::Kind::parameter) {
            ranges[id] = Range::of(program.values(step.operands[0]).front());
            for (const Operand& value : program.values(step.operands[0]))
              ranges[id] = hull(ranges[id], Range::of(value));
          } else {
            ranges[id] = range_of(step, ranges.data(), program.steps().data(), program.more().data());
          }
          REQUIRE(holds(ranges[id], cells[id]));
          if (ranges[id].is_number() && step.level > level) ++narrow;
        }
      }
    } while (next_choice(parameters, choice));
  }
  CHECK(narrow > 10000);
}

TEST_CASE("equal sub-expressions are one step, whatever constraint or let they stand in, and constants are computed") {
  Scope names;
  names.set("n", 6);
  names.define("AREA", Expression::parse("b * a"));
  const std::vector<Parameter> parameters{{"a", {1, 2}, 1}, {"b", {1, 2}, 1}, {"one", {1}, 1}};
  const std::vector<Constraint> constraints{constraint("a * b <= n * n + one"),
                                            constraint("AREA * 4 > 2 and a * b != 3")};
  const ConstraintProgram program = compile_constraints(parameters, constraints, names);
  int products = 0;
  for (const Step& step : program.steps()) {
    if (step.kind == Step::Kind::multiply && step.level > 0) ++products;
    if (step.kind == Step::Kind::add) FAIL("n * n + one was not computed");
  }
  CHECK(products == 2);  // a * b and AREA * 4
  CHECK(program.conditions().size() == 3);
}

std::vector<double> terms(const Space& space, const Configuration& configuration) {
  std::vector<double> result(space.terms());
  space.terms(configuration, result);
  return result;
}

TEST_CASE("terms are the numbers that constraints compute of several parameters, in the order of their text") {
  Scope names;
  names.accept_name("none");
  names.define("THREADS", Expression::parse("a * b"));
  const std::vector<Parameter> parameters{{"a", {2, 4}, 2}, {"b", {0, 8}, 8}, {"mode", {"none", "fast"}, "fast"}};
  const Space space(
      parameters,
      {constraint("b == 0 or THREADS // b <= 64"),
       constraint("a + 1 > 0 and (mode == none or (mode if b > 0 else a) != 77)"), constraint("THREADS + 0.5 < 1024")},
      names, Listing::when_needed);
  REQUIRE(space.terms() == 4);  // a * b, a * b // b, the conditional, a * b + 0.5; not a + 1
  CHECK(terms(space, space.parse("a=4,b=8")) == std::vector<double>{32, 4, 0, 32.5});
  CHECK(terms(space, space.parse("a=4,b=0")) == std::vector<double>{0, 0, 4, 0.5});
}

TEST_CASE("terms do not depend on what parameters are called") {
  const auto of = [](const std::string& x, const std::string& y) {
    const std::vector<Parameter> parameters{{x, {2, 3}, 3}, {y, {5, 7}, 7}};
    const Space space(parameters,
                      {constraint(x + " * " + y + " < 99"), constraint(y + " - " + x + " + " + y + " * 2 > 0")}, {});
    return terms(space, space.defaults());
  };
  CHECK(of("alpha", "beta") == of("z", "a"));
  CHECK(of("alpha", "beta") == std::vector<double>{21, 4, 18});
}

TEST_CASE("there are never more terms than a few dozen") {
  std::vector<Constraint> constraints;
  for (int i = 0; i < 300; ++i) constraints.push_back(constraint("a * b + " + std::to_string(i) + " > 0"));
  const Space space({{"a", {2, 3}, 3}, {"b", {5, 7}, 7}}, constraints, {});
  CHECK(space.terms() == 48);
  CHECK(terms(space, space.defaults()).back() == 21 + 46);
}

}  // namespace
}  // namespace tuner::search
