#include "tuner/core/task/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/count_text.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"

namespace tuner {
namespace {

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(Errc::bad_problem, search::with_short_quotations(sentence));
}

/// Whether the property stands for an element type: by its default, or because an argument has it as its type.
bool is_type_valued(const KernelDescription& description, const ProblemProperty& property) {
  if (property.kind != ProblemProperty::Kind::constant) return false;
  if (property.default_value) return property.default_value->is_name();
  return std::any_of(description.arguments.begin(), description.arguments.end(),
                     [&](const Argument& argument) { return argument.type == property.name; });
}

/// What to type, with the values that were given and plausible ones for the others.
std::string example(const KernelDescription& description, const ProblemValues& given) {
  std::string text;
  for (const ProblemProperty& property : description.problem) {
    const auto found = given.find(property.name);
    if (found == given.end() && property.default_value) continue;
    std::string value = is_type_valued(description, property) ? "float" : "1024";
    if (found != given.end()) value = found->second.text();
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", property.name, value);
  }
  return text;
}

/// " `columns`", "s `rows`, `columns`": what was not given.
std::string missing(const KernelDescription& description, const ProblemValues& given) {
  std::vector<std::string> names;
  for (const ProblemProperty& property : description.problem) {
    if (!property.default_value && !given.contains(property.name)) names.push_back("`" + property.name + "`");
  }
  return fmt::format("{} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

search::Value checked_value(const KernelDescription& description, const ProblemProperty& property,
                            const search::Value& value, std::string_view option) {
  const std::string what = fmt::format("The problem value {}={}", property.name, value.text());
  if (is_type_valued(description, property)) {
    if (!value.is_name()) fail(fmt::format("{} is not an element type such as float.", what));
    if (!shape_of_type(value.as_name())) {
      fail(fmt::format("{} is not an element type{}", what,
                       suggestion(value.as_name(), type_names(), " such as float.")));
    }
    return value;
  }
  if (value.is_name()) {
    const bool may_be_type = property.kind == ProblemProperty::Kind::constant && !property.default_value;
    if (may_be_type && shape_of_type(value.as_name())) return value;
    const bool begins_as_number = !value.as_name().empty() && is_digit(value.as_name().front());
    fail(fmt::format("{} is not a number; give one, as in {}{}=1024{}.", what, option, property.name,
                     begins_as_number ? ", 64K, 1M or 1<<20 (K, M and G are powers of 1024)" : ""));
  }
  if (value.is_real() && !std::isfinite(value.as_real())) fail(fmt::format("{} is not a finite number.", what));
  if (property.kind == ProblemProperty::Kind::constant) return value;  // 2 and 2.0 are different texts for the compiler
  const bool integral =
      !value.is_real() || (value.as_real() == std::floor(value.as_real()) && std::abs(value.as_real()) < 0x1p53);
  if (property.kind == ProblemProperty::Kind::size) {
    if (!integral) fail(fmt::format("{} is a size and must be an integer.", what));
    if (value.as_integer() < 0) fail(fmt::format("{} is a size and cannot be negative.", what));
  }
  return integral ? search::Value(value.as_integer()) : value;
}

}  // namespace

search::Value read_problem_value(std::string_view name, std::string_view text) {
  text = search::trimmed(text);
  if (text.empty()) fail(fmt::format("The problem value {} is empty; write {}=1024, for example.", name, name));
  try {
    const std::optional<std::int64_t> count = read_count(text);
    return count ? search::Value(*count) : search::Value::parse(text);
  } catch (const Error& error) {
    fail(fmt::format("The problem value {}={} cannot be read. {}", name, text, error.what()));
  }
}

ProblemValues parse_problem(std::string_view text) {
  ProblemValues values;
  if (search::trimmed(text).empty()) return values;
  for (const std::string& part : split_assignments(text)) {
    const std::size_t equals = part.find('=');
    const std::string_view name = search::trimmed(std::string_view(part).substr(0, equals));
    if (equals == std::string::npos || !is_identifier(name)) {
      fail(fmt::format(
          "The problem \"{}\" has a part \"{}\" that is not NAME=VALUE; write, for example, rows=528,row_length=65536.",
          text, search::trimmed(part)));
    }
    const search::Value value = read_problem_value(name, std::string_view(part).substr(equals + 1));
    if (!values.emplace(name, value).second) fail(fmt::format("The problem \"{}\" gives {} twice.", text, name));
  }
  return values;
}

std::string problem_text(const ProblemValues& problem) {
  std::string text;
  for (const auto& [name, value] : problem) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value.text());
  return text;
}

ProblemValues complete_problem(const KernelDescription& description, const ProblemValues& given,
                               std::string_view option) {
  std::vector<std::string> names;
  for (const ProblemProperty& property : description.problem) names.push_back(property.name);
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    fail(fmt::format("The kernel `{}` has no problem property `{}`{} It has {}.", description.kernel, name,
                     suggestion(name, names, "."), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  ProblemValues complete;
  for (const ProblemProperty& property : description.problem) {
    const auto found = given.find(property.name);
    if (found == given.end() && !property.default_value) {
      fail(fmt::format("The kernel `{}` needs the problem value{}: for example {}{}", description.kernel,
                       missing(description, given), option, example(description, given)));
    }
    const search::Value& value = found == given.end() ? *property.default_value : found->second;
    complete.emplace(property.name, checked_value(description, property, value, option));
  }
  return complete;
}

void check_problem_constraints(const KernelDescription& description, const ProblemValues& problem,
                               const search::Scope& scope) {
  for (const search::Constraint& constraint : description.problem_constraints) {
    bool holds = false;
    try {
      holds = constraint.expression.evaluate_boolean(scope);
    } catch (const Error& error) {
      fail(fmt::format("The problem constraint of {} cannot be evaluated for {}: {}", constraint.origin,
                       problem_text(problem), error.what()));
    }
    if (holds) continue;
    fail(fmt::format("The kernel `{}` does not accept the problem {}: `{}` ({}) must hold.", description.kernel,
                     problem_text(problem), constraint.expression.text(), constraint.origin));
  }
}

std::optional<double> distance(const KernelDescription& description, const ProblemValues& a, const ProblemValues& b) {
  if (a.size() != b.size()) return std::nullopt;
  double greatest = 0;
  for (const ProblemProperty& property : description.problem) {
    const auto in_a = a.find(property.name);
    const auto in_b = b.find(property.name);
    if (in_a == a.end() || in_b == b.end()) return std::nullopt;
    if (in_a->second.text() == in_b->second.text()) continue;
    if (property.kind != ProblemProperty::Kind::size) return std::nullopt;
    if (!in_a->second.is_number() || !in_b->second.is_number()) return std::nullopt;
    const double ratio = std::abs(std::log2(in_a->second.as_real() / in_b->second.as_real()));
    if (!std::isfinite(ratio)) return std::nullopt;
    greatest = std::max(greatest, ratio);
  }
  return greatest;
}

}  // namespace tuner
