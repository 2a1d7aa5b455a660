#include "tuner/core/t1/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/t1/launch.hpp"
#include "tuner/core/t1/python.hpp"
#include "tuner/version.hpp"

namespace tuner {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::uint64_t kMostWritten = 2'000'000;

OrderedJson value_json(const search::Value& value) {
  if (value.is_name()) return value.as_name();
  if (value.is_boolean()) return value.as_boolean() ? 1 : 0;
  if (value.is_integer()) return value.as_integer();
  return value.as_real();
}

class T1Writer {
 public:
  explicit T1Writer(const Task& task) : task_(task), description_(task.description()), python_(task) {}

  T1Text write() {
    write_parameters();
    write_macros();
    write_conditions();
    OrderedJson specification = launch();
    write_arguments();
    if (!options_.empty()) specification["CompilerOptions"] = std::move(options_);
    specification["Arguments"] = std::move(arguments_);
    say_what_is_lost();
    const OrderedJson file{
        {"General", {{"BenchmarkName", description_.kernel}, {"FormatVersion", 1}}},
        {"Metadata", metadata()},
        {"ConfigurationSpace", {{"TuningParameters", std::move(parameters_)}, {"Conditions", std::move(conditions_)}}},
        {"KernelSpecification", std::move(specification)}};
    return {file.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n", std::move(warnings_)};
  }

 private:
  template <typename... Args>
  void warn(fmt::format_string<Args...> sentence, Args&&... args) {
    warnings_.push_back(fmt::format(sentence, std::forward<Args>(args)...));
  }

  OrderedJson metadata() const {
    const auto baseline = task_.baseline();
    return {{"Tuner", fmt::format("tuner {}", kVersion)},
            {"Problem", problem_text(task_.problem())},
            {"Device", task_.device().name},
            {"Configurations", task_.space().size()},
            {"Combinations", task_.space().cartesian_size()},
            {"Baseline", baseline ? OrderedJson(task_.space().text(*baseline)) : OrderedJson(nullptr)}};
  }

  void add_parameter(const std::string& name, const std::string& type, const std::vector<search::Value>& values,
                     const search::Value& default_value) {
    std::string list;
    for (const search::Value& value : values) {
      list += (list.empty() ? "" : ", ") + (value.is_boolean() ? value_json(value).dump() : python_literal(value));
    }
    parameters_.push_back(
        {{"Name", name}, {"Type", type}, {"Values", "[" + list + "]"}, {"Default", value_json(default_value)}});
  }

  static std::string type_of(const std::vector<search::Value>& values) {
    const auto all = [&](auto is) { return std::all_of(values.begin(), values.end(), is); };
    if (all([](const search::Value& value) { return value.is_name(); })) return "string";
    return all([](const search::Value& value) { return value.is_integer() || value.is_boolean(); }) ? "int" : "float";
  }

  void write_parameters() {
    for (const ParameterDescription& described : description_.parameters) {
      const search::Parameter& parameter = described.parameter;
      if (described.form == ParameterForm::option) {
        const std::string& option = parameter.default_value.as_name();
        warn("T1 cannot tune compiler options: `{}` stays {}.", parameter.name,
             option.empty() ? "without one" : option);
        if (!option.empty()) options_.push_back(option);
        fixed_options_.insert(parameter.name);
        continue;
      }
      if (!has_named_values(described)) {
        add_parameter(parameter.name, type_of(parameter.values), parameter.values, parameter.default_value);
        continue;
      }
      std::vector<search::Value> values;
      for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        const std::string macro = parameter.name + "_" + parameter.values[i].as_name();
        options_.push_back(fmt::format("-D{}={}", macro, i));
        values.emplace_back(macro);
      }
      add_parameter(parameter.name, "string", values, parameter.name + "_" + parameter.default_value.as_name());
    }
  }

