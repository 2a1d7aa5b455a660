#pragma once

#include <map>
#include <string>
#include <string_view>

#include "search/expression/expression.hpp"

namespace tuner {

enum class CppType { whole, real, name };

/// C++17 that computes `expression` as search::Expression does, with a variable `checked` of the helpers' type: what
/// overflows or divides by zero clears `checked.ok`, and the value means nothing then. `types` are those of the names,
/// which are std::int64_t, double and const char* variables. Throws Error{bad_usage} for what takes more than
/// arithmetic: log2, sqrt, real exponents and remainders, and values that are whole for one problem and real for
/// another.
struct CppExpression {
  std::string text;
  CppType type = CppType::whole;
};
CppExpression cpp_expression(const search::Expression& expression, const std::map<std::string, CppType>& types);

/// The struct `Checked` and what it needs: valid where <cstdint> is included.
std::string_view cpp_helpers();

}  // namespace tuner
