#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "search/expression/expression.hpp"
#include "search/expression/messages.hpp"
#include "search/expression/tree.hpp"

namespace tuner::search {
namespace {

constexpr int kMostNesting = 200;
constexpr std::size_t kLongestText = std::size_t{1} << 24;  // offsets and links are counted in 32 bits
constexpr std::uint64_t kLeastNegated = std::uint64_t{1} << 63;

// The binary operators that are evaluated from left to right, from the loosest to the tightest.
constexpr std::array<std::array<Sign, 4>, 6> kLevels{{
    {Sign::bit_or},
    {Sign::bit_xor},
    {Sign::bit_and},
    {Sign::shift_left, Sign::shift_right},
    {Sign::add, Sign::subtract},
    {Sign::multiply, Sign::divide, Sign::floor_divide, Sign::modulo},
}};

bool is_comparison(Sign sign) {
  return sign >= Sign::equal && sign <= Sign::greater_equal;
}

/// Recursive descent, one function a level of precedence. `Nesting` counts every way to go deeper without end.
class Parser {
 public:
  explicit Parser(ExpressionTree& tree) : tree_(tree), lexer_(tree.text) { advance(); }

  NodeId parse() {
    const NodeId root = conditional();
    if (token_.kind != Token::Kind::end) unexpected("an operator or the end");
    return root;
  }

 private:
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser.nesting_ > kMostNesting) parser.fail(fmt::format("nested more than {} levels deep", kMostNesting));
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  void advance() { token_ = lexer_.next(); }
  bool at(Sign sign) const { return token_.kind == Token::Kind::sign && token_.sign == sign; }
  bool take(Sign sign) {
    if (!at(sign)) return false;
    advance();
    return true;
  }
  void expect(Sign sign) {
    if (!take(sign)) unexpected(fmt::format("`{}`", spelling(sign)));
  }
  [[noreturn]] void fail(std::string_view complaint) const { tree_.site(token_.offset).fail(complaint); }
  [[noreturn]] void unexpected(std::string_view wanted) const {
    if (token_.kind == Token::Kind::end) fail(fmt::format("{} is missing at the end", wanted));
    fail(fmt::format("{} is expected, not `{}`", wanted, token_.text.substr(0, 40)));
  }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(token_.offset); }
  Link link(NodeId node) const { return {node, Sign::none, tree_.nodes[node].offset}; }
  /// With the sign that stands here, and no operand yet.
  Link link_of_sign() const { return {.sign = token_.sign, .offset = offset()}; }

  NodeId add(Node node, const std::vector<Link>& operands) {
    node.first = static_cast<std::uint32_t>(tree_.links.size());
    node.count = static_cast<std::uint32_t>(operands.size());
    for (const Link& operand : operands) {
      tree_.links.push_back(operand);
      node.height = std::max(node.height, tree_.nodes[operand.node].height + 1);
    }
    tree_.nodes.push_back(node);
    return static_cast<NodeId>(tree_.nodes.size() - 1);
  }
  NodeId add(NodeKind kind, std::uint32_t at_offset, const std::vector<Link>& operands) {
    return add({.kind = kind, .offset = at_offset}, operands);
  }

  NodeId literal(Value value, std::uint32_t at_offset) {
    tree_.literals.push_back(std::move(value));
    return add({.offset = at_offset, .index = static_cast<std::uint32_t>(tree_.literals.size() - 1)}, {});
  }

  NodeId name(NodeKind kind, std::string_view text, std::uint32_t at_offset) {
    const auto [known, added] = name_indices_.try_emplace(std::string(text), tree_.names.size());
    if (added) {
      tree_.names.emplace_back(text);
      tree_.name_offsets.push_back(at_offset);
    }
    return add({.kind = kind, .offset = at_offset, .index = known->second}, {});
  }

  NodeId conditional() {
    const Nesting nesting(*this);
    const std::uint32_t start = offset();
    const NodeId first = joined(NodeKind::any);
    if (take(Sign::question)) {
      const NodeId yes = conditional();
      expect(Sign::colon);
      const NodeId no = conditional();
      return add(NodeKind::conditional, start, {link(first), link(yes), link(no)});
    }
    if (take(Sign::word_if)) {
      const NodeId condition = joined(NodeKind::any);
      expect(Sign::word_else);
      const NodeId no = conditional();
      return add(NodeKind::conditional, start, {link(condition), link(first), link(no)});
    }
    return first;
  }

