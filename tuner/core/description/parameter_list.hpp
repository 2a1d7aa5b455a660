#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tuner {

/// The types in a function's list of parameters, in one spelling: without names, defaults, `const`, `__restrict__` and
/// namespaces; words between the brackets of `templates` by their number. Two declarations of one function have the
/// same, and seldom two functions.
std::string types_in(std::string_view parameters, std::string_view templates);

/// How many parameters a list has.
std::size_t count_parameters(std::string_view parameters);

/// Whether what stands in parentheses is surely a list of parameters, and no list of values, as `x` in `int n(x);`:
/// `is_type` knows names of types. `may_be_value`: what is declared may be a constant, so that `w * h` is a product.
bool declares_parameters(std::string_view parameters, const std::function<bool(std::string_view)>& is_type,
                         bool may_be_value);

/// Whether it is a built-in type, or part of the name of one.
bool is_type_keyword(std::string_view word);
/// Whether it may stand before a type without being a part of it.
bool is_specifier(std::string_view word);

}  // namespace tuner
