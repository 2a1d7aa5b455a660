#include "tuner/core/header/expression_cpp.hpp"

#include <fmt/format.h>

#include "search/expression/quoting.hpp"
#include "search/expression/tree.hpp"
#include "tuner/core/header/header_column.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using search::Function;
using search::Node;
using search::NodeId;
using search::NodeKind;
using search::Sign;

class CppWriter {
 public:
  CppWriter(const search::ExpressionTree& tree, const std::map<std::string, CppType>& types)
      : tree_(tree), types_(types) {}

  CppExpression node(NodeId id) const {
    const Node& node = tree_.nodes[id];
    switch (node.kind) {
      case NodeKind::literal:
        return literal_of(tree_.literals[node.index]);
      case NodeKind::name:
        return variable(tree_.names[node.index]);
      case NodeKind::unary:
        return unary(node);
      case NodeKind::chain:
        return chain(node);
      case NodeKind::comparison:
        return comparison(node);
      case NodeKind::all:
      case NodeKind::any:
        return joined(node);
      case NodeKind::conditional:
        return conditional(node);
      case NodeKind::call:
        return called(node);
      case NodeKind::list:
      case NodeKind::size_of:
        break;
    }
    refuse("uses sizeof");
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(Errc::bad_usage,
                search::with_short_quotations(fmt::format(
                    "The rule asks about `{}`, which {} and so cannot be written as plain C++17; export without the "
                    "rule.",
                    tree_.text, what)));
  }

  static CppExpression whole(std::string text) { return {std::move(text), CppType::whole}; }
  static CppExpression boolean(const std::string& condition) {
    return whole(fmt::format("(({}) ? std::int64_t{{1}} : std::int64_t{{0}})", condition));
  }
  CppExpression operand(const Node& node, std::uint32_t index) const {
    return this->node(tree_.links[node.first + index].node);
  }
  void require_whole(const CppExpression& a) const {
    if (a.type != CppType::whole) refuse("needs a whole number where it may have a real one");
  }
  void require_number(const CppExpression& a) const {
    if (a.type == CppType::name) refuse("computes with a name");
  }
  static std::string as_real(const CppExpression& a) {
    return a.type == CppType::real ? a.text : fmt::format("static_cast<double>({})", a.text);
  }
  std::string truth(const CppExpression& a) const {
    require_number(a);
    return fmt::format("{} != 0", a.text);
  }

  CppExpression literal_of(const search::Value& value) const {
    if (value.is_name()) return {string_literal(value.as_name()), CppType::name};
    if (value.is_real()) return {fmt::format("({})", value.text()), CppType::real};
    const std::string digits = literal(search::Value(value.as_integer()), "", {Column::Kind::wide, {}, 0});
    return whole(fmt::format("std::int64_t{{{}}}", digits));
  }

  CppExpression variable(const std::string& name) const {
    const auto found = types_.find(name);
    if (found == types_.end()) refuse("names what is no property of the problem");
    return {name, found->second};
  }

  CppExpression unary(const Node& node) const {
    const CppExpression a = operand(node, 0);
    require_number(a);
    if (node.sign == Sign::add) return a;
    if (node.sign == Sign::subtract) {
      if (a.type == CppType::real) return {fmt::format("(-{})", a.text), CppType::real};
      return whole(fmt::format("checked.subtract(std::int64_t{{0}}, {})", a.text));
    }
    if (node.sign != Sign::bit_not) return boolean(fmt::format("!({})", truth(a)));
    require_whole(a);
    return whole(fmt::format("(~{})", a.text));
  }

  CppExpression chain(const Node& node) const {
    CppExpression result = operand(node, 0);
    for (std::uint32_t i = 1; i < node.count; ++i) {
      result = applied(tree_.links[node.first + i].sign, result, operand(node, i), tree_.links[node.first + i].node);
    }
    return result;
  }

  CppExpression applied(Sign sign, const CppExpression& a, const CppExpression& b, NodeId right) const {
    require_number(a);
    require_number(b);
    const bool both_whole = a.type == CppType::whole && b.type == CppType::whole;
    const auto call = [&](std::string_view name) {
      require_whole(a);
      require_whole(b);
      return whole(fmt::format("checked.{}({}, {})", name, a.text, b.text));
    };
    const auto arithmetic = [&](std::string_view name) {
      if (both_whole) return call(name);
      return CppExpression{fmt::format("checked.{}({}, {})", name, as_real(a), as_real(b)), CppType::real};
    };
    switch (sign) {
      case Sign::add:
        return arithmetic("add");
      case Sign::subtract:
        return arithmetic("subtract");
      case Sign::multiply:
        return arithmetic("multiply");
      case Sign::divide: {
        const std::string arguments = both_whole ? a.text + ", " + b.text : as_real(a) + ", " + as_real(b);
        return {fmt::format("checked.divide({})", arguments), CppType::real};
      }
      case Sign::floor_divide:
        return call("floor_divide");
      case Sign::modulo:
        return call("modulo");
      case Sign::shift_left:
        return call("shift_left");
      case Sign::shift_right:
        return call("shift_right");
      case Sign::power: {
        const Node& exponent = tree_.nodes[right];
        const bool known = exponent.kind == NodeKind::literal && !tree_.literals[exponent.index].is_real();
        if (!known) refuse("has an exponent that may be negative");
        return call("power");
      }
      default:
        break;
    }
    require_whole(a);
    require_whole(b);
    return whole(fmt::format("({} {} {})", a.text, spelling(sign), b.text));
  }

