#include "search/expression/evaluator.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "search/expression/arithmetic.hpp"
#include "search/expression/expression.hpp"

namespace tuner::search {
namespace {

class Evaluator {
 public:
  Evaluator(const ExpressionTree& tree, Names& names) : tree_(tree), names_(names) {}

  // The only function that recurses: its frame is kept small by leaving each kind of node to a function of its own,
  // of which only those with operands come back here.
  Operand node(NodeId id) {
    const Node& node = tree_.nodes[id];
    switch (node.kind) {
      case NodeKind::literal:
        return Operand::of(tree_.literals[node.index]);
      case NodeKind::name:
        return names_.load(node.index, tree_.site(node.offset));
      case NodeKind::unary:
        return apply_unary(node.sign, operand(node, 0), tree_.site(node.offset));
      case NodeKind::chain:
        return chain(node);
      case NodeKind::comparison:
        return Operand::of_boolean(comparison(node));
      case NodeKind::all:
        return Operand::of_boolean(joined(node, true));
      case NodeKind::any:
        return Operand::of_boolean(!joined(node, false));
      case NodeKind::conditional:
        return operand(node, is_true(node, 0) ? 1 : 2);
      case NodeKind::call:
        return called(node);
      case NodeKind::size_of:
        return size_of(node);
      case NodeKind::list:
        break;
    }
    tree_.site(node.offset).fail("a list is not a value");
  }

 private:
  std::span<const Link> links(const Node& node) const { return {tree_.links.data() + node.first, node.count}; }
  Operand operand(const Node& node, std::uint32_t index) { return this->node(tree_.links[node.first + index].node); }

  bool is_true(const Node& node, std::uint32_t index) {
    const Link& link = tree_.links[node.first + index];
    return truth(this->node(link.node), tree_.site(link.offset));
  }

  /// Whether every operand's truth is `wanted`; stops at the first that is not.
  bool joined(const Node& node, bool wanted) {
    for (std::uint32_t i = 0; i < node.count; ++i) {
      if (is_true(node, i) != wanted) return false;
    }
    return true;
  }

  Operand chain(const Node& node) {
    Operand result = operand(node, 0);
    for (const Link& link : links(node).subspan(1)) {
      result = apply(link.sign, result, this->node(link.node), tree_.site(link.offset));
    }
    return result;
  }

  bool comparison(const Node& node) {
    Operand left = operand(node, 0);
    for (const Link& link : links(node).subspan(1)) {
      if (link.sign == Sign::in || link.sign == Sign::not_in) {
        return contains(tree_.nodes[link.node], left) == (link.sign == Sign::in);
      }
      const Operand right = this->node(link.node);
      if (!compare(link.sign, left, right, tree_.site(link.offset))) return false;
      left = right;
    }
    return true;
  }

  bool contains(const Node& list, const Operand& wanted) {
    bool found = false;
    for (const Link& link : links(list)) found |= equal(this->node(link.node), wanted);
    return found;
  }

  Operand called(const Node& node) {
    const ExpressionSite site = tree_.site(node.offset);
    std::array<Operand, 2> arguments;
    arguments[0] = operand(node, 0);
    if (node.count == 1) return call(node.function, {arguments.data(), 1}, site);
    for (std::uint32_t i = 1; i < node.count; ++i) {
      arguments[1] = operand(node, i);
      arguments[0] = call(node.function, arguments, site);
    }
    return arguments[0];
  }

  Operand size_of(const Node& node) {
    const ExpressionSite site = tree_.site(node.offset);
    const Operand type = names_.load(node.index, site);
    const std::size_t size = type.is_name() ? size_of_type(*type.name) : 0;
    if (size == 0) {
      site.fail(fmt::format("`{}` stands for {}, which is not an element type that sizeof accepts",
                            tree_.names[node.index], type.value().text()));
    }
    return Operand::of_integer(static_cast<std::int64_t>(size));
  }

  const ExpressionTree& tree_;
  Names& names_;
};

}  // namespace

Operand evaluate(const ExpressionTree& tree, NodeId root, Names& names) {
  return Evaluator(tree, names).node(root);
}

}  // namespace tuner::search
