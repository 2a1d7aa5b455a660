#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expression/quoting.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/description/compiler_options.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/member_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/t1/writer.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/toolkit.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWithoutProblem =
    "\n// Give --problem to see how many configurations there are and how the baseline is launched.\n";

constexpr const char* kLeftToCompiler =
    "\n// The source alone does not show the type of every parameter: `tuner check` and `tune` ask a compiler.\n";

const char* kind_name(ProblemProperty::Kind kind) {
  switch (kind) {
    case ProblemProperty::Kind::size:
      return "size";
    case ProblemProperty::Kind::exact:
      return "exact";
    case ProblemProperty::Kind::constant:
      return "constant";
  }
  return "";
}

const char* form_name(ParameterForm form) {
  switch (form) {
    case ParameterForm::macro:
      return "macro";
    case ParameterForm::argument:
      return "argument";
    case ParameterForm::text:
      return "text";
    case ParameterForm::option:
      return "option";
  }
  return "";
}

Json value_json(const search::Value& value) {
  if (value.is_name()) return value.as_name();
  if (value.is_boolean()) return value.as_boolean();
  if (value.is_integer()) return value.as_integer();
  return value.as_real();
}

Json texts(const std::vector<search::Expression>& expressions) {
  return json_list(expressions, [](const search::Expression& expression) { return expression.text(); });
}

Json reference_json(const ReferenceDescription& reference) {
  if (!reference.is_named()) return nullptr;
  const auto of_constant = [](const NamedExpression& constant) -> Json {
    return {{"name", constant.name}, {"value", constant.expression.text()}};
  };
  return {{"kernel", reference.kernel},
          {"grid", texts(reference.grid)},
          {"block", texts(reference.block)},
          {"shared", reference.shared_bytes ? Json(reference.shared_bytes->text()) : Json(nullptr)},
          {"arguments", reference.arguments ? Json(*reference.arguments) : Json(nullptr)},
          {"constants", json_list(reference.constants, of_constant)}};
}

Json property_json(const ProblemProperty& property) {
  return {{"name", property.name},
          {"kind", kind_name(property.kind)},
          {"default", property.default_value ? value_json(*property.default_value) : Json(nullptr)}};
}

Json parameter_json(const ParameterDescription& parameter) {
  return {{"name", parameter.parameter.name},
          {"form", form_name(parameter.form)},
          {"default", value_json(parameter.parameter.default_value)},
          {"values", json_list(parameter.parameter.values, value_json)}};
}

Json argument_json(const Argument& argument) {
  return {{"name", argument.name},
          {"role", role_word(argument.role)},
          {"type", argument.type},
          {"length", argument.length ? Json(argument.length->text()) : Json(nullptr)},
          {"members", json_list(argument.members, [](const ValueMember& member) { return member_text(member); })},
          {"bytes", argument.bytes.empty() ? Json(nullptr) : Json(argument.bytes)},
          {"expected", argument.expected ? Json(*argument.expected) : Json(nullptr)},
          {"partial", argument.is_partial},
          {"trivial", argument.is_trivial},
          {"unordered", argument.is_unordered},
          {"counted_by", argument.counted_by.empty() ? Json(nullptr) : Json(argument.counted_by)}};
}

Json description_json(const KernelDescription& description) {
  const auto text_of = [](const search::Constraint& constraint) { return constraint.expression.text(); };
  return {{"kernel", description.kernel},
          {"file", description.file.string()},
          {"reference", reference_json(description.reference)},
          {"problem", json_list(description.problem, property_json)},
          {"parameters", json_list(description.parameters, parameter_json)},
          {"arguments", json_list(description.arguments, argument_json)},
          {"constraints", json_list(description.constraints, text_of)},
          {"grid", texts(description.grid)},
          {"block", texts(description.block)},
          {"shared", description.shared_bytes ? Json(description.shared_bytes->text()) : Json(nullptr)}};
}

