#include "tuner/core/t1/python.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "search/expression/evaluator.hpp"
#include "search/expression/tree.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using search::Link;
using search::Node;
using search::NodeId;
using search::NodeKind;
using search::Sign;

/// How tightly a piece of text holds together; a looser one is put into parentheses.
enum Level : int {
  kConditional,
  kAny,
  kAll,
  kNot,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPower,
  kAtom,
};

struct Piece {
  std::string text;
  Level level = kAtom;
};

std::string at_least(const Piece& piece, int level) {
  return piece.level >= level ? piece.text : "(" + piece.text + ")";
}

Level level_of(Sign sign) {
  constexpr std::pair<Sign, Level> kLevels[] = {
      {Sign::bit_or, kBitOr},      {Sign::bit_xor, kBitXor}, {Sign::bit_and, kBitAnd}, {Sign::shift_left, kShift},
      {Sign::shift_right, kShift}, {Sign::add, kSum},        {Sign::subtract, kSum},   {Sign::power, kPower}};
  for (const auto& [known, level] : kLevels) {
    if (known == sign) return level;
  }
  return kProduct;
}

const search::Parameter* find_parameter(const Task& task, std::string_view name) {
  for (const search::Parameter& parameter : task.space().parameters()) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool has_named_values(const Task& task, const search::Parameter& parameter) {
  const auto& all = task.description().parameters;
  return std::any_of(all.begin(), all.end(), [&](const ParameterDescription& described) {
    return described.parameter.name == parameter.name && has_named_values(described);
  });
}

bool is_device_name(const DeviceInfo& device, const std::string& name) {
  search::Scope scope;
  device.define_names(scope);
  return scope.knows(name);
}

void collect(const Task& task, const search::ExpressionTree& tree, NodeId root, std::set<std::string>& parameters,
             bool& uses_device, int depth) {
  constexpr int kMostDepth = 100;
  for (const std::uint32_t index : search::names_used(tree, root)) {
    const std::string& name = tree.names[index];
    if (find_parameter(task, name) != nullptr) {
      parameters.insert(name);
      continue;
    }
    const search::Scope::Meaning meaning = task.space().constants().find(name);
    if (meaning.let != nullptr && depth < kMostDepth) {
      collect(task, meaning.let->tree(), meaning.let->tree().root, parameters, uses_device, depth + 1);
    } else if (is_device_name(task.device(), name)) {
      uses_device = true;
    }
  }
}

}  // namespace

/// Walks over one expression.
class PythonWriter {
 public:
  PythonWriter(PythonSpelling& spelling, const search::ExpressionTree& tree, int depth)
      : spelling_(spelling), task_(spelling.task_), tree_(tree), depth_(depth) {
    constexpr int kMostDepth = 100;
    if (depth > kMostDepth) throw Error(Errc::bad_description, "the lets of this expression are nested too deeply");
  }

  /// `compared` is the parameter with named values that the piece is compared with, if it is.
  Piece write(NodeId id, const search::Parameter* compared = nullptr) {
    const Node& node = tree_.nodes[id];
    bool uses_device = false;
    std::set<std::string> parameters;
    collect(task_, tree_, id, parameters, uses_device, 0);
    if (parameters.empty() && node.kind != NodeKind::list) {
      if (const auto constant = computed(id)) {
        spelling_.used_device_ = spelling_.used_device_ || uses_device;
        return literal(*constant, compared);
      }
    }
    switch (node.kind) {
      case NodeKind::literal:
        return literal(tree_.literals[node.index], compared);
      case NodeKind::name:
        return name(tree_.names[node.index]);
      case NodeKind::unary:
        return unary(node);
      case NodeKind::chain:
        return chain(node);
      case NodeKind::comparison:
        return comparison(node);
      case NodeKind::all:
        return joined(node, " and ", kAll);
      case NodeKind::any:
        return joined(node, " or ", kAny);
      case NodeKind::conditional:
        return {fmt::format("{} if {} else {}", at_least(write(operand(node, 1), compared), kAny),
                            at_least(write(operand(node, 0)), kAny), at_least(write(operand(node, 2), compared), kAny)),
                kConditional};
      case NodeKind::list:
        return list(node, compared);
      case NodeKind::call:
        return call(node);
      case NodeKind::size_of:
        return size_of(tree_.names[node.index]);
    }
    return {};
  }

