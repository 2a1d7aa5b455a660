// Which sizes the indices in a kernel's body reach.
#include <algorithm>
#include <functional>
#include <utility>

#include "tuner/core/skeleton/kernel_use.hpp"

namespace tuner {
namespace {

using Kind = HostExpression::Kind;

/// How many times a name is added up in an expression: 4 of `i * 4 + 1`. 0 if it is no term, or is multiplied with
/// others.
std::int64_t times_in(const HostExpression& expression, const std::string& name) {
  if (expression.kind == Kind::name) return expression.text == name ? 1 : 0;
  if (expression.kind != Kind::operation) return 0;
  if (expression.operands.size() == 1) return times_in(expression.operands[0], name);  // ++i < n
  const HostExpression &left = expression.operands[0], &right = expression.operands[1];
  if (expression.text == "+" || expression.text == "-") return std::max(times_in(left, name), times_in(right, name));
  if (expression.text != "*") return 0;
  const auto before = integer_of(left), behind = integer_of(right);
  const std::int64_t factor = before ? *before : behind.value_or(0);
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  return factor < 1 || factor > kMost ? 0 : std::min(kMost, factor * times_in(before ? right : left, name));
}

/// Whether the number of a product is greater, so that a step of the index covers what is added: `i * 4 + 3`.
bool covers(const HostExpression& product, const HostExpression& added) {
  const auto number = integer_of(added);
  if (!number || product.kind != Kind::operation || product.text != "*") return false;
  return std::any_of(product.operands.begin(), product.operands.end(),
                     [&](const HostExpression& factor) { return integer_of(factor).value_or(0) > *number; });
}

}  // namespace

bool KernelUse::has_size(const HostExpression& expression) const {
  const std::set<std::string> names = names_in(expression);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return sizes_.contains(name); });
}

/// What `name` is compared with in a part of the body.
Reach KernelUse::bounds_between(const std::string& name, std::size_t begin, std::size_t end, Known& known) const {
  Reach result;
  const auto bound = [&](const HostExpression& index, const HostExpression& size, std::size_t at) {
    const std::int64_t times = times_in(index, name);
    if (times > 0 && has_size(size) && !has_size(index)) merge(result, bounded(greatest({size, at}, known), times));
  };
  for (const auto& [left, right, at] : compared_) {
    if (at < begin || at >= end) continue;
    bound(left, right, at);
    bound(right, left, at);
  }
  return result;
}

Reach KernelUse::greatest_of_name(const std::string& name, std::size_t at, Known& known) const {
  if (sizes_.contains(name)) return reach_of_size(name);
  if (name.starts_with("blockIdx.")) {
    const auto extent = extent_of(name);
    return extent ? reach_of_extent(*extent) : reach_of_number(1);
  }
  const auto [place, is_new] = known.emplace(name, reach_of_number(1));
  if (!is_new) return place->second;
  // A variable that is set anew, as `x` of a transpose, is bounded anew.
  std::size_t set = 0, set_next = body_.size();
  const auto [begin, end] = assigned_.equal_range(name);
  for (auto found = begin; found != end; ++found) {
    if (names_in(found->second.expression).contains(name)) continue;
    if (found->second.at <= at)
      set = found->second.at;
    else
      set_next = std::min(set_next, found->second.at);
  }
  Reach result = bounds_between(name, set, set_next, known);
  if (result.empty()) result = bounds_between(name, 0, body_.size(), known);
  if (result.empty()) {
    for (auto found = begin; found != end; ++found) merge(result, greatest(found->second, known));
  }
  if (result.empty()) result = reach_of_number(1);
  known[name] = result;
  return result;
}

Reach KernelUse::greatest(const ElementIndex& index, Known& known) const {
  const HostExpression& expression = index.expression;
  if (const auto number = integer_of(expression)) return reach_of_number(*number);
  if (expression.kind == Kind::name) return greatest_of_name(expression.text, index.at, known);
  if (expression.kind == Kind::element) return reach_of_number(1);
  if (expression.kind == Kind::operation && expression.operands.size() == 2) return greatest_of_operation(index, known);
  Reach result = reach_of_number(1);
  for (const HostExpression& operand : expression.operands) merge(result, greatest({operand, index.at}, known));
  return result;
}

Reach KernelUse::greatest_of_operation(const ElementIndex& index, Known& known) const {
  const std::string& symbol = index.expression.text;
  const HostExpression &left = index.expression.operands[0], &right = index.expression.operands[1];
  const Reach second = greatest({right, index.at}, known);
  if (symbol == "%") return second;
  Reach first = greatest({left, index.at}, known);
  const auto number = integer_of(right);
  if (symbol == "*") return product(first, second);
  if (symbol == "/") return number ? quotient(std::move(first), *number) : first;
  if (symbol == "<<" && number && *number >= 0 && *number < 20)
    return product(first, reach_of_number(std::int64_t{1} << *number));
  if (symbol == ">>" && number && *number >= 0 && *number < 20)
    return quotient(std::move(first), std::int64_t{1} << *number);
  if (symbol == "+") return sum(std::move(first), second);
  merge(first, second);
  return first;
}

