#include "tuner/core/task/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/member_text.hpp"
#include "tuner/core/description/plain_number.hpp"
#include "tuner/core/task/argument_binding.hpp"

namespace tuner {
namespace {

constexpr std::string_view kPragma = "#pragma tuner ";

/// Joins `parts` with ", ", going on in the next line with a backslash where a line would become too long.
std::string directive(std::string_view word, const std::vector<std::string>& parts, std::string_view end = ")") {
  constexpr std::size_t kLineWidth = 118;
  std::string text = fmt::format("{}{}(", kPragma, word);
  const std::string indent(text.size(), ' ');
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view after = i + 1 == parts.size() ? end : std::string_view(",");
    const bool at_start = i == 0;
    if (!at_start && text.size() - line_start + 1 + parts[i].size() + after.size() > kLineWidth) {
      text += " \\\n";
      line_start = text.size();
      text += indent;
    } else if (!at_start) {
      text += ' ';
    }
    text += parts[i];
    text += after;
  }
  return text + "\n";
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string one_line(const search::Expression& expression) {
  return one_line(expression.text());
}

std::string value_text(const search::Value& value, ParameterForm form) {
  const bool quoted = form == ParameterForm::option || form == ParameterForm::text;
  return quoted ? search::quote(value.as_name()) : value.text();
}

const char* clause_text(ParameterForm form) {
  return form == ParameterForm::argument ? "; argument" : form == ParameterForm::text ? "; text" : "";
}

std::string parameter_text(const ParameterDescription& described) {
  const search::Parameter& parameter = described.parameter;
  std::vector<std::string> parts{parameter.name};
  for (const search::Value& value : parameter.values) parts.push_back(value_text(value, described.form));
  const std::string end =
      fmt::format("; default {}{})", value_text(parameter.default_value, described.form), clause_text(described.form));
  return directive(described.form == ParameterForm::option ? "option" : "param", parts, end);
}

std::string property_text(const ProblemProperty& property) {
  std::string text = fmt::format("{}: {}", property.name, kProblemKinds[static_cast<std::size_t>(property.kind)]);
  if (property.default_value) text += " = " + property.default_value->text();
  return text;
}

std::vector<std::string> texts(const std::vector<search::Expression>& expressions) {
  std::vector<std::string> result;
  for (const search::Expression& expression : expressions) result.push_back(one_line(expression));
  return result;
}

std::string generator_text(const Generator& generator) {
  const std::string text = generator.kind == Generator::Kind::file
                               ? search::quote(generator.file)
                               : fmt::format("{}", fmt::join(texts(generator.parameters), ", "));
  const std::string call = fmt::format("{}({})", kGenerators[static_cast<std::size_t>(generator.kind)], text);
  return generator.is_sorted ? fmt::format("sorted({})", call) : call;
}

std::string tolerance_text(const search::Expression& tolerance) {
  const std::optional<double> number = plain_number(tolerance);
  return number ? search::Value(*number).text() : one_line(tolerance);
}

std::string argument_text(const Argument& argument) {
  std::vector<std::string> parts{argument.name, argument.type};
  if (argument.length) parts.push_back(one_line(*argument.length));
  for (const ValueMember& member : argument.members) parts.push_back(one_line(member_text(member)));
  if (!argument.bytes.empty()) parts.push_back(fmt::format("bytes \"{}\"", argument.bytes));
  for (const Generator& generator : argument.generators) parts.push_back(generator_text(generator));
  if (argument.rtol) parts.push_back("rtol " + tolerance_text(*argument.rtol));
  if (argument.atol) parts.push_back("atol " + tolerance_text(*argument.atol));
  if (argument.may_differ) parts.push_back("at most " + one_line(*argument.may_differ));
  if (argument.expected) parts.push_back(fmt::format("expect file({})", search::quote(*argument.expected)));
  if (argument.is_partial) parts.emplace_back("partial");
  if (argument.is_trivial) parts.emplace_back("trivial");
  if (argument.is_unordered)
    parts.push_back(argument.counted_by.empty() ? "unordered" : "unordered by " + argument.counted_by);
  if (argument.alignment) parts.push_back(fmt::format("align {}", *argument.alignment));
  if (argument.padding) parts.push_back(fmt::format("pad {}", *argument.padding));
  if (argument.value) parts.push_back("value " + one_line(*argument.value));
  return directive(role_word(argument.role), parts);
}

std::string reference_text(const ReferenceDescription& reference) {
  std::string text = reference.kernel;
  auto clause = [&, first = true](std::string_view word, const std::vector<std::string>& parts) mutable {
    if (parts.empty()) return;
    text += fmt::format("{} {}({})", first ? ";" : "", word, fmt::join(parts, ", "));
    first = false;
  };
  for (const NamedExpression& constant : reference.constants) {
    clause("define", {constant.name + " = " + one_line(constant.expression)});
  }
  clause("grid", texts(reference.grid));
  clause("block", texts(reference.block));
  if (reference.shared_bytes) clause("shared", {one_line(*reference.shared_bytes)});
  if (reference.arguments) clause("args", *reference.arguments);
  return directive("reference", {text});
}

std::string launch_text(const KernelDescription& description) {
  std::string text;
  if (!description.grid.empty()) text += directive("grid", texts(description.grid));
  if (!description.block.empty()) text += directive("block", texts(description.block));
  if (description.shared_bytes) text += directive("shared", {one_line(*description.shared_bytes)});
  return text;
}

std::string work_text(const WorkDescription& work) {
  std::vector<std::string> parts;
  if (work.bytes) parts.push_back("bytes = " + one_line(*work.bytes));
  if (work.flops) parts.push_back("flops = " + one_line(*work.flops));
  if (!work.type.empty()) parts.push_back("type = " + work.type);
  return parts.empty() ? "" : directive("work", parts);
}

std::string bound_argument_text(const BoundArgument& argument, const std::string& described_type) {
  if (argument.role == Argument::Role::value) {
    std::vector<std::string> values;
    for (const search::Value& value : argument.values) values.push_back(value.text());
    return fmt::format("{} {} made of {}", argument.name, described_type,
                       values.empty() ? "nothing" : fmt::format("{}", fmt::join(values, ", ")));
  }
  std::string type(to_string(argument.type));
  if (argument.lanes > 1) type += fmt::format("x{}", argument.lanes);
  if (argument.role == Argument::Role::scalar)
    return fmt::format("{} {} = {}", argument.name, type, argument.value.text());
  if (argument.role == Argument::Role::scratch && argument.length == 0)
    return fmt::format("{} {}[by configuration]", argument.name, type);
  std::string text = fmt::format("{} {}[{}]", argument.name, type, grouped(argument.length));
  if (is_output(argument)) {
    text += fmt::format(" rtol {} atol {}", argument.rtol, argument.atol);
  }
  if (argument.may_differ > 0) text += fmt::format(" at most {} beyond", grouped(argument.may_differ));
  if (argument.is_partial) text += " partial";
  if (argument.is_trivial) text += " trivial";
  if (argument.is_unordered) text += " in any order";
  if (argument.padding > 0) text += fmt::format(" padded by {} bytes", grouped(argument.padding));
  if (argument.role == Argument::Role::constant) text += " in constant memory";
  if (argument.file) {
    text += " from " + argument.file->path.string();
    if (!argument.file->hash.empty()) text += fmt::format(" ({})", argument.file->hash.text);
  }
  if (argument.expected) {
    text += " expected as in " + argument.expected->path.string();
    if (!argument.expected->hash.empty()) text += fmt::format(" ({})", argument.expected->hash.text);
  }
  return text;
}

/// What the files hold, or what is wrong with them.
void describe_arguments(const Task& task, const std::function<void(std::string_view, const std::string&)>& note) {
  const auto note_all = [&](const std::vector<BoundArgument>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      note("argument", bound_argument_text(arguments[i], task.description().arguments[i].type));
  };
  try {
    note_all(task.arguments_with_data());
  } catch (const Error& error) {
    note_all(task.arguments());
    note("no data", error.what());
  }
}

/// The launch, or what is wrong with it: a description that cannot be launched is still worth looking at.
std::string launch_of(const Task& task, const search::Configuration& configuration) {
  try {
    return task.geometry(configuration).text();
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::string to_text(const KernelDescription& description) {
  std::string kernel = description.kernel;
  if (!description.template_arguments.empty()) {
    kernel += fmt::format("<{}>", fmt::join(description.template_arguments, ", "));
  }
  std::string text = directive("kernel", {kernel});
  if (description.reference.is_named()) text += reference_text(description.reference);
  std::vector<std::string> properties;
  for (const ProblemProperty& property : description.problem) properties.push_back(property_text(property));
  if (!properties.empty()) text += directive("problem", properties);
  for (const search::Constraint& constraint : description.problem_constraints) {
    text += directive("problem_constraint", {one_line(constraint.expression)});
  }
  for (const ParameterDescription& parameter : description.parameters) text += parameter_text(parameter);
  std::vector<std::string> options;
  for (const std::string& option : description.options) options.push_back(search::quote(option));
  if (!options.empty()) text += directive("options", options);
  for (const NamedExpression& named : description.names) {
    if (named.is_implied) continue;
    text += directive(named.is_macro ? "define" : "let", {named.name + " = " + one_line(named.expression)});
  }
  for (const search::Constraint& constraint : description.constraints) {
    text += directive("constraint", {one_line(constraint.expression)});
  }
  text += launch_text(description);
  for (const Argument& argument : description.arguments) text += argument_text(argument);
  text += work_text(description.work);
  if (description.deterministic) text += fmt::format("{}deterministic\n", kPragma);
  return text;
}

std::string to_text(const Task& task) {
  const search::Space& space = task.space();
  std::string text = to_text(task.description());
  const auto note = [&text](std::string_view label, const std::string& content) {
    text += fmt::format("// {:<10}{}\n", label, content);
  };
  text += "\n";
  note("file", task.description().file.string());
  note("identity", task.kernel_identity());
  note("problem", task.problem().empty() ? "none" : problem_text(task.problem()));
  note("device", fmt::format("{} ({}, {} multiprocessors)", task.device().name, task.device().architecture(),
                             task.device().sm_count));
  for (const search::Constraint& constraint : space.constraints()) {
    if (constraint.holds_where_undefined) note("limit", one_line(constraint.expression));
  }
  for (const std::string& where : task.where()) note("where", one_line(where));
  const double all = space.cartesian_size();
  note("space", fmt::format("{} of {} combinations satisfy the constraints", grouped(space.size()),
                            all < 1e15 ? grouped(static_cast<std::uint64_t>(all)) : fmt::format("{:.3g}", all)));
  if (space.size() == 0) note("empty", space.why_empty());
  if (const auto baseline = task.baseline()) {
    note("baseline", space.text(*baseline));
    note("launch", launch_of(task, *baseline));
  } else {
    note("baseline", "none: " + space.why_invalid(space.defaults()).value_or("the defaults are not in the space"));
  }
  describe_arguments(task, note);
  if (const std::string counting = counting_inputs(task.description(), task.arguments()); !counting.empty())
    note("content", counting);
  return text;
}

}  // namespace tuner
