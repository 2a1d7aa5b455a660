#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "search/expression/operand.hpp"
#include "search/expression/site.hpp"
#include "search/expression/tree.hpp"

namespace tuner::search {

class Scope;

/// Where an evaluation finds what the names of one expression stand for.
class Names {
 public:
  /// The value of `tree.names[index]`. Throws ExpressionError at `site` if there is none.
  virtual Operand load(std::uint32_t index, const ExpressionSite& site) = 0;

 protected:
  ~Names() = default;
};

/// How far evaluations may recurse: a bound for the height of an expression and the `let`s that stand in each other,
/// plus `kLetHeight` for each let. The parser's limit keeps a single expression below 2100. Reaching it takes less than
/// 1 MiB of stack, and less than 4 MiB under the address sanitizer.
inline constexpr std::size_t kMostHeight = 2500;
inline constexpr std::size_t kLetHeight = 5;

/// Evaluates the part of `tree` below `root`. Names are loaded only where evaluation comes by.
Operand evaluate(const ExpressionTree& tree, NodeId root, Names& names);

/// A mistake inside a `let`, with the offset at which the expression that was asked for uses it.
class LetError : public ExpressionError {
 public:
  using ExpressionError::ExpressionError;
};

/// Calls `work` for the let `name`, which is used at `site`. A mistake gets the site's offset, because the caller knows
/// nothing of the let's text, and the name of the innermost let.
template <typename Work>
auto in_let(std::string_view name, const ExpressionSite& site, Work work) {
  try {
    return work();
  } catch (const LetError& error) {
    throw LetError(error.what(), site.offset);
  } catch (const ExpressionError& error) {
    throw LetError(error.what() + (" This is in the let `" + std::string(name) + "`."), site.offset);
  }
}

/// Evaluates with the names of `scope`.
Operand evaluate(const ExpressionTree& tree, NodeId root, const Scope& scope);

}  // namespace tuner::search