Json space_json(const Task& task) {
  const std::optional<search::Configuration> baseline = task.baseline();
  Json limits = Json::array();
  for (const search::Constraint& constraint : task.space().constraints()) {
    if (constraint.holds_where_undefined) limits.push_back(constraint.expression.text());
  }
  return {{"problem", problem_text(task.problem())},
          {"device", task.device().name},
          {"limits", std::move(limits)},
          {"size", task.space().size()},
          {"cartesian_size", task.space().cartesian_size()},
          {"baseline", baseline ? Json(task.space().text(*baseline)) : Json(nullptr)},
          {"launch", baseline ? Json(task.geometry(*baseline).text()) : Json(nullptr)}};
}

std::vector<KernelDescription> read(const std::filesystem::path& file, const std::string& kernel) {
  std::vector<KernelDescription> descriptions = load_descriptions(file, warn);
  if (kernel.empty()) return descriptions;
  return {choose_description(std::move(descriptions), file, kernel)};
}

bool needs_values(const KernelDescription& description) {
  return std::ranges::any_of(description.problem, [](const auto& property) { return !property.default_value; });
}

/// The one kernel, bound to its problem, as a T1 file.
void print_t1(const std::vector<KernelDescription>& descriptions, const std::optional<Task>& task) {
  if (descriptions.size() != 1) {
    throw Error(Errc::bad_usage,
                fmt::format("A T1 file describes one kernel, but this file has {}: choose one with --kernel.",
                            descriptions.size()));
  }
  if (!task) {
    std::string names;
    for (const ProblemProperty& property : descriptions.front().problem) {
      if (!property.default_value) names += (names.empty() ? "" : ", ") + property.name;
    }
    throw Error(Errc::bad_problem, fmt::format("A T1 file is for one problem: give {} with --problem.", names));
  }
  const T1Text t1 = to_t1(*task);
  for (const std::string& warning : t1.warnings) warn(warning);
  print(printable_json(t1.json));
}

bool is_in_toolkit(const std::string& name) {
  if (is_library_header(name)) return true;
  try {
    const std::vector<std::filesystem::path>& folders = engine::toolkit().include_folders;
    return std::ranges::any_of(folders, [&](const auto& folder) { return std::filesystem::exists(folder / name); });
  } catch (const Error&) {
    return false;  // there is no toolkit
  }
}

/// Headers in quotes that the source, or one of its own headers, includes whatever is defined, and that nobody has: no
/// compiler gets past them.
void refuse_missing_headers(const KernelDescription& description, std::vector<std::filesystem::path> folders) {
  for (const std::string& option : description.options) {
    if (const auto folder = include_folder(option)) folders.emplace_back(*folder);
  }
  std::map<std::string, std::string> not_followed;
  for (Header& header : quoted_headers(description, folders)) not_followed.emplace(header.name, std::move(header.text));
  std::set<std::string> known;
  for (const auto& [name, text] : not_followed) known.insert(name);
  folders.push_back(description.file.parent_path());
  std::vector<std::pair<std::string, std::string>> pending{{description.file.string(), description.blanked_source}};
  while (!pending.empty()) {
    const auto [file, text] = std::move(pending.back());
    pending.pop_back();
    for (const CertainInclude& include : certain_includes(text)) {
      const auto is_there = [&](const auto& folder) { return std::filesystem::exists(folder / include.name); };
      if (!include.is_quoted) continue;
      if (auto header = not_followed.extract(include.name)) {
        pending.emplace_back(std::move(header.key()), std::move(header.mapped()));
      } else if (!known.contains(include.name) && std::ranges::none_of(folders, is_there) &&
                 !is_in_toolkit(include.name)) {
        throw Error(
            Errc::file_not_found,
            fmt::format("{}:{}: the header \"{}\" is neither beside this file nor in a folder given with -I{}.", file,
                        include.line, include.name,
                        description.is_from_t1() ? ": add \"-I DIR\" to KernelSpecification.CompilerOptions" : ""));
      }
    }
  }
}