  /// a or b or c, and one level below: a and b and c.
  NodeId joined(NodeKind kind) {
    const Sign sign = kind == NodeKind::any ? Sign::logical_or : Sign::logical_and;
    const auto operand = [&] { return kind == NodeKind::any ? joined(NodeKind::all) : negation(); };
    const std::uint32_t start = offset();
    const NodeId first = operand();
    if (!at(sign)) return first;
    std::vector<Link> operands{link(first)};
    while (take(sign)) operands.push_back(link(operand()));
    return add(kind, start, operands);
  }

  NodeId negation() {
    if (!at(Sign::logical_not)) return comparison();
    const Nesting nesting(*this);
    const std::uint32_t start = offset();
    advance();
    return unary(Sign::logical_not, start, negation());
  }

  NodeId unary(Sign sign, std::uint32_t start, NodeId operand) {
    return add({.kind = NodeKind::unary, .sign = sign, .offset = start}, {link(operand)});
  }

  NodeId comparison() {
    const std::uint32_t start = offset();
    const NodeId first = binary(0);
    std::vector<Link> operands;
    bool closed = false;  // by `in`, whose list cannot be compared further
    while (token_.kind == Token::Kind::sign) {
      Link next = link_of_sign();
      const bool membership = at(Sign::in) || at(Sign::logical_not);
      if (!membership && !is_comparison(token_.sign)) break;
      if (closed) fail("a comparison cannot follow `in (..)`; put parentheses around one of them");
      if (take(Sign::logical_not)) {
        next.sign = Sign::not_in;
        expect(Sign::in);
      } else {
        advance();
      }
      next.node = membership ? list() : binary(0);
      closed = membership;
      if (operands.empty()) operands.push_back(link(first));
      operands.push_back(next);
    }
    return operands.empty() ? first : add(NodeKind::comparison, start, operands);
  }

  NodeId list() {
    const std::uint32_t start = offset();
    const Sign close = at(Sign::open_square) ? Sign::close_square : Sign::close_round;
    if (!at(Sign::open_round) && !at(Sign::open_square)) unexpected("a list such as (1, 2, 4)");
    advance();
    std::vector<Link> operands;
    while (!at(close)) {
      operands.push_back(link(conditional()));
      if (!take(Sign::comma) && !at(close)) unexpected(fmt::format("`,` or `{}`", spelling(close)));
    }
    advance();
    return add(NodeKind::list, start, operands);
  }

  NodeId binary(std::size_t level) {
    if (level == kLevels.size()) return prefixed();
    const auto here = [&] {
      const auto& signs = kLevels[level];
      return token_.kind == Token::Kind::sign && token_.sign != Sign::none &&
             std::find(signs.begin(), signs.end(), token_.sign) != signs.end();
    };
    const std::uint32_t start = offset();
    const NodeId first = binary(level + 1);
    if (!here()) return first;
    std::vector<Link> operands{link(first)};
    while (here()) {
      Link& next = operands.emplace_back(link_of_sign());
      advance();
      next.node = binary(level + 1);
    }
    return add(NodeKind::chain, start, operands);
  }

  NodeId prefixed() {
    if (!at(Sign::subtract) && !at(Sign::add) && !at(Sign::bit_not) && !at(Sign::bang)) return powered(primary());
    const Nesting nesting(*this);
    const Sign sign = token_.sign;
    const std::uint32_t start = offset();
    advance();
    if (sign == Sign::subtract && token_.kind == Token::Kind::integer && token_.magnitude == kLeastNegated) {
      // The least integer has no positive counterpart: its sign belongs to the literal.
      const Token digits = token_;
      advance();
      if (at(Sign::power)) too_large(digits);
      return literal(Value(std::numeric_limits<std::int64_t>::min()), start);
    }
    return unary(sign, start, prefixed());
  }

