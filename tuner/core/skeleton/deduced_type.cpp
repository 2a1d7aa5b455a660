#include "tuner/core/skeleton/deduced_type.hpp"

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/skeleton/host_expression.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"

namespace tuner {
namespace {

bool has_template_parameter(const PlainFunction& function, const std::string& name) {
  return std::any_of(function.template_parameters.begin(), function.template_parameters.end(),
                     [&](const std::string& parameter) { return declared_name(parameter) == name; });
}

/// The type in whose declaration the name stands at `at` of the code: of `float *a, *name` too; empty if it is none.
std::string type_before(const PlainSource& source, const PlainFunction& function, std::string_view code,
                        std::size_t at) {
  const std::size_t last = code.substr(0, at).find_last_of(";{}(");
  const std::string_view before = code.substr(last + 1, at - (last + 1));  // npos + 1 is 0
  for (const std::string_view words : {before.substr(before.rfind(',') + 1), before.substr(0, before.find(','))}) {
    const std::string type = without_alias(source, plain_type(words.substr(0, words.find('*')), ""));
    if (shape_of_type(type) || has_template_parameter(function, type) || is_class(source, type)) return type;
  }
  return {};
}

}  // namespace

bool is_class(const PlainSource& source, std::string_view name) {
  const std::string_view code = source.code.code;
  for (std::size_t at = find_word(code, name); !name.empty() && at != std::string_view::npos;
       at = find_word(code, name, at + 1)) {
    const std::string_view before = search::trimmed(code.substr(0, at));
    const std::size_t behind = code.find_first_not_of(" \t\r\n", at + name.size());
    const bool is_defined = behind != std::string_view::npos && (code[behind] == '{' || code[behind] == ':');
    if (is_defined && (before.ends_with("struct") || before.ends_with("class"))) return true;
  }
  return false;
}

std::string deduced_type(const PlainSource& source, const std::string& parameter, const TemplateCall& call) {
  const std::size_t begin = call.caller.begin;
  const std::string_view code = std::string_view(source.code.code).substr(begin, call.at - begin);
  for (std::size_t i = 0; i < std::min(call.declared.size(), call.passed.size()); ++i) {
    if (plain_type(call.declared[i], declared_name(call.declared[i])) != parameter) continue;
    const auto passed = parse_host_expression(call.passed[i]);
    if (passed && passed->kind == HostExpression::Kind::number) {
      if (integer_of(*passed)) return "int";
      return passed->text.ends_with('f') ? "float" : "double";
    }
    if (passed && passed->kind == HostExpression::Kind::call && is_class(source, passed->text)) return passed->text;
    if (!passed || passed->kind != HostExpression::Kind::name) continue;
    for (std::size_t at = find_word(code, passed->text); at != std::string_view::npos;
         at = find_word(code, passed->text, at + 1)) {
      std::string type = type_before(source, call.caller, code, at);
      if (!type.empty()) return type;
    }
  }
  return {};
}

}  // namespace tuner