/// Why `tune` could not begin with the task; empty if it could.
std::string why_no_baseline(const Task& task) {
  if (const auto baseline = task.baseline()) {
    try {
      task.geometry(*baseline);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }
  return fmt::format(
      "The defaults cannot be the baseline, with which all configurations are compared: {} Choose defaults that "
      "satisfy every constraint.",
      task.space().why_invalid(task.space().defaults()).value_or(""));
}

ExitCode run_describe(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner describe` needs a kernel file, for example `tuner describe "
                                     "kernel_sources/prefetch.cu`."));
  }
  std::vector<std::filesystem::path> include_folders;
  for (const std::string& folder : arguments.values("I")) include_folders.emplace_back(folder);
  const DeviceInfo device = known_device(arguments.value("device-name").value_or(kPlanDevice));
  const std::optional<std::string> problem = arguments.value("problem");
  if (arguments.has("t1") && arguments.has("json")) {
    throw Error(Errc::bad_usage, "--t1 and --json print different JSON: use one of them.");
  }
  Json kernels = Json::array();
  bool first = true;
  std::string without_baseline;
  const std::vector<KernelDescription> descriptions =
      read(arguments.operands().front(), arguments.value("kernel").value_or(""));
  for (const KernelDescription& description : descriptions) {
    refuse_missing_headers(description, include_folders);
    const bool settled = check_written_signatures(description, quoted_headers(description, include_folders));
    std::optional<Task> task;
    if (problem || !needs_values(description)) {
      task.emplace(description, problem ? one_problem(*problem) : ProblemValues(), device, arguments.values("where"),
                   include_folders);
    } else {
      check_where(description, arguments.values("where"), device);
    }
    if (task && without_baseline.empty()) without_baseline = why_no_baseline(*task);
    if (arguments.has("t1")) {
      print_t1(descriptions, task);
      continue;
    }
    if (arguments.has("json")) {
      Json object = description_json(description);
      object["signature_checked"] = settled;
      object["space"] = task ? space_json(*task) : Json(nullptr);
      kernels.push_back(std::move(object));
      continue;
    }
    const std::string text = task ? to_text(*task) : to_text(description) + kWithoutProblem;
    print((first ? "" : "\n") + text + (settled ? "" : kLeftToCompiler));
    first = false;
  }
  if (arguments.has("json")) print_json({{"format", 1}, {"kernels", std::move(kernels)}});
  if (!without_baseline.empty()) throw Error(Errc::bad_description, without_baseline);
  return ExitCode::done;
}

}  // namespace

Command describe_command() {
  using Kind = Option::Kind;
  return {
      .name = "describe",
      .synopsis =
          "tuner describe FILE [--problem A=1,B=2] [--device-name NAME] [--where EXPR] [--kernel NAME]\n"
          "       [-I DIR] [--t1] [--json]",
      .summary = "print a kernel file's directives and the size of the space",
      .purpose =
          "Prints the directives of a kernel file or a T1 file in canonical form, checks names and types\n"
          "against the source, and counts the configurations for a problem. Needs no GPU.",
      .options =
          {
              {"problem", Kind::value, "A=1,B=2",
               "values that define the problem; needed to count configurations unless all have defaults"},
              {"device-name", Kind::value, "NAME",
               fmt::format("count for this GPU, present or not; default {}", kPlanDevice)},
              {"where", Kind::repeatable, "EXPR", "count only configurations for which EXPR is true; repeatable"},
              {"kernel", Kind::value, "NAME", "only this kernel; default: every kernel in the file"},
              {"t1", Kind::flag, "",
               "print a T1 file, the JSON that other tuners read; warnings name what T1 cannot express"},
              {"I", Kind::repeatable, "DIR",
               "also search DIR for headers included with quotes or angle brackets; repeatable"},
          },
      .most_operands = 1,
      .operands = {"FILE"},
      .examples = {{"tuner describe kernel_sources/prefetch.cu", "parameters, constraints and arguments"},
                   {"tuner describe kernel_sources/prefetch.cu --problem rows=528,row_length=65536 --device-name A100",
                    "how many configurations there are on an A100"}},
      .exit_codes = {},
      .run = run_describe,
  };
}

}  // namespace tuner::cli
