#include "tuner/core/skeleton/host_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

using Kind = HostExpression::Kind;

constexpr int kDeepest = 64;
constexpr std::size_t kMostTokens = 1024;  // what is longer says nothing of sizes

/// Operators by how tightly they bind, loosest first.
constexpr std::array<std::array<std::string_view, 4>, 8> kLevels{
    {{"||"}, {"&&"}, {"|", "^", "&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}};
constexpr std::array<std::string_view, 19> kOperators{
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "::", "+", "-", "*", "/", "%", "<", ">", "&", "|"};

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (std::string_view(" \t\r\n\v\f").find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (is_word_character(text[at])) {
      const bool is_number = is_digit(text[at]), is_hexadecimal = text.substr(at, 2) == "0x";
      const auto goes_on = [&](char c) {
        const bool is_exponent = !is_hexadecimal && (text[end - 1] == 'e' || text[end - 1] == 'E');
        return is_word_character(c) || (is_number && (c == '.' || (is_exponent && (c == '+' || c == '-'))));
      };
      while (end < text.size() && goes_on(text[end])) ++end;
    } else {
      for (const std::string_view symbol : kOperators) {
        if (symbol.size() == 2 && text.substr(at, 2) == symbol) end = at + 2;
      }
    }
    tokens.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

class HostExpressionReader {
 public:
  explicit HostExpressionReader(std::string_view text) : tokens_(tokens_of(text)) {}

  std::optional<HostExpression> read() {
    if (tokens_.size() > kMostTokens) return std::nullopt;
    auto result = conditional();
    if (at_ != tokens_.size()) return std::nullopt;
    return result;
  }

 private:
  std::string_view token(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? std::string_view(tokens_[at_ + ahead]) : std::string_view();
  }
  bool take(std::string_view wanted) {
    if (token() != wanted) return false;
    ++at_;
    return true;
  }

  std::optional<HostExpression> conditional() {
    if (++depth_ > kDeepest) return std::nullopt;
    auto condition = level(0);
    if (condition && take("?")) {
      auto yes = conditional();
      if (!yes || !take(":")) return std::nullopt;
      auto no = conditional();
      if (!no) return std::nullopt;
      condition = HostExpression{Kind::operation, "?", {*condition, *yes, *no}};
    }
    --depth_;
    return condition;
  }

  std::optional<HostExpression> level(std::size_t number) {
    if (number == kLevels.size()) return unary();
    auto left = level(number + 1);
    while (left) {
      const auto& operators = kLevels[number];
      const std::string symbol(token());
      if (symbol.empty() || std::find(operators.begin(), operators.end(), symbol) == operators.end()) break;
      ++at_;
      auto right = level(number + 1);
      if (!right) return std::nullopt;
      left = HostExpression{Kind::operation, symbol, {*std::move(left), *std::move(right)}};
    }
    return left;
  }

  /// Whether a parenthesis begins a cast: types only up to its end.
  bool skip_cast() {
    std::size_t ahead = 1;
    std::string type;
    for (; !token(ahead).empty() && token(ahead) != ")"; ++ahead) {
      if (token(ahead) == "std" || token(ahead) == "::" || token(ahead) == "const") continue;
      type += (type.empty() ? "" : " ") + std::string(token(ahead));
    }
    if (token(ahead) != ")" || !shape_of_type(type) || token(ahead + 1).empty()) return false;
    at_ += ahead + 1;
    return true;
  }

  /// `sizeof(unsigned int)`, `sizeof *p`: its operand.
  std::optional<HostExpression> size_operand() {
    ++at_;
    std::string type;
    std::size_t ahead = 1;
    for (; token() == "(" && !token(ahead).empty() && token(ahead) != ")"; ++ahead) {
      type += (type.empty() ? "" : " ") + std::string(token(ahead));
    }
    if (!shape_of_type(type)) return unary();
    at_ += ahead + 1;
    return HostExpression{Kind::name, type, {}};
  }

  std::optional<HostExpression> unary() {
    if (++depth_ > kDeepest) return std::nullopt;
    std::optional<HostExpression> result;
    if (token() == "-" || token() == "!" || token() == "~" || token() == "+" || token() == "&" || token() == "*") {
      const std::string symbol(token());
      ++at_;
      if (const auto operand = unary()) result = {Kind::operation, symbol, {*operand}};
    } else if (token() == "(" && skip_cast()) {
      result = unary();
    } else if (take("(")) {
      result = conditional();
      if (!take(")")) result.reset();
    } else if (token() == "sizeof") {
      if (const auto of = size_operand()) result = {Kind::call, "sizeof", {*of}};
    } else if (token() == "static_cast" && token(1) == "<") {
      while (!token().empty() && token() != ">") ++at_;
      if (take(">")) result = unary();
    } else if (!token().empty() && is_digit(token().front())) {
      result = {Kind::number, std::string(token()), {}};
      ++at_;
    } else if (!token().empty() && is_word_character(token().front())) {
      result = name();
    }
    --depth_;
    return result;
  }

  std::optional<HostExpression> name() {
    HostExpression result{Kind::name, std::string(token()), {}};
    ++at_;
    for (;;) {
      if (token() == "::" || token() == "." || token() == "->") {
        result.text += token() == "::" ? "::" : ".";
        ++at_;
        result.text += token();
        ++at_;
      } else if (token() == "[") {
        ++at_;
        const auto index = conditional();
        if (!index || !take("]")) return std::nullopt;
        result.kind = Kind::element;
        result.operands.push_back(*index);
      } else if (token() == "(" || token() == "{") {
        const std::string_view close = token() == "(" ? ")" : "}";
        ++at_;
        result.kind = Kind::call;
        while (!take(close)) {
          const auto operand = conditional();
          if (!operand) return std::nullopt;
          result.operands.push_back(*operand);
          if (!take(",") && token() != close) return std::nullopt;
        }
        if (result.operands.size() == 1 && shape_of_type(result.text)) return HostExpression(result.operands[0]);
      } else {
        return result;
      }
    }
  }

  std::vector<std::string> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// `(a + b - 1) / b` and `(a + 255) / 256`: a.
std::optional<HostExpression> rounded_up(const HostExpression& dividend, const HostExpression& divisor,
                                         const std::function<std::string(const HostExpression&)>& text) {
  if (dividend.kind != Kind::operation || dividend.operands.size() != 2) return std::nullopt;
  const HostExpression &left = dividend.operands[0], &right = dividend.operands[1];
  const auto is_one = [](const HostExpression& e) { return e.kind == Kind::number && e.text == "1"; };
  if (dividend.text == "-" && is_one(right) && left.kind == Kind::operation && left.text == "+") {
    if (text(left.operands[1]) == text(divisor)) return left.operands[0];
    if (text(left.operands[0]) == text(divisor)) return left.operands[1];
  }
  if (dividend.text != "+") return std::nullopt;
  const bool is_less_one = right.kind == Kind::operation && right.text == "-" && right.operands.size() == 2 &&
                           is_one(right.operands[1]) && text(right.operands[0]) == text(divisor);
  const auto rest = integer_of(right), whole = integer_of(divisor);
  if (is_less_one || (rest && whole && *rest == *whole - 1)) return left;
  return std::nullopt;
}

/// What a call computes that divides and rounds up: `div_up(n, 256)`, `ceil(n / 256.0)`; its dividend and divisor.
std::optional<HostExpression> division_of(const HostExpression& call) {
  static constexpr std::array<std::string_view, 9> kNames{"ceildiv", "divceil",  "divup",      "idivup",    "cdiv",
                                                          "updiv",   "divideup", "divroundup", "roundupdiv"};
  const std::string name = folded(call.text.substr(call.text.rfind(':') + 1));  // npos + 1 is 0
  if (call.operands.size() == 2 && std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return call;
  const bool is_ceil = (name == "ceil" || name == "ceilf") && call.operands.size() == 1;
  if (!is_ceil || call.operands[0].kind != Kind::operation || call.operands[0].text != "/") return std::nullopt;
  HostExpression division = call.operands[0];
  std::string& divisor = division.operands[1].text;
  if (division.operands[1].kind == Kind::number) {
    if (divisor.ends_with('f')) divisor.pop_back();
    if (divisor.ends_with(".0")) divisor.resize(divisor.size() - 2);
  }
  return division;
}

bool is_comparison(const HostExpression& expression) {
  const std::string& symbol = expression.text;
  return symbol == "==" || symbol == "!=" || symbol == "<" || symbol == "<=" || symbol == ">" || symbol == ">=";
}

}  // namespace

std::size_t parts_of(const HostExpression& expression) {
  std::size_t parts = 1;
  for (const HostExpression& operand : expression.operands) parts += parts_of(operand);
  return parts;
}

std::set<std::string> names_in(const HostExpression& expression) {
  std::set<std::string> names;
  if (expression.kind == Kind::name) names.insert(expression.text);
  for (const HostExpression& operand : expression.operands) names.merge(names_in(operand));
  return names;
}

HostExpression with_values(HostExpression expression, const std::vector<std::string>& names,
                           const std::vector<HostExpression>& values) {
  const auto found = std::find(names.begin(), names.end(), expression.text);
  const auto number = static_cast<std::size_t>(found - names.begin());
  if (expression.kind == Kind::name && number < values.size()) return values[number];
  for (HostExpression& operand : expression.operands) operand = with_values(std::move(operand), names, values);
  return expression;
}

std::optional<HostExpression> parse_host_expression(std::string_view text) {
  return HostExpressionReader(text).read();
}

std::optional<std::int64_t> integer_of(const HostExpression& expression,
                                       const std::function<std::optional<std::int64_t>(const std::string&)>& value_of) {
  if (expression.kind == Kind::name) return value_of(expression.text);
  if (expression.kind == Kind::number) {
    std::string_view text = expression.text;
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (is_hexadecimal) text.remove_prefix(2);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  if (expression.kind != Kind::operation || expression.operands.size() != 2) return std::nullopt;
  const auto left = integer_of(expression.operands[0], value_of), right = integer_of(expression.operands[1], value_of);
  if (!left || !right) return std::nullopt;
  std::int64_t result = 0;
  if (expression.text == "+")
    return __builtin_add_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
  if (expression.text == "-")
    return __builtin_sub_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
  if (expression.text == "*")
    return __builtin_mul_overflow(*left, *right, &result) ? std::nullopt : std::optional(result);
  if (*left < 0 || *right <= 0) return std::nullopt;
  if (expression.text == "/") return *left / *right;
  if (expression.text == "%") return *left % *right;
  if (expression.text == "<<" && *right < 32 && *left < (std::int64_t{1} << 30)) return *left << *right;
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const HostExpression& expression) {
  return integer_of(expression, [](const std::string&) { return std::nullopt; });
}

bool is_known_call(const HostExpression& call) {
  const std::string name = call.text.substr(call.text.rfind(':') + 1);  // npos + 1 is 0
  return name == "min" || name == "max" || name == "sizeof" || division_of(call);
}

bool is_factor(const HostExpression& expression) {
  return expression.kind != Kind::operation ||
         (expression.operands.size() == 2 && (expression.text == "*" || expression.text == "/"));
}

std::optional<std::string> described(const HostExpression& expression, const TextOfName& text_of,
                                     const OutermostDivision* outermost) {
  const auto plain = [&](const HostExpression& part) { return described(part, text_of).value_or(""); };
  switch (expression.kind) {
    case Kind::number: {
      const auto value = integer_of(expression);
      if (!value) return std::nullopt;
      return text_of(std::to_string(*value)).value_or(std::to_string(*value));
    }
    case Kind::name:
      return (outermost != nullptr ? outermost->outside : text_of)(expression.text);
    case Kind::element:
      return std::nullopt;
    case Kind::call: {
      std::string name = expression.text;
      if (name.starts_with("std::")) name.erase(0, 5);
      if (name == "sizeof" && expression.operands.size() == 1 && expression.operands[0].kind == Kind::name) {
        const std::string& type = expression.operands[0].text;
        if (const auto other = text_of(type)) return fmt::format("sizeof({})", *other);
        return shape_of_type(type) ? std::optional(fmt::format("sizeof({})", type)) : std::nullopt;
      }
      if (const auto division = division_of(expression)) {
        const HostExpression& by = division->operands[1];
        const bool is_named = outermost != nullptr && is_factor(by);
        const auto left = described(division->operands[0], text_of);
        const auto right = described(by, is_named ? outermost->divisor : text_of);
        if (!left || !right) return std::nullopt;
        return fmt::format("ceil_div({}, {})", *left, *right);
      }
      if ((name != "min" && name != "max") || expression.operands.size() != 2) return std::nullopt;
      const auto left = described(expression.operands[0], text_of, outermost);
      const auto right = described(expression.operands[1], text_of, outermost);
      if (!left || !right) return std::nullopt;
      return fmt::format("{}({}, {})", name, *left, *right);
    }
    case Kind::operation:
      break;
  }
  if (expression.text == "?") {
    const auto condition = described(expression.operands[0], text_of);
    const auto yes = described(expression.operands[1], text_of, outermost);
    const auto no = described(expression.operands[2], text_of, outermost);
    if (!condition || !yes || !no) return std::nullopt;
    return fmt::format("({} if {} else {})", *yes, *condition, *no);
  }
  if (expression.operands.size() != 2) return std::nullopt;
  if (is_comparison(expression)) {
    const auto left = described(expression.operands[0], text_of), right = described(expression.operands[1], text_of);
    if (!left || !right) return std::nullopt;
    return fmt::format("({}) {} ({})", *left, expression.text, *right);
  }
  const HostExpression& divisor = expression.operands[1];
  const bool divides = expression.text == "/";
  const bool is_named = divides && outermost != nullptr && is_factor(divisor);
  if (divides) {
    if (const auto whole = rounded_up(expression.operands[0], divisor, plain)) {
      const auto left = described(*whole, text_of), right = described(divisor, is_named ? outermost->divisor : text_of);
      if (!left || !right) return std::nullopt;
      return fmt::format("ceil_div({}, {})", *left, *right);
    }
  }
  auto left = described(expression.operands[0], text_of, divides ? nullptr : outermost);
  auto right =
      divides ? described(divisor, is_named ? outermost->divisor : text_of) : described(divisor, text_of, outermost);
  if (!left || !right || is_comparison(expression.operands[0]) || is_comparison(divisor)) return std::nullopt;
  const std::string_view symbol = expression.text == "/" ? "//" : std::string_view(expression.text);
  if (symbol != "+" && symbol != "-" && symbol != "*" && symbol != "//" && symbol != "%") return std::nullopt;
  const bool is_sum = symbol == "+" || symbol == "-";
  const auto needs_brackets = [&](const HostExpression& part, bool is_right) {
    if (part.kind != Kind::operation || part.text == "/") return is_right && part.kind == Kind::operation;
    return (!is_sum && (part.text == "+" || part.text == "-")) || (is_right && (symbol == "-" || !is_sum));
  };
  if (needs_brackets(expression.operands[0], false)) left = "(" + *left + ")";
  if (needs_brackets(divisor, true)) right = "(" + *right + ")";
  return fmt::format("{} {} {}", *left, symbol, *right);
}

}  // namespace tuner