  std::string compared(Sign sign, const CppExpression& a, const CppExpression& b) const {
    const bool equality = sign == Sign::equal || sign == Sign::not_equal;
    if (a.type != CppType::name && b.type != CppType::name) {
      return fmt::format("checked.order({}, {}) {} 0", a.text, b.text, spelling(sign));
    }
    if (!equality) refuse("asks for the order of names");
    const bool both = a.type == b.type;
    const std::string same = both ? fmt::format("detail::same_text({}, {})", a.text, b.text) : "false";
    return sign == Sign::equal ? same : "!" + same;
  }

  CppExpression comparison(const Node& node) const {
    std::string text;
    CppExpression left = operand(node, 0);
    for (std::uint32_t i = 1; i < node.count; ++i) {
      const search::Link& link = tree_.links[node.first + i];
      std::string part;
      if (link.sign == Sign::in || link.sign == Sign::not_in) {
        const Node& list = tree_.nodes[link.node];
        part = "false";
        // All are evaluated, so that a mistake in any is noticed.
        for (std::uint32_t j = 0; j < list.count; ++j) {
          part = fmt::format("({}) | ({})", part, compared(Sign::equal, operand(list, j), left));
        }
        if (link.sign == Sign::not_in) part = fmt::format("!({})", part);
      } else {
        CppExpression right = this->node(link.node);
        part = compared(link.sign, left, right);
        left = std::move(right);
      }
      text += fmt::format("{}({})", text.empty() ? "" : " && ", part);
    }
    return boolean(text);
  }

  CppExpression joined(const Node& node) const {
    std::string text;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      text += fmt::format("{}({})",
                          i == 0                       ? ""
                          : node.kind == NodeKind::all ? " && "
                                                       : " || ",
                          truth(operand(node, i)));
    }
    return boolean(text);
  }

  CppExpression conditional(const Node& node) const {
    const CppExpression yes = operand(node, 1), no = operand(node, 2);
    if (yes.type != no.type) refuse("is whole for some problems and real for others");
    return {fmt::format("(({}) ? {} : {})", truth(operand(node, 0)), yes.text, no.text), yes.type};
  }

  CppExpression called(const Node& node) const {
    CppExpression result = operand(node, 0);
    require_number(result);
    if (node.count == 1) return applied(node.function, result);
    for (std::uint32_t i = 1; i < node.count; ++i) {
      const CppExpression b = operand(node, i);
      require_number(b);
      if (b.type != result.type) refuse("takes whole and real numbers together");
      const bool either = node.function == Function::min || node.function == Function::max;
      if (!either) require_whole(result);
      const char* name = node.function == Function::min        ? "least"
                         : node.function == Function::max      ? "greatest"
                         : node.function == Function::ceil_div ? "ceil_div"
                                                               : "round_up";
      result.text = fmt::format("checked.{}({}, {})", name, result.text, b.text);
    }
    return result;
  }

  CppExpression applied(Function function, const CppExpression& a) const {
    const bool is_real = a.type == CppType::real;
    switch (function) {
      case Function::min:
      case Function::max:
        return a;
      case Function::abs:
        return {fmt::format("checked.abs({})", a.text), a.type};
      case Function::is_pow2:
      case Function::next_pow2:
        require_whole(a);
        return whole(fmt::format("checked.{}({})", function == Function::is_pow2 ? "is_pow2" : "next_pow2", a.text));
      case Function::floor:
        return is_real ? whole(fmt::format("checked.floor({})", a.text)) : a;
      case Function::ceil:
        return is_real ? whole(fmt::format("checked.ceil({})", a.text)) : a;
      case Function::to_integer:
        return is_real ? whole(fmt::format("checked.truncated({})", a.text)) : a;
      case Function::to_real:
        return {as_real(a), CppType::real};
      case Function::to_boolean:
        return boolean(truth(a));
      default:
        refuse("uses log2 or sqrt");
    }
  }

  const search::ExpressionTree& tree_;
  const std::map<std::string, CppType>& types_;
};

}  // namespace

CppExpression cpp_expression(const search::Expression& expression, const std::map<std::string, CppType>& types) {
  return CppWriter(expression.tree(), types).node(expression.tree().root);
}

}  // namespace tuner