  /// What the problem and `define`s give the compiler: options where it is the same for every configuration, otherwise
  /// parameters with a condition that leaves them no choice.
  void write_macros() {
    const std::optional<search::Configuration> some =
        task_.baseline() ? task_.baseline() : std::optional(task_.space().defaults());
    std::set<std::string> constants;
    for (const ProblemProperty& property : description_.problem) {
      if (property.kind == ProblemProperty::Kind::constant) constants.insert(property.name);
    }
    for (const NamedExpression& named : description_.names) {
      if (!named.is_macro) continue;
      if (python_.parameters(named.expression).empty()) {
        constants.insert(named.name);
      } else {
        write_derived(named);
      }
    }
    for (const Macro& macro : task_.macros(*some)) {
      if (!constants.contains(macro.name)) continue;
      options_.push_back(fmt::format("-D{}={}", macro.name, macro.text));
      constants_.emplace(macro.name, macro.text);
    }
    for (const std::string& option : description_.options) options_.push_back(option);
  }

  void write_derived(const NamedExpression& named) {
    const search::Space& space = task_.space();
    std::vector<search::Value> values;
    std::set<std::string> seen;
    if (space.size() > kMostWritten) {
      warn(
          "The macro `{}` depends on parameters, and the space is too large to list its values: define it in the "
          "kernel's source.",
          named.name);
      return;
    }
    for (std::uint64_t i = 0; i < space.size(); ++i) {
      const search::Configuration configuration = space.at(i);
      const search::Value value = named.expression.evaluate(space.scope(configuration));
      if (seen.insert(value.text()).second) values.push_back(value);
    }
    if (values.empty()) return;
    search::Value at_baseline = values.front();
    if (const auto baseline = task_.baseline()) at_baseline = named.expression.evaluate(space.scope(*baseline));
    add_parameter(named.name, type_of(values), values, at_baseline);
    add_condition(fmt::format("{} == ({})", named.name, python_.text(named.expression)), [&] {
      std::set<std::string> used = python_.parameters(named.expression);
      used.insert(named.name);
      return used;
    }());
  }

  void add_condition(const std::string& expression, const std::set<std::string>& used) {
    conditions_.push_back({{"Expression", expression}, {"Parameters", used}});
  }

  void write_conditions() {
    for (const search::Constraint& constraint : task_.space().constraints()) {
      const std::set<std::string> used = python_.parameters(constraint.expression);
      if (std::any_of(used.begin(), used.end(),
                      [&](const std::string& name) { return fixed_options_.contains(name); })) {
        warn("`{}` is left out, because it concerns a compiler option.", constraint.expression.text());
        continue;
      }
      const std::string text = python_.text(constraint.expression);
      if (text != "True") add_condition(text, used);
    }
  }

  OrderedJson extents(const std::vector<search::Expression>& expressions) {
    OrderedJson object = OrderedJson::object();
    for (std::size_t i = 0; i < kDimensions.size(); ++i) {
      object[kDimensions[i]] = i < expressions.size() ? python_.text(expressions[i]) : std::string("1");
    }
    return object;
  }

  /// A template argument with the values of the constants in it.
  std::string with_constants(std::string_view argument) const {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::string text;
    while (!argument.empty()) {
      const auto* const end = std::find_if_not(argument.begin(), argument.end(), is_word);
      const auto length = std::max<std::size_t>(static_cast<std::size_t>(end - argument.begin()), 1);
      const auto found = constants_.find(argument.substr(0, length));
      text += found == constants_.end() ? argument.substr(0, length) : std::string_view(found->second);
      argument.remove_prefix(length);
    }
    return text;
  }

