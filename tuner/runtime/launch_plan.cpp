#include "tuner/runtime/launch_plan.hpp"

#include <algorithm>

namespace tuner::detail {

std::vector<BufferNeed> buffer_needs(const Task& task, const search::Configuration& configuration) {
  const std::vector<BoundArgument> arguments = task.arguments();
  const std::vector<std::uint64_t> scratch_lengths = task.scratch_lengths(configuration);
  std::size_t next_scratch = 0;
  std::vector<BufferNeed> needs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (argument.role == Argument::Role::scalar) continue;
    const bool is_scratch = argument.role == Argument::Role::scratch;
    const std::uint64_t elements = is_scratch ? scratch_lengths[next_scratch++] : argument.length;
    const std::uint64_t bytes =
        elements * static_cast<std::uint64_t>(std::max(argument.lanes, 1)) * size_of(argument.type);
    needs.push_back({i, elements, bytes, argument.alignment, is_scratch});
  }
  return needs;
}

TunedValues tuned_values(const search::Space& space, const search::Configuration& configuration) {
  std::vector<TunedValues::Named> values;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const search::Value& value = space.value(configuration, i);
    TunedValues::Named named{space.parameters()[i].name, value.is_name() ? value.as_name() : std::string()};
    if (value.is_integer()) named.value = value.as_integer();
    if (value.is_real()) named.value = value.as_real();
    if (value.is_boolean()) named.value = value.as_boolean();
    values.push_back(std::move(named));
  }
  return TunedValues(std::move(values));
}

}  // namespace tuner::detail
