#include "tuner/core/description/fixed_defines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/core/base/element_type.hpp"

namespace tuner {
namespace {

// Nothing where it uses a name that `scope` does not know and that is no type.
std::optional<search::Value> fixed_value(const search::Expression& expression, search::Scope& scope) {
  for (const std::string& name : expression.names()) {
    if (!scope.knows(name) && !shape_of_type(name)) return std::nullopt;
    scope.accept_name(name);
  }
  try {
    return expression.evaluate(scope);
  } catch (const search::ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> fixed_defines(const KernelDescription& description) {
  std::vector<std::string> defines;
  search::Scope scope;
  for (const NamedExpression& named : description.names) {
    const std::optional<search::Value> value = fixed_value(named.expression, scope);
    if (!value) continue;
    scope.set(named.name, *value);
    if (named.is_macro) defines.push_back(fmt::format("{}={}", named.name, value->text()));
  }
  return defines;
}

}  // namespace tuner