  OrderedJson launch() {
    OrderedJson specification{{"Language", "CUDA"},
                              {"KernelName", description_.kernel},
                              {"KernelFile", description_.file.string()},
                              {"GlobalSizeType", "CUDA"},
                              {"GlobalSize", extents(description_.grid)},
                              {"LocalSize", extents(description_.block)}};
    if (description_.shared_bytes) {
      const std::string bytes = python_.text(*description_.shared_bytes);
      const bool plain = bytes.find_first_not_of("0123456789") == std::string::npos;
      specification["SharedMemory"] = plain ? OrderedJson::parse(bytes) : OrderedJson(bytes);
      if (!plain) warn("The dynamic shared memory depends on parameters; other readers of T1 accept only a number.");
    }
    if (!description_.template_arguments.empty()) {
      OrderedJson names = OrderedJson::array();
      bool are_types = true;
      for (const std::string& argument : description_.template_arguments) {
        names.push_back(with_constants(argument));
        are_types = are_types && shape_of_type(names.back().get<std::string>());
      }
      specification["KernelTypeNames"] = std::move(names);
      if (!are_types)
        warn("The kernel's template arguments are in KernelTypeNames, where other readers of T1 accept only types.");
    }
    return specification;
  }

  /// The type as T1 spells it.
  std::string element_type(const BoundArgument& argument) {
    std::string type(to_string(argument.type));
    if (argument.type == ElementType::float16) type = "half";
    if (argument.type == ElementType::float32) type = "float";
    if (argument.type == ElementType::float64) type = "double";
    const bool has_vectors = is_real(argument.type) && argument.lanes != 3 && argument.type != ElementType::bfloat16;
    if (argument.lanes == 1 ? argument.type == ElementType::bfloat16 : !has_vectors) {
      warn("`{}` has a type that other readers of T1 do not support.", argument.name);
    }
    if (argument.lanes == 1) return type;
    if (has_vectors) return fmt::format("{}{}", type, argument.lanes);
    for (const Argument& described : description_.arguments) {
      if (described.name != argument.name) continue;
      const auto value = task_.problem().find(described.type);
      return value == task_.problem().end() ? described.type : value->second.text();
    }
    return type;
  }

  void write_arguments() {
    const std::vector<BoundArgument> bound = task_.arguments();
    for (std::size_t i = 0; i < bound.size(); ++i) {
      if (bound[i].role == Argument::Role::value)
        throw Error(Errc::bad_usage, fmt::format("T1 has no place for `{}`, which is passed by value as {}. Keep the "
                                                 "directives, which all commands read.",
                                                 bound[i].name, description_.arguments[i].type));
      OrderedJson object{{"Name", bound[i].name}, {"Type", element_type(bound[i])}};
      if (bound[i].role == Argument::Role::scalar) {
        object["MemoryType"] = "Scalar";
        object["FillType"] = "Constant";
        object["FillValue"] = value_json(bound[i].value);
      } else {
        write_buffer(description_.arguments[i], bound[i], object);
      }
      arguments_.push_back(std::move(object));
    }
  }

  void write_buffer(const Argument& argument, const BoundArgument& bound, OrderedJson& object) {
    object["MemoryType"] = bound.role == Argument::Role::constant ? "Symbol" : "Vector";
    object["Size"] = bound.length;
    if (bound.role == Argument::Role::scratch && !python_.parameters(*argument.length).empty()) {
      object["Size"] = python_.text(*argument.length);
      warn("The size of `{}` depends on parameters; other readers of T1 use one size for all.", bound.name);
    }
    const bool is_out = is_output(bound);
    const bool is_written = is_out || bound.role == Argument::Role::scratch;
    object["AccessType"] = !is_written ? "ReadOnly" : bound.role == Argument::Role::inout ? "ReadWrite" : "WriteOnly";
    if (is_filled(bound.role)) {
      write_content(bound, object);
    } else {
      object["FillType"] = "Constant";
      object["FillValue"] = 0;
    }
    if (is_written) object["Output"] = is_out ? 1 : 0;
    if (argument.rtol) object["RelativeTolerance"] = bound.rtol;
    if (argument.atol) object["AbsoluteTolerance"] = bound.atol;
    if (argument.padding) {
      object["Padding"] = *argument.padding;
      warn("The padding of `{}` is in Padding, which other readers of T1 ignore.", bound.name);
    }
    if (argument.alignment) warn("T1 has no place for the alignment of `{}`.", bound.name);
  }

