#include "tuner/core/task/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/data_files.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/core/task/task_state.hpp"

namespace tuner {
namespace {

/// Lets `expression` use type names such as `float` as values.
void accept_types(const search::Expression& expression, search::Scope& scope) {
  for (const std::string& name : expression.names()) {
    if (shape_of_type(name)) scope.accept_name(name);
  }
}

void accept_types(const std::vector<search::Constraint>& constraints, search::Scope& scope) {
  for (const search::Constraint& constraint : constraints) accept_types(constraint.expression, scope);
}

/// Everything that expressions may use besides the tuned parameters.
search::Scope constants(const KernelDescription& description, const ProblemValues& problem, const DeviceInfo& device) {
  search::Scope scope;
  for (const auto& [name, value] : problem) scope.set(name, value);
  device.define_names(scope);
  for (const NamedExpression& named : description.names) {
    accept_types(named.expression, scope);
    scope.define(named.name, named.expression);
  }
  for (const ParameterDescription& parameter : description.parameters) {
    for (const search::Value& value : parameter.parameter.values) {
      if (value.is_name()) scope.accept_name(value.as_name());
    }
  }
  const ReferenceDescription& reference = description.reference;
  for (const auto* list : {&description.grid, &description.block, &reference.grid, &reference.block}) {
    for (const search::Expression& expression : *list) accept_types(expression, scope);
  }
  for (const auto* optional :
       {&description.shared_bytes, &description.work.bytes, &description.work.flops, &reference.shared_bytes}) {
    if (*optional) accept_types(**optional, scope);
  }
  for (const NamedExpression& constant : reference.constants) accept_types(constant.expression, scope);
  for (const Argument& argument : description.arguments) {
    for (const auto* optional :
         {&argument.length, &argument.value, &argument.rtol, &argument.atol, &argument.may_differ}) {
      if (*optional) accept_types(**optional, scope);
    }
    for (const ValueMember& member : argument.members) accept_types(member.value, scope);
    for (const Generator& generator : argument.generators) {
      for (const search::Expression& parameter : generator.parameters) accept_types(parameter, scope);
    }
  }
  accept_types(description.constraints, scope);
  accept_types(description.problem_constraints, scope);
  return scope;
}

std::vector<search::Parameter> parameters(const KernelDescription& description) {
  std::vector<search::Parameter> result;
  for (const ParameterDescription& parameter : description.parameters) result.push_back(parameter.parameter);
  return result;
}

/// The user's further conditions. A mistake in them is one of usage, not of the kernel file.
std::vector<search::Constraint> where_constraints(const KernelDescription& description,
                                                  const std::vector<std::string>& where, search::Scope& scope) {
  std::vector<search::Constraint> constraints;
  std::vector<std::string> known = scope.names();
  for (const ParameterDescription& parameter : description.parameters) known.push_back(parameter.parameter.name);
  for (const ProblemProperty& property : description.problem) known.push_back(property.name);
  for (const std::string& text : where) {
    try {
      constraints.push_back({search::Expression::parse(text), "--where"});
    } catch (const search::ExpressionError& error) {
      throw Error(Errc::bad_usage, fmt::format("--where is not an expression: {}", error.what()));
    }
    const search::Expression& expression = constraints.back().expression;
    accept_types(expression, scope);
    for (const std::string& name : expression.names()) {
      if (scope.knows(name) || std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw Error(
          Errc::bad_usage,
          fmt::format(
              "--where uses `{}`, which is not known for the kernel `{}`{} `tuner describe` lists its parameters.",
              name, description.kernel, suggestion(name, known, ".")));
    }
  }
  return constraints;
}

/// "first * second <= most".
std::string at_most(const std::vector<search::Expression>& factors, std::int64_t most) {
  std::string text;
  for (const search::Expression& factor : factors) {
    const bool is_name = factor.names().size() == 1 && factor.names().front() == factor.text();
    text += fmt::format("{}{}", text.empty() ? "" : " * ", is_name ? factor.text() : "(" + factor.text() + ")");
  }
  return fmt::format("{} <= {}", text, most);
}

/// What no launch on the device may exceed, as far as the description says it and the device is known: blocks of the
/// grid, threads of a block and dynamic shared memory. Only what may exclude something. A launch that cannot be
/// computed is not excluded: what is wrong with it is said where it is computed.
std::vector<search::Constraint> device_limits(const KernelDescription& description, const DeviceInfo& device,
                                              const std::vector<search::Parameter>& parameters,
                                              const search::Scope& scope) {
  std::vector<search::Constraint> limits;
  const std::string of_device = device.name.empty() ? "the device" : device.name;
  const auto add = [&](const std::string& what, const std::vector<search::Expression>& factors, std::int64_t most,
                       const std::string& whose) {
    if (factors.empty() || most <= 0) return;
    try {
      search::Constraint limit{search::Expression::parse(at_most(factors, most)),
                               fmt::format("{}, limit of {}", what, whose), true};
      if (!always_holds(limit, parameters, scope)) limits.push_back(std::move(limit));
    } catch (const search::ExpressionError&) {
    }
  };
  for (std::size_t axis = 0; axis < description.grid.size(); ++axis)
    add(fmt::format("blocks along {}", "xyz"[axis]), {description.grid[axis]}, kMostBlocks[axis], "every GPU");
  add("threads per block", description.block, device.max_threads_per_block, of_device);
  if (description.block.size() == 3) add("threads along z", {description.block[2]}, kMostThreadsAlongZ, "every GPU");
  if (description.shared_bytes) {
    add("dynamic shared memory per block", {*description.shared_bytes}, device.max_shared_per_block, of_device);
  }
  return limits;
}

search::Space make_space(const KernelDescription& description, const ProblemValues& problem, const DeviceInfo& device,
                         const std::vector<std::string>& where, search::Listing listing) {
  search::Scope scope = constants(description, problem, device);
  check_problem_constraints(description, problem, scope);
  std::vector<search::Parameter> tuned = parameters(description);
  std::vector<search::Constraint> all = description.constraints;
  for (search::Constraint& limit : device_limits(description, device, tuned, scope)) all.push_back(std::move(limit));
  for (search::Constraint& constraint : where_constraints(description, where, scope))
    all.push_back(std::move(constraint));
  if (description.known_rows) {
    return search::Space(std::move(tuned), description.known_rows, std::move(all), std::move(scope), listing);
  }
  return search::Space(std::move(tuned), std::move(all), std::move(scope), listing);
}

std::string configuration_label(const Task& task, const search::Configuration& configuration) {
  const std::string text = task.space().text(configuration);
  return text.empty() ? "the only configuration" : text;
}

std::optional<double> work(const Task& task, const std::optional<search::Expression>& expression, std::string_view what,
                           const search::Configuration& configuration) {
  if (!expression) return std::nullopt;
  try {
    return expression->evaluate(task.space().scope(configuration)).as_real();
  } catch (const Error& error) {
    throw Error(
        Errc::bad_description,
        fmt::format("{}: work {} of `{}` cannot be computed for {}: {}", task.description().file.filename().string(),
                    what, task.description().kernel, configuration_label(task, configuration), error.what()));
  }
}

constexpr std::string_view kEmptyGrid =
    " CUDA launches no empty grid: let the program skip the launch for this size, which needs no tuning.";

/// One number of a launch, at least `least` and at most 2^32 - 1.
std::uint32_t launch_number(const Task& task, const search::Configuration& configuration, const search::Scope& scope,
                            const search::Expression& expression, std::string_view what, std::int64_t least) {
  const KernelDescription& description = task.description();
  // A T1 file says it beside the kernel's name.
  const std::string& name = description.place.file;
  const std::string place = name.empty() ? description.file.filename().string() : name.substr(0, name.rfind('.'));
  const std::string label = fmt::format("{}: {} of `{}`", place, what, description.kernel);
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_description,
                fmt::format("{} for {}: {}", label, configuration_label(task, configuration), why));
  };
  std::int64_t value = 0;
  try {
    value = expression.evaluate_integer(scope);
  } catch (const Error& error) {
    refuse(error.what());
  }
  if (value < least) {
    refuse(fmt::format("`{}` is {}, but must be at least {}.{}", expression.text(), value, least,
                       value == 0 && what.starts_with("grid") ? kEmptyGrid : ""));
  }
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    refuse(fmt::format("`{}` is {}, more than any launch allows.", expression.text(), value));
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

void check_where(const KernelDescription& description, const std::vector<std::string>& where,
                 const DeviceInfo& device) {
  search::Scope scope = constants(description, {}, device);
  where_constraints(description, where, scope);
}

Task::State::State(std::shared_ptr<const KernelDescription> given, const ProblemValues& values, const DeviceInfo& on,
                   const std::vector<std::string>& further, const std::vector<std::filesystem::path>& include_folders,
                   search::Listing listing)
    : kept(std::move(given)),
      description(*kept),
      device(on),
      problem(complete_problem(description, values)),
      where(further),
      headers(quoted_headers(description, include_folders)),
      own_headers(without_standard(headers)),
      kernel_identity(tuner::kernel_identity(description, headers)),
      space(make_space(description, problem, device, where, listing)),
      arguments(bind_arguments(description, space.constants())) {
  const std::string& source = description.source.empty() ? description.blanked_source : description.source;
  headers = blank_host_code(std::move(headers), description.is_program ? std::string_view(source) : "");
}

Task::Task(KernelDescription description, const ProblemValues& problem, const DeviceInfo& device,
           const std::vector<std::string>& where, const std::vector<std::filesystem::path>& include_folders,
           search::Listing listing)
    : Task(std::make_shared<const KernelDescription>(std::move(description)), problem, device, where, include_folders,
           listing) {}
Task::Task(std::shared_ptr<const KernelDescription> description, const ProblemValues& problem, const DeviceInfo& device,
           const std::vector<std::string>& where, const std::vector<std::filesystem::path>& include_folders,
           search::Listing listing)
    : state_(std::make_unique<const State>(std::move(description), problem, device, where, include_folders, listing)) {}
Task::~Task() = default;
Task::Task(Task&&) noexcept = default;

const KernelDescription& Task::description() const {
  return state_->description;
}
const DeviceInfo& Task::device() const {
  return state_->device;
}
const ProblemValues& Task::problem() const {
  return state_->problem;
}
const search::Space& Task::space() const {
  return state_->space;
}
const std::vector<Header>& Task::headers() const {
  return state_->headers;
}
const std::vector<Header>& Task::own_headers() const {
  return state_->own_headers;
}
const std::vector<ImplicitName>& Task::implicit_names() const {
  state_->looked_for_names.run(
      [this] { state_->implicit_names = tuner::implicit_names(state_->description.blanked_source, state_->headers); });
  return state_->implicit_names;
}
const std::vector<std::string>& Task::where() const {
  return state_->where;
}
std::string Task::kernel_identity() const {
  return state_->kernel_identity;
}
std::string Task::reuse_hash() const {
  return tuner::reuse_hash(state_->description, arguments_with_data());
}
std::vector<BoundArgument> Task::arguments() const {
  return state_->arguments;
}
const std::vector<BoundArgument>& Task::arguments_with_data() const {
  state_->looked_at_files.run([this] {
    std::vector<BoundArgument> arguments = state_->arguments;
    look_at_files(state_->description, arguments);
    state_->arguments_with_data = std::move(arguments);
  });
  return state_->arguments_with_data;
}

cache::DecisionKey Task::key(std::string_view mode) const {
  cache::DecisionKey key;
  key.kernel_name = state_->description.kernel;
  key.kernel_identity = state_->kernel_identity;
  key.problem = problem_text(state_->problem);
  key.device = state_->device.identity();
  key.mode = mode;
  return key;
}

bool Task::accepts(const search::Configuration& configuration) const {
  if (const auto& rows = state_->description.known_rows;
      rows && !std::binary_search(rows->begin(), rows->end(), configuration)) {
    return false;
  }
  const search::Scope scope = state_->space.scope(configuration);
  // The description's own, then the device's limits; `where` is behind them.
  const std::size_t own = state_->description.constraints.size();
  for (std::size_t i = 0; i < state_->space.constraints().size(); ++i) {
    const search::Constraint& constraint = state_->space.constraints()[i];
    if (i >= own && !constraint.holds_where_undefined) break;
    try {
      if (!constraint.expression.evaluate_boolean(scope)) return false;
    } catch (const search::ExpressionError&) {
      // `B % U == 0` with U = 0, which another constraint excludes: the space has said so if none does.
      if (!constraint.holds_where_undefined) return false;
    }
  }
  return true;
}

std::optional<search::Configuration> Task::baseline() const {
  search::Configuration defaults = state_->space.defaults();
  if (!accepts(defaults)) return std::nullopt;
  return defaults;
}

Geometry evaluate_launch(const Task& task, const search::Configuration& configuration, const search::Scope& scope,
                         const LaunchExpressions& launch) {
  constexpr std::string_view kAxes[] = {"x", "y", "z"};
  const auto number = [&](const search::Expression& expression, const std::string& what, std::int64_t least) {
    return launch_number(task, configuration, scope, expression, launch.owner + what, least);
  };
  Geometry geometry;
  for (std::size_t i = 0; i < launch.grid.size() && i < 3; ++i) {
    geometry.grid[i] = number(launch.grid[i], fmt::format("grid {}", kAxes[i]), 1);
  }
  for (std::size_t i = 0; i < launch.block.size() && i < 3; ++i) {
    geometry.block[i] = number(launch.block[i], fmt::format("block {}", kAxes[i]), 1);
  }
  if (launch.shared_bytes) geometry.shared_bytes = number(*launch.shared_bytes, "shared memory", 0);
  return geometry;
}

Geometry Task::geometry(const search::Configuration& configuration) const {
  const KernelDescription& description = state_->description;
  return evaluate_launch(*this, configuration, state_->space.scope(configuration),
                         {"", description.grid, description.block, description.shared_bytes});
}

std::vector<std::size_t> Task::parameters() const {
  std::vector<std::size_t> positions;
  const std::vector<Argument>& arguments = state_->description.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_parameter(arguments[i].role)) positions.push_back(i);
  }
  return positions;
}

std::vector<std::uint64_t> Task::scratch_lengths(const search::Configuration& configuration) const {
  std::vector<std::uint64_t> lengths;
  const KernelDescription& description = state_->description;
  const search::Scope scope = state_->space.scope(configuration);
  for (const Argument& argument : description.arguments) {
    if (argument.role != Argument::Role::scratch) continue;
    const std::string what = fmt::format("{} for {}", argument_label(description, argument, "the length"),
                                         configuration_label(*this, configuration));
    lengths.push_back(buffer_length(what, *argument.length, scope));
  }
  return lengths;
}

std::optional<double> Task::work_bytes(const search::Configuration& configuration) const {
  return work(*this, state_->description.work.bytes, "bytes", configuration);
}

std::optional<double> Task::work_flops(const search::Configuration& configuration) const {
  return work(*this, state_->description.work.flops, "flops", configuration);
}

std::optional<ElementType> Task::work_type() const {
  const KernelDescription& description = state_->description;
  if (description.work.type.empty()) return std::nullopt;
  const std::string what =
      fmt::format("{}: the type of the work of `{}`", description.file.filename().string(), description.kernel);
  return bind_type(description, what, description.work.type, constants(description, state_->problem, state_->device))
      .element;
}

}  // namespace tuner