 private:
  NodeId operand(const Node& node, std::uint32_t index) const { return tree_.links[node.first + index].node; }
  const Link& link(const Node& node, std::uint32_t index) const { return tree_.links[node.first + index]; }

  std::optional<search::Value> computed(NodeId id) const {
    try {
      return search::evaluate(tree_, id, task_.space().constants()).value();
    } catch (const Error&) {
      return std::nullopt;  // Python will not come by there either, or fail as well
    }
  }

  static Piece literal(const search::Value& value, const search::Parameter* compared) {
    if (value.is_name() && compared != nullptr) return {python_literal(compared->name + "_" + value.as_name())};
    const std::string text = python_literal(value);
    return {text, text.starts_with('-') ? kUnary : kAtom};
  }

  Piece name(const std::string& name) {
    if (find_parameter(task_, name) != nullptr) return {name};
    const search::Scope::Meaning meaning = task_.space().constants().find(name);
    if (meaning.let == nullptr) return {name};
    return PythonWriter(spelling_, meaning.let->tree(), depth_ + 1).write(meaning.let->tree().root);
  }

  Piece unary(const Node& node) {
    const Piece inner = write(operand(node, 0));
    if (node.sign == Sign::logical_not || node.sign == Sign::bang) return {"not " + at_least(inner, kNot), kNot};
    return {std::string(search::spelling(node.sign)) + at_least(inner, kUnary), kUnary};
  }

