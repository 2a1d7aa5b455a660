// What the compiler is told about one configuration: macros, options, and the name of the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/parameter_values.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/task_state.hpp"

namespace tuner {
namespace {

std::size_t position(const search::Parameter& parameter, const search::Value& value) {
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
  return static_cast<std::size_t>(found - parameter.values.begin());
}

/// The value as a template argument: a named value as its position in the list.
std::string argument_text(const search::Parameter& parameter, const search::Value& value) {
  if (!value.is_name() || are_types(parameter.values)) return literal(value);
  return std::to_string(position(parameter, value));
}

}  // namespace

/// A number or type as C++ text. Negative numbers are put in parentheses, so that `1-N` stays what it looks like.
std::string literal(const search::Value& value) {
  if (value.is_name()) return compiler_spelling(value.as_name());
  if (value.is_boolean()) return value.as_boolean() ? "1" : "0";
  if (value.is_integer() && value.as_integer() == std::numeric_limits<std::int64_t>::min()) {
    return "(-9223372036854775807 - 1)";  // the number itself is no C++ literal
  }
  const std::string text = value.text();
  return text.starts_with('-') ? "(" + text + ")" : text;
}

search::Value define_value(const KernelDescription& description, const NamedExpression& define,
                           const search::Scope& scope) {
  const std::string place = define.place.line > 0
                                ? fmt::format("{}:{}", description.file.filename().string(), define.place.line)
                                : define.place.file;
  const std::string what = fmt::format("{}: define({})", place, define.name);
  const search::Value value = computed(what, [&] { return define.expression.evaluate(scope); });
  if (value.is_name() && !shape_of_type(value.as_name())) {
    throw Error(Errc::bad_description, fmt::format("{} has the name `{}` as its value, which has no meaning for the "
                                                   "compiler; compare it with == to make it a condition.",
                                                   what, value.as_name()));
  }
  if (value.is_real() && !std::isfinite(value.as_real())) {
    throw Error(Errc::bad_description, fmt::format("{} is not a finite number.", what));
  }
  return value;
}

std::string macro_text(const search::Parameter& parameter, const search::Value& value) {
  const bool is_named = value.is_name() && !are_types(parameter.values);
  return is_named ? parameter.name + "_" + value.as_name() : literal(value);
}

std::vector<Macro> Task::macros(const search::Configuration& configuration) const {
  std::vector<Macro> all = macros(configuration, state_->space.scope(configuration));
  // The reference stands in the same source, which is compiled with its macros whatever is wanted of it.
  if (!state_->description.reference.constants.empty()) {
    for (Macro& constant : reference_constants(state_->space.defaults())) {
      const auto same = [&](const Macro& macro) { return macro.name == constant.name; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(constant));
    }
  }
  return all;
}

/// `scope` knows the values of the configuration, or others in their place.
std::vector<Macro> Task::macros(const search::Configuration& configuration, const search::Scope& scope) const {
  const KernelDescription& description = state_->description;
  std::vector<Macro> macros;
  for (const ProblemProperty& property : description.problem) {
    if (property.kind != ProblemProperty::Kind::constant) continue;
    macros.push_back({property.name, literal(state_->problem.at(property.name))});
  }
  for (std::size_t i = 0; i < description.parameters.size(); ++i) {
    const ParameterDescription& described = description.parameters[i];
    if (described.form == ParameterForm::option) continue;
    const search::Parameter& parameter = described.parameter;
    const search::Value& value = state_->space.value(configuration, i);
    if (described.form == ParameterForm::text) {
      macros.push_back({parameter.name, value.as_name()});
      continue;
    }
    if (value.is_name() && !are_types(parameter.values)) {
      for (std::size_t v = 0; v < parameter.values.size(); ++v) {
        macros.push_back({parameter.name + "_" + parameter.values[v].as_name(), std::to_string(v)});
      }
    }
    if (described.form == ParameterForm::argument) continue;
    macros.push_back({parameter.name, macro_text(parameter, value)});
  }
  for (const NamedExpression& named : description.names) {
    if (named.is_macro) macros.push_back({named.name, literal(define_value(description, named, scope))});
  }
  return macros;
}

std::vector<std::string> Task::options(const search::Configuration& configuration) const {
  const KernelDescription& description = state_->description;
  std::vector<std::string> options = description.options;
  for (std::size_t i = 0; i < description.parameters.size(); ++i) {
    if (description.parameters[i].form != ParameterForm::option) continue;
    const search::Value& value = state_->space.value(configuration, i);
    if (!value.as_name().empty()) options.push_back(value.as_name());
  }
  return options;
}

std::string Task::name_expression(const search::Configuration& configuration) const {
  const KernelDescription& description = state_->description;
  if (description.template_arguments.empty()) return description.kernel;
  std::map<std::string, std::string, std::less<>> replacements;
  for (const ProblemProperty& property : description.problem) {
    if (property.kind == ProblemProperty::Kind::constant) {
      replacements[property.name] = literal(state_->problem.at(property.name));
    }
  }
  for (std::size_t i = 0; i < description.parameters.size(); ++i) {
    const ParameterDescription& parameter = description.parameters[i];
    if (parameter.form == ParameterForm::option) continue;
    const search::Value& value = state_->space.value(configuration, i);
    replacements[parameter.parameter.name] =
        parameter.form == ParameterForm::text ? value.as_name() : argument_text(parameter.parameter, value);
  }
  const search::Scope scope = state_->space.scope(configuration);
  for (const NamedExpression& named : description.names) {
    if (named.is_macro) replacements[named.name] = literal(define_value(description, named, scope));
  }
  std::string result = description.kernel + "<";
  for (std::size_t i = 0; i < description.template_arguments.size(); ++i) {
    const std::string& text = description.template_arguments[i];
    if (i > 0) result += ", ";
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && is_word_character(text[end])) ++end;
      if (end == at) {
        result += text[at++];
        continue;
      }
      const std::string_view word = std::string_view(text).substr(at, end - at);
      const auto found = replacements.find(word);
      result += found == replacements.end() ? word : std::string_view(found->second);
      at = end;
    }
  }
  return result + ">";
}

}  // namespace tuner
