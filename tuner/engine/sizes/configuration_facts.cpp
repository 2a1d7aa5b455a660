#include "tuner/engine/sizes/configuration_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "search/expression/expression.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

/// What the description calls by a name, and its tuned parameters' named values.
search::Scope scope_of(const KernelDescription& kernel) {
  search::Scope scope;
  for (const ParameterDescription& described : kernel.parameters) {
    for (const search::Value& value : described.parameter.values) {
      if (value.is_name()) scope.accept_name(value.as_name());
    }
  }
  for (const NamedExpression& name : kernel.names) scope.define(name.name, name.expression);
  return scope;
}

bool holds(const search::Expression& expression, const search::Scope& scope) try {
  const search::Value value = expression.evaluate(scope);
  return value.is_boolean() && value.as_boolean();
} catch (const Error&) {
  return false;
}

}  // namespace

search::ConfigurationFacts configuration_facts(const KernelDescription& kernel,
                                               std::span<const std::string> configurations) {
  std::vector<search::Expression> asked;
  for (const NamedExpression& name : kernel.names) {
    if (name.is_macro && depends_on_problem(kernel, name.expression)) asked.push_back(name.expression);
  }
  if (asked.empty()) return {};
  std::vector<ProblemValues> settings;  // written as the values of a problem are
  std::transform(configurations.begin(), configurations.end(), std::back_inserter(settings),
                 [](const std::string& text) { return parse_problem(text); });
  return [asked = std::move(asked), settings = std::move(settings), names = scope_of(kernel)](
             const search::PropertyValues& problem, std::size_t configuration) {
    search::Scope scope(&names);
    for (const auto& [name, value] : problem) scope.set(name, value);
    for (const auto& [name, value] : settings[configuration]) scope.set(name, value);
    std::vector<bool> facts;
    for (const search::Expression& expression : asked) facts.push_back(holds(expression, scope));
    return facts;
  };
}

}  // namespace tuner::engine