std::optional<std::string> KernelUse::extent_of(const std::string& block_index) const {
  // The index itself, and what is computed from it and is compared with a size. Of several sizes the given one.
  const auto given = extents_.find(block_index);
  std::optional<std::string> first;
  std::set<std::string> computed{block_index};
  for (const auto& [name, value] : assigned_) {
    if (names_in(value.expression).contains(block_index)) computed.insert(name);
  }
  for (const auto& [left, right, at] : compared_) {
    for (const auto& [index, bound] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      if (bound->kind != Kind::name || !sizes_.contains(bound->text)) continue;
      const std::set<std::string> names = names_in(*index);
      const bool is_computed =
          std::any_of(names.begin(), names.end(), [&](auto& name) { return computed.contains(name); });
      if (!is_computed) continue;
      if (given != extents_.end() && given->second == bound->text) return bound->text;
      if (!first) first = bound->text;
    }
  }
  if (first || given == extents_.end()) return first;
  return given->second;
}

/// What `name` is multiplied with in an expression, sizes left out.
std::optional<HostExpression> KernelUse::factor(const HostExpression& expression, const std::string& name) const {
  if (expression.kind == Kind::name && expression.text == name) return HostExpression{Kind::number, "1", {}};
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    auto inner = factor(expression.operands[i], name);
    if (!inner) continue;
    const bool is_product =
        expression.kind == Kind::operation && expression.text == "*" && expression.operands.size() == 2;
    if (!is_product || has_size(expression.operands[1 - i])) return inner;
    if (inner->text == "1") return expression.operands[1 - i];
    return HostExpression{Kind::operation, "*", {*inner, expression.operands[1 - i]}};
  }
  return std::nullopt;
}

std::optional<HostExpression> KernelUse::elements_per_block(const std::string& block_index) const {
  std::optional<HostExpression> plain;
  for (const auto& [name, value] : assigned_) {
    const auto found = factor(value.expression, block_index);
    if (found && found->text != "1") return found;
    if (found) plain = found;
  }
  if (!plain && body_.find(block_index) != std::string::npos) plain = HostExpression{Kind::number, "1", {}};
  return plain;
}

bool KernelUse::is_block_index(const HostExpression& index) const {
  if (index.kind != Kind::name) return false;
  if (index.text.starts_with("blockIdx.")) return true;
  const auto [begin, end] = assigned_.equal_range(index.text);
  return begin != end && std::all_of(begin, end, [](const auto& assigned) {
           const HostExpression& value = assigned.second.expression;
           return value.kind == Kind::name && value.text.starts_with("blockIdx.");
         });
}

bool KernelUse::ends_at_quotient() const {
  const auto is_quotient = [&](const HostExpression& index) {
    const auto [begin, end] = assigned_.equal_range(index.text);
    return index.kind == Kind::name && std::any_of(begin, end, [](const auto& assigned) {
             const std::string& symbol = assigned.second.expression.text;
             return assigned.second.expression.kind == Kind::operation && (symbol == "/" || symbol == ">>");
           });
  };
  return std::any_of(compared_.begin(), compared_.end(), [&](const Comparison& sides) {
    return (is_quotient(sides.left) && has_size(sides.right)) || (is_quotient(sides.right) && has_size(sides.left));
  });
}

/// A number, or a name that is neither a size nor a variable.
bool KernelUse::is_constant(const HostExpression& part) const {
  if (part.kind == Kind::number) return part.text != "0";
  return part.kind == Kind::name && part.text.find('.') == std::string::npos && !assigned_.contains(part.text) &&
         !sizes_.contains(part.text);
}

/// Whether an index ends at a size divided by it: `tile < n / TILE`.
bool KernelUse::is_divisor(const std::string& name) const {
  const std::function<bool(const HostExpression&)> divides = [&](const HostExpression& expression) {
    if (expression.kind == Kind::operation && expression.text == "/" && names_in(expression.operands[1]).contains(name))
      return true;
    return std::any_of(expression.operands.begin(), expression.operands.end(), divides);
  };
  return std::any_of(compared_.begin(), compared_.end(),
                     [&](const Comparison& sides) { return divides(sides.left) || divides(sides.right); });
}

/// Whether a factor of an index may make its buffer longer than `length` says: a constant, or a number where blocks
/// stand for their elements.
bool KernelUse::lengthens(const HostExpression& factor, const ElementIndex& other) const {
  if (is_block_index(other.expression)) return false;
  if (factor.kind == Kind::name) return is_constant(factor) && !is_divisor(factor.text);
  Known known;
  const Reach reach = greatest(other, known);
  return integer_of(factor).value_or(1) > 1 &&
         std::any_of(reach.begin(), reach.end(), [](const auto& term) { return term.second.is_extent; });
}

bool KernelUse::reaches_further(const ElementIndex& index) const {
  const HostExpression& expression = index.expression;
  if (expression.kind != Kind::operation || expression.operands.size() != 2) return false;
  const ElementIndex left{expression.operands[0], index.at}, right{expression.operands[1], index.at};
  if (expression.text == "*") return lengthens(left.expression, right) || lengthens(right.expression, left);
  if (expression.text == "-" || covers(left.expression, right.expression)) return reaches_further(left);
  if (expression.text != "+") return false;
  return is_constant(left.expression) || is_constant(right.expression) || reaches_further(left) ||
         reaches_further(right);
}

bool KernelUse::reach_further(const std::vector<ElementIndex>& indices) const {
  return std::any_of(indices.begin(), indices.end(), [&](const ElementIndex& index) { return reaches_further(index); });
}

std::string KernelUse::length(const std::vector<ElementIndex>& indices) const {
  Reach terms;
  for (const ElementIndex& index : indices) {
    Known known;
    merge(terms, greatest(index, known));
  }
  return length_of(terms);
}

}  // namespace tuner
