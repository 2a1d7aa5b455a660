#pragma once

#include <cstdint>

#include "search/expression/lexer.hpp"
#include "search/expression/operand.hpp"
#include "search/expression/site.hpp"

namespace tuner::search {

/// All of these throw ExpressionError at `site`: a name where a number is needed, overflow, division by zero.

/// `a sign b` for the arithmetic and bit operators.
Operand apply(Sign sign, const Operand& a, const Operand& b, const ExpressionSite& site);
/// `a sign b` for the six comparisons. Names can be equal or not; they have no order.
bool compare(Sign sign, const Operand& a, const Operand& b, const ExpressionSite& site);
/// `sign a` for + - ~ ! and `not`.
Operand apply_unary(Sign sign, const Operand& a, const ExpressionSite& site);

Operand negated(const Operand& a, const ExpressionSite& site);
bool truth(const Operand& a, const ExpressionSite& site);
/// An integer, a boolean, or a real that is integral. The complaint otherwise suggests `//` and `ceil_div`.
std::int64_t whole(const Operand& a, const ExpressionSite& site);
void require_number(const Operand& a, const ExpressionSite& site);

}  // namespace tuner::search
