// The kernel that computes the reference, where the description names one: its launch, arguments and macros.
#include <algorithm>

#include "tuner/core/task/task_state.hpp"

namespace tuner {
namespace {

/// The parameter that a constant of the reference replaces, if it is one of named values and this is another of them.
const search::Parameter* named_parameter(const KernelDescription& description, const NamedExpression& constant) {
  for (const ParameterDescription& described : description.parameters) {
    const std::vector<search::Value>& values = described.parameter.values;
    const search::Value value(constant.expression.text());
    if (described.parameter.name != constant.name || !value.is_name()) continue;
    if (std::find(values.begin(), values.end(), value) != values.end()) return &described.parameter;
  }
  return nullptr;
}

/// What expressions of the reference see: the baseline, and its own constants. `baseline` must outlive it.
search::Scope reference_scope(const KernelDescription& description, const search::Scope& baseline) {
  search::Scope scope(&baseline);
  for (const NamedExpression& constant : description.reference.constants) {
    const bool is_named = named_parameter(description, constant) != nullptr;
    const search::Value value =
        is_named ? search::Value(constant.expression.text()) : define_value(description, constant, scope);
    scope.set(constant.name, value);
  }
  return scope;
}

}  // namespace

Geometry Task::reference_geometry(const search::Configuration& baseline) const {
  const KernelDescription& description = state_->description;
  const ReferenceDescription& reference = description.reference;
  const search::Scope outer = state_->space.scope(baseline);
  return evaluate_launch(*this, baseline, reference_scope(description, outer),
                         {"the reference's ", reference.grid.empty() ? description.grid : reference.grid,
                          reference.block.empty() ? description.block : reference.block,
                          reference.shared_bytes ? reference.shared_bytes : description.shared_bytes});
}

std::vector<std::size_t> Task::reference_arguments() const {
  const std::vector<Argument>& arguments = state_->description.arguments;
  std::vector<std::size_t> positions;
  if (const auto& names = state_->description.reference.arguments) {
    for (const std::string& name : *names) {
      const auto is_called_so = [&](const Argument& argument) { return argument.name == name; };
      const auto found = std::find_if(arguments.begin(), arguments.end(), is_called_so);
      positions.push_back(static_cast<std::size_t>(found - arguments.begin()));
    }
    return positions;
  }
  return parameters();
}

std::vector<Macro> Task::reference_constants(const search::Configuration& baseline) const {
  const KernelDescription& description = state_->description;
  const search::Scope outer = state_->space.scope(baseline);
  const search::Scope scope = reference_scope(description, outer);
  std::vector<Macro> constants;
  for (const NamedExpression& constant : description.reference.constants) {
    const search::Value value = scope.get(constant.name);
    const search::Parameter* parameter = named_parameter(description, constant);
    constants.push_back({constant.name, parameter == nullptr ? literal(value) : macro_text(*parameter, value)});
  }
  return constants;
}

std::vector<Macro> Task::reference_macros(const search::Configuration& baseline) const {
  const KernelDescription& description = state_->description;
  const search::Scope outer = state_->space.scope(baseline);
  const search::Scope scope = reference_scope(description, outer);
  std::vector<Macro> all = macros(baseline, scope);
  for (Macro& constant : reference_constants(baseline)) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Macro& m) { return m.name == constant.name; });
    if (same != all.end()) {
      same->text = constant.text;
    } else {
      all.push_back(std::move(constant));
    }
  }
  return all;
}

}  // namespace tuner