  void write_content(const BoundArgument& bound, OrderedJson& object) {
    const BoundGenerator& generator = bound.generators.front();
    const auto [first, second] = generator.parameters;
    double greatest = second;
    bool exact = false;
    const bool by_lane = bound.generators.size() > 1;
    switch (generator.kind) {
      case Generator::Kind::constant:
        greatest = first;
        if (by_lane) break;
        object["FillType"] = "Constant";
        object["FillValue"] = first;
        return;
      case Generator::Kind::file:
        object["FillType"] = "BinaryRaw";
        object["DataSource"] = bound.file ? bound.file->path.string() : std::string();
        warn("`{}` comes from a NumPy file, which other readers of T1 would read as plain bytes.", bound.name);
        return;
      case Generator::Kind::uniform:
        exact = first == 0 || (second == 0 && is_real(bound.type));
        greatest = !is_real(bound.type) ? second - 1 : second == 0 ? first : second;
        break;
      case Generator::Kind::index:
        exact = true;
        greatest = first - 1;
        break;
      case Generator::Kind::permutation:
        greatest = first - 1;
        break;
      case Generator::Kind::offsets:
        greatest = std::floor(first * static_cast<double>(bound.length - 1));
        break;
      case Generator::Kind::iota:
        greatest = first + second * static_cast<double>(bound.length);
        break;
      case Generator::Kind::normal:
        break;
    }
    object["FillType"] = "Random";
    object["FillValue"] = greatest;
    if (!exact || generator.is_sorted || by_lane) {
      warn("T1 has no generator for the content of `{}`: random numbers up to {} take its place.", bound.name,
           search::Value(greatest).text());
    }
  }

  void say_what_is_lost() {
    std::vector<std::string> lost;
    if (!description_.problem_constraints.empty()) lost.emplace_back("problem_constraint");
    if (description_.reference.is_named()) lost.emplace_back("reference");
    const std::vector<Argument>& arguments = description_.arguments;
    const auto any = [&](const auto& has) { return std::any_of(arguments.begin(), arguments.end(), has); };
    if (any([](const Argument& argument) { return argument.expected.has_value(); })) lost.emplace_back("expect");
    if (any([](const Argument& argument) { return argument.is_partial; })) lost.emplace_back("partial");
    if (any([](const Argument& argument) { return argument.is_trivial; })) lost.emplace_back("trivial");
    if (any([](const Argument& argument) { return argument.is_unordered; })) lost.emplace_back("unordered");
    if (any([](const Argument& argument) { return argument.may_differ.has_value(); })) lost.emplace_back("at most");
    if (description_.work.bytes || description_.work.flops) lost.emplace_back("work");
    if (description_.deterministic) lost.emplace_back("deterministic");
    if (!lost.empty()) warn("T1 has no place for {}.", fmt::join(lost, ", "));
    if (!python_.unknown_functions().empty()) {
      warn("Python has no {}: other readers of T1 will reject the expressions that use it.",
           fmt::join(python_.unknown_functions(), " and no "));
    }
    if (python_.used_device()) {
      warn("Device attributes were evaluated for {}.", task_.device().name);
    }
  }

  const Task& task_;
  const KernelDescription& description_;
  PythonSpelling python_;
  OrderedJson parameters_ = OrderedJson::array();
  OrderedJson conditions_ = OrderedJson::array();
  OrderedJson arguments_ = OrderedJson::array();
  OrderedJson options_ = OrderedJson::array();
  std::map<std::string, std::string, std::less<>> constants_;  // macros that are the same for every configuration
  std::set<std::string> fixed_options_;
  std::vector<std::string> warnings_;
};

}  // namespace

T1Text to_t1(const Task& task) {
  return T1Writer(task).write();
}

}  // namespace tuner