  NodeId powered(NodeId base) {
    if (!at(Sign::power)) return base;
    const Nesting nesting(*this);
    Link exponent = link_of_sign();
    advance();
    exponent.node = prefixed();
    return add(NodeKind::chain, tree_.nodes[base].offset, {link(base), exponent});
  }

  [[noreturn]] void too_large(const Token& digits) const {
    tree_.site(digits.offset).fail(fmt::format("the integer `{}` does not fit in 64 bits", digits.text));
  }

  NodeId primary() {
    const Token token = token_;
    const auto start = static_cast<std::uint32_t>(token.offset);
    if (take(Sign::open_round)) {
      const NodeId inner = conditional();
      if (at(Sign::comma)) fail("a list is allowed only after `in` or as a function's arguments");
      expect(Sign::close_round);
      return inner;
    }
    if (at(Sign::open_square)) fail("a list is allowed only after `in`");
    if (token.kind == Token::Kind::sign || token.kind == Token::Kind::end) unexpected("a value");
    advance();
    switch (token.kind) {
      case Token::Kind::integer:
        if (token.magnitude == kLeastNegated) too_large(token);
        return literal(Value(static_cast<std::int64_t>(token.magnitude)), start);
      case Token::Kind::real:
        return literal(Value(token.real), start);
      case Token::Kind::boolean:
        return literal(Value(token.magnitude != 0), start);
      case Token::Kind::quotation:
        return literal(Value(token.quoted), start);
      default:
        break;
    }
    if (!take(Sign::open_round)) return name(NodeKind::name, token.text, start);
    return token.text == "sizeof" ? size_of(token) : called(token);
  }

  NodeId called(const Token& token) {
    const ExpressionSite site = tree_.site(token.offset);
    const FunctionInfo* info = find_function(token.text);
    if (info == nullptr) {
      site.fail(fmt::format("there is no function `{}`{}", token.text, suggestion(token.text, function_names())));
    }
    std::vector<Link> arguments;
    while (!at(Sign::close_round)) {
      arguments.push_back(link(conditional()));
      if (!take(Sign::comma) && !at(Sign::close_round)) unexpected("`,` or `)`");
    }
    advance();
    if (arguments.size() < info->least_arguments || arguments.size() > info->most_arguments) {
      site.fail(fmt::format("{} takes {}{} argument{}, not {}", info->name,
                            info->most_arguments == kAnyNumber ? "at least " : "", info->least_arguments,
                            info->least_arguments == 1 ? "" : "s", arguments.size()));
    }
    const auto start = static_cast<std::uint32_t>(token.offset);
    return add({.kind = NodeKind::call, .function = info->function, .offset = start}, arguments);
  }

  /// A type of one or several words, or a name that stands for one.
  NodeId size_of(const Token& token) {
    const auto start = static_cast<std::uint32_t>(token_.offset);
    const bool quoted = token_.kind == Token::Kind::quotation;
    std::string type = quoted ? token_.quoted : std::string(token_.text);
    if (!quoted && token_.kind != Token::Kind::name) unexpected("a type such as `float`");
    advance();
    bool one_word = !quoted;
    while (!quoted && token_.kind == Token::Kind::name) {
      type += ' ';
      type += token_.text;
      one_word = false;
      advance();
    }
    expect(Sign::close_round);
    const std::size_t size = size_of_type(type);
    if (size > 0) return literal(Value(static_cast<std::int64_t>(size)), static_cast<std::uint32_t>(token.offset));
    if (!one_word)
      tree_.site(start).fail("sizeof needs an element type such as `float`, or a name that stands for one");
    return name(NodeKind::size_of, type, start);
  }

  ExpressionTree& tree_;
  Lexer lexer_;
  Token token_;
  std::map<std::string, std::uint32_t> name_indices_;
  int nesting_ = 0;
};

}  // namespace

ExpressionTree parse_tree(std::string_view text) {
  ExpressionTree tree;
  tree.text = text;
  if (text.size() > kLongestText) tree.site(0).fail("the expression is longer than 16 MiB");
  tree.root = Parser(tree).parse();
  return tree;
}

}  // namespace tuner::search
