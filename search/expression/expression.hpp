#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expression/site.hpp"
#include "search/expression/value.hpp"

namespace tuner::search {

class Scope;
struct ExpressionTree;

/// An expression in C or Python spelling, parsed once, evaluated often. A cheap-to-copy immutable value.
///
///   literals     12  0x20  1.5  1e-3  true false True False  'name'  "name"
///   lowest       a if c else b   and   c ? a : b
///                or ||     and &&     not
///                == != < <= > >= (chained: 32 <= a*b <= 1024)    in (1, 2, 4)    not in [..]
///                |   ^   &   << >>   + -   * / // %   unary + - ~ !   ** (right to left)
///   functions    min(a, b, ...)  max(a, b, ...)  abs(x)  ceil_div(a, b)  round_up(a, b)  is_pow2(a)  next_pow2(a)
///   log2(x)
///                sqrt(x)  floor(x)  ceil(x)  int(x)  float(x)  bool(x)  sizeof(TYPE)
///
/// The bit operators bind tighter than comparisons, as in Python and unlike C. `/` is real division, `//` floors, `%`
/// takes the divisor's sign. Integers are 64-bit and overflow is an error, as are division by zero and arithmetic on
/// names. `and`, `or` and the conditional evaluate only what they need, and `and`/`or` give a boolean.
/// Nesting is limited (200) so that no text can exhaust the stack.
class Expression {
 public:
  /// Parses `text`. Throws ExpressionError with the offset of the mistake.
  static Expression parse(std::string_view text);

  const std::string& text() const;
  /// The names used, in order of first use, without the functions'. `sizeof(TYPE)` uses the name TYPE unless it is a
  /// type itself.
  const std::vector<std::string>& names() const;
  /// Offset of the first use of `name`.
  std::size_t offset_of(std::string_view name) const;

  /// Throws ExpressionError: unknown name, overflow, division by zero, a name where a number is needed.
  Value evaluate(const Scope& scope) const;
  std::int64_t evaluate_integer(
      const Scope& scope) const;  ///< as evaluate; an error that suggests `//` or `ceil_div` if not integral
  bool evaluate_boolean(const Scope& scope) const;

  /// The parsed form, for the rest of this folder.
  const ExpressionTree& tree() const { return *tree_; }

 private:
  explicit Expression(std::shared_ptr<const ExpressionTree> tree) : tree_(std::move(tree)) {}

  std::shared_ptr<const ExpressionTree> tree_;  // shared so that copies are cheap; immutable
};

/// Names and what they stand for while an expression is evaluated. A scope may extend another one, which must outlive
/// it: constants (problem, device) in the outer scope, one configuration's parameters in the inner one.
class Scope {
 public:
  Scope() = default;
  explicit Scope(const Scope* outer) : outer_(outer) {}

  void set(std::string name, Value value);
  /// A `let`: `name` stands for `expression`, evaluated where it is used (so it sees the inner scope's parameters).
  void define(std::string name, Expression expression);
  /// Accepts `name` as a named value that stands for itself, so that `STRATEGY == none` needs no quotes. Does nothing
  /// if the name is known already, here or further out.
  void accept_name(std::string name);

  /// The value of `name`, evaluating a `let` if it is one, in this scope. Throws Error{bad_description} that names the
  /// nearest known name if there is none, ExpressionError if a `let` cannot be evaluated or needs itself.
  Value get(std::string_view name) const;
  bool knows(std::string_view name) const;

  /// What stands behind a name: one of the two, or neither if it is not known. Valid until the scope changes.
  struct Meaning {
    const Value* value = nullptr;
    const Expression* let = nullptr;
  };
  Meaning find(std::string_view name) const;

  /// Every name this scope and its outer scopes know, sorted: for messages.
  std::vector<std::string> names() const;

 private:
  const Scope* outer_ = nullptr;
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, Expression, std::less<>> lets_;
};

/// Size in bytes of an element type as it is spelled in CUDA C++ (`float`, `double`, `int32`, `int32_t`, `half`,
/// `__half`, `float4`, ...); 0 if it is not one.
std::size_t size_of_type(std::string_view type);

/// The candidate nearest to `name` by edit distance, if one is near enough to be a likely misspelling; else empty.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tuner::search