  /// The operands one after the other, with `between(i)` before all but the first, in parentheses where they bind less
  /// than `first` and, behind it, `next` says.
  template <typename Between>
  std::string operands(const Node& node, int first, int next, const search::Parameter* compared, Between between) {
    std::string text;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      if (i > 0) text += between(i);
      text += at_least(write(operand(node, i), compared), i == 0 ? first : next);
    }
    return text;
  }

  Piece chain(const Node& node) {
    const Level level = level_of(link(node, 1).sign);
    if (level == kPower) return {operands(node, kAtom, kUnary, nullptr, [](std::uint32_t) { return "**"; }), level};
    return {operands(node, level, level + 1, nullptr, [&](std::uint32_t i) { return spaced_sign(node, i); }), level};
  }

  std::string spaced_sign(const Node& node, std::uint32_t index) const {
    return fmt::format(" {} ", search::spelling(link(node, index).sign));
  }

  /// The parameter whose named values the names of a comparison are.
  const search::Parameter* named_parameter(const Node& node) const {
    const search::Parameter* found = nullptr;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      for (const std::uint32_t index : search::names_used(tree_, operand(node, i))) {
        const search::Parameter* parameter = find_parameter(task_, tree_.names[index]);
        if (parameter == nullptr || !has_named_values(task_, *parameter)) continue;
        if (found != nullptr && found != parameter) {
          throw Error(
              Errc::bad_description,
              fmt::format("`{}` compares the named values of two parameters, which T1 cannot express", tree_.text));
        }
        found = parameter;
      }
    }
    return found;
  }

  Piece comparison(const Node& node) {
    const auto sign = [&](std::uint32_t i) { return spaced_sign(node, i); };
    return {operands(node, kBitOr, kBitOr, named_parameter(node), sign), kComparison};
  }

  Piece joined(const Node& node, const char* word, Level level) {
    return {operands(node, level + 1, level + 1, nullptr, [word](std::uint32_t) { return word; }), level};
  }

  Piece list(const Node& node, const search::Parameter* compared) {
    const auto comma = [](std::uint32_t) { return ", "; };
    return {"[" + operands(node, kConditional, kConditional, compared, comma) + "]"};
  }

  Piece call(const Node& node) {
    std::vector<Piece> arguments;
    for (std::uint32_t i = 0; i < node.count; ++i) arguments.push_back(write(operand(node, i)));
    const Piece& a = arguments.front();
    switch (node.function) {
      case search::Function::ceil_div:
        return {fmt::format("-(-{} // {})", at_least(a, kUnary), at_least(arguments[1], kUnary)), kUnary};
      case search::Function::round_up:
        return {fmt::format("-(-{} // {}) * {}", at_least(a, kUnary), at_least(arguments[1], kUnary),
                            at_least(arguments[1], kUnary)),
                kProduct};
      case search::Function::is_pow2:
        return {fmt::format("{} > 0 and {} & {} - 1 == 0", at_least(a, kBitOr), at_least(a, kBitAnd + 1),
                            at_least(a, kSum)),
                kAll};
      case search::Function::sqrt:
        return {at_least(a, kAtom) + "**0.5", kPower};
      case search::Function::floor:
        return {fmt::format("int({} // 1)", at_least(a, kProduct))};
      case search::Function::ceil:
        return {fmt::format("-int(-{} // 1)", at_least(a, kUnary)), kUnary};
      case search::Function::min:
      case search::Function::max:
        if (arguments.size() == 1) return a;
        break;
      case search::Function::log2:
      case search::Function::next_pow2:
        spelling_.unknown_functions_.insert(function_name(node.function));
        break;
      default:
        break;
    }
    std::string text = function_name(node.function) + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + arguments[i].text;
    return {text + ")"};
  }

  static std::string function_name(search::Function function) {
    for (const std::string& name : search::function_names()) {
      const search::FunctionInfo* info = search::find_function(name);
      if (info != nullptr && info->function == function) return name;
    }
    return {};
  }

  /// Of a parameter whose values are types: by value.
  Piece size_of(const std::string& name) {
    const search::Parameter* parameter = find_parameter(task_, name);
    if (parameter == nullptr) throw Error(Errc::bad_description, fmt::format("sizeof({}) cannot be computed", name));
    std::string text;
    for (std::size_t i = 0; i < parameter->values.size(); ++i) {
      const search::Value& value = parameter->values[i];
      const std::size_t size = value.is_name() ? search::size_of_type(value.as_name()) : 0;
      if (size == 0) throw Error(Errc::bad_description, fmt::format("sizeof({}) cannot be computed", name));
      text += i + 1 < parameter->values.size() ? fmt::format("{} if {} == {} else ", size, name, python_literal(value))
                                               : std::to_string(size);
    }
    return {text, parameter->values.size() > 1 ? kConditional : kAtom};
  }

  PythonSpelling& spelling_;
  const Task& task_;
  const search::ExpressionTree& tree_;
  int depth_;
};

std::string PythonSpelling::text(const search::Expression& expression) {
  return PythonWriter(*this, expression.tree(), 0).write(expression.tree().root).text;
}

std::set<std::string> PythonSpelling::parameters(const search::Expression& expression) const {
  std::set<std::string> names;
  bool ignored = false;
  collect(task_, expression.tree(), expression.tree().root, names, ignored, 0);
  return names;
}

bool has_named_values(const ParameterDescription& described) {
  const auto& values = described.parameter.values;
  return described.form != ParameterForm::text && described.form != ParameterForm::option &&
         std::any_of(values.begin(), values.end(),
                     [](const search::Value& value) { return value.is_name() && !shape_of_type(value.as_name()); });
}

std::string python_literal(const search::Value& value) {
  if (value.is_boolean()) return value.as_boolean() ? "True" : "False";
  if (!value.is_name()) return value.text();
  std::string text = "'";
  for (const char c : value.as_name()) text += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return text + "'";
}

}  // namespace tuner
