#include "tuner/core/skeleton/helper_calls.hpp"

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

using Kind = HostExpression::Kind;

constexpr int kMostCalls = 64;
constexpr std::size_t kMostParts = 1024;

/// What a call computes of its arguments.
struct Helper {
  std::vector<std::string> parameters;
  HostExpression result;
};

std::optional<Helper> macro_called(const PlainSource& source, std::string_view name) {
  for (const CodeText::Macro& macro : source.code.macros) {
    if (macro.name != name || !macro.body.starts_with('(')) continue;
    const std::size_t closed = skip_brackets(macro.body, 0);
    if (closed == std::string::npos) continue;
    const auto result = parse_host_expression(std::string_view(macro.body).substr(closed));
    if (result) return Helper{comma_parts(std::string_view(macro.body).substr(1, closed - 2)), *result};
  }
  return std::nullopt;
}

/// Of `{ return (a + b - 1) / b; }`.
std::optional<HostExpression> only_return(std::string_view body) {
  if (body.size() < 2) return std::nullopt;
  body = search::trimmed(body.substr(1, body.size() - 2));
  if (!body.starts_with("return ") && !body.starts_with("return(")) return std::nullopt;
  const std::size_t end = body.find(';');
  return end + 1 == body.size() ? parse_host_expression(body.substr(6, end - 6)) : std::nullopt;
}

std::optional<Helper> function_called(const PlainSource& source, std::string_view name) {
  for (const PlainFunction& function : source.functions) {
    if (function.kind == PlainFunction::Kind::kernel || function.head.name != name) continue;
    const auto result = only_return(source.body(function));
    if (!result) continue;
    Helper helper{{}, *result};
    for (const std::string& parameter : function.head.parameters) helper.parameters.push_back(declared_name(parameter));
    return helper;
  }
  return std::nullopt;
}

class Writer {
 public:
  explicit Writer(const PlainSource& source) : source_(source) {}

  HostExpression written_out(HostExpression expression) {
    for (HostExpression& operand : expression.operands) operand = written_out(std::move(operand));
    if (expression.kind != Kind::call || is_known_call(expression) || ++calls_ > kMostCalls) return expression;
    const std::string_view name = std::string_view(expression.text).substr(expression.text.rfind(':') + 1);
    auto helper = macro_called(source_, name);
    if (!helper) helper = function_called(source_, name);
    if (!helper || helper->parameters.size() != expression.operands.size()) return expression;
    HostExpression result = with_values(helper->result, helper->parameters, expression.operands);
    return parts_of(result) > kMostParts ? expression : written_out(std::move(result));
  }

 private:
  const PlainSource& source_;
  int calls_ = 0;
};

}  // namespace

HostExpression with_calls_written_out(const PlainSource& source, const HostExpression& expression) {
  return Writer(source).written_out(expression);
}

}  // namespace tuner
