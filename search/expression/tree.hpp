#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/expression/functions.hpp"
#include "search/expression/lexer.hpp"
#include "search/expression/site.hpp"
#include "search/expression/value.hpp"

namespace tuner::search {

using NodeId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  literal,      ///< index: of ExpressionTree::literals
  name,         ///< index: of ExpressionTree::names
  unary,        ///< sign and one operand
  chain,        ///< a + b - c: from left to right, each link's sign before its operand
  comparison,   ///< a < b <= c: as `chain`; a link with `in` or `not in` is the last and leads to a `list`
  all,          ///< a and b and c
  any,          ///< a or b or c
  conditional,  ///< condition, value if true, value if false
  list,         ///< what stands after `in`
  call,         ///< function and arguments
  size_of,      ///< index: of ExpressionTree::names, which stands for a type
};

/// Chains have many operands instead of a tree of pairs, so that `a + a + ... + a` is flat.
struct Node {
  NodeKind kind = NodeKind::literal;
  Sign sign = Sign::none;
  Function function = Function::abs;
  std::uint32_t offset = 0;
  std::uint32_t index = 0;
  std::uint32_t first = 0;  ///< operands: count links from here
  std::uint32_t count = 0;
  std::uint32_t height = 1;  ///< longest way down: bounds the recursion of whoever walks the tree
};

struct Link {
  NodeId node = 0;
  Sign sign = Sign::none;
  std::uint32_t offset = 0;  ///< of the sign
};

/// A parsed expression. Immutable.
struct ExpressionTree {
  std::string text;
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Value> literals;
  std::vector<std::string> names;  ///< in order of first use
  std::vector<std::size_t> name_offsets;
  NodeId root = 0;

  ExpressionSite site(std::size_t offset) const { return {text, offset}; }
};

/// Parses `text`. Throws ExpressionError.
ExpressionTree parse_tree(std::string_view text);

/// The parts that must all be true for `root` to be true: `a` and `b` of `a && b`, at any depth.
std::vector<NodeId> conjuncts(const ExpressionTree& tree, NodeId root);

/// Indices of the names that `root` uses, each once, ascending.
std::vector<std::uint32_t> names_used(const ExpressionTree& tree, NodeId root);

}  // namespace tuner::search
