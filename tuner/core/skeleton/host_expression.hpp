#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// An expression of C++ as far as sizes and indices are computed with it. Casts are left out; `a.x`, `a->x` and `a::b`
/// are one name.
struct HostExpression {
  enum class Kind { number, name, call, element, operation };
  Kind kind = Kind::number;
  std::string text;                      ///< of a number, name or operator; of a call, what is called
  std::vector<HostExpression> operands;  ///< of an element: the index
  bool operator==(const HostExpression&) const = default;
};

/// How many names, numbers and operations it has.
std::size_t parts_of(const HostExpression& expression);

/// The names in an expression.
std::set<std::string> names_in(const HostExpression& expression);

/// The expression with these values in place of names, by their numbers.
HostExpression with_values(HostExpression expression, const std::vector<std::string>& names,
                           const std::vector<HostExpression>& values);

/// Nothing for text that is none, or uses more of the language.
std::optional<HostExpression> parse_host_expression(std::string_view text);

/// The value of an expression of integers; `value_of` knows those of names, and without it there are none.
std::optional<std::int64_t> integer_of(const HostExpression& expression,
                                       const std::function<std::optional<std::int64_t>(const std::string&)>& value_of);
std::optional<std::int64_t> integer_of(const HostExpression& expression);

/// `min(n, 4)`, `sizeof(int)`, `div_up(n, 256)`, `std::ceil(n / 256.0)`: whether `described` knows what it computes.
bool is_known_call(const HostExpression& call);

/// A name, a number, a call, an element, or a product or quotient of such.
bool is_factor(const HostExpression& expression);

using TextOfName = std::function<std::optional<std::string>(const std::string&)>;

/// How names and numbers are written at the outermost division of an expression.
struct OutermostDivision {
  TextOfName divisor;  ///< what it divides by, if that is_factor()
  TextOfName outside;  ///< names that are no part of one, and may stand for one
};

/// The expression as descriptions write it, with other text in place of names; nothing if a name has none, or if
/// descriptions have no such operation. Integer divisions that round up become ceil_div.
std::optional<std::string> described(const HostExpression& expression, const TextOfName& text_of,
                                     const OutermostDivision* outermost = nullptr);

}  // namespace tuner
