#pragma once

#include <optional>

#include "search/expression/expression.hpp"

namespace tuner {

/// The value of an expression that uses no names, as `1e-3` does. Throws search::ExpressionError for what cannot be
/// computed, and Error{bad_description} for what is no number.
inline std::optional<double> plain_number(const search::Expression& expression) {
  if (!expression.names().empty()) return std::nullopt;
  return expression.evaluate(search::Scope()).as_real();
}

}  // namespace tuner
