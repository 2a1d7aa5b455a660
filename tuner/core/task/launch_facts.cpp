#include "tuner/core/task/launch_facts.hpp"

#include <algorithm>
#include <bit>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/task/argument_binding.hpp"

namespace tuner {
namespace {

/// Whether the value follows from the problem, by way of lets too.
bool depends_on_problem(const KernelDescription& description, const search::Expression& expression, int depth = 0) {
  constexpr int kDeepest = 200;  // lets that need themselves are errors elsewhere
  for (const std::string& name : expression.names()) {
    const auto is_it = [&](const auto& named) { return named.name == name; };
    if (std::any_of(description.problem.begin(), description.problem.end(), is_it)) return true;
    const auto let = std::find_if(description.names.begin(), description.names.end(), is_it);
    if (let != description.names.end() && depth < kDeepest &&
        depends_on_problem(description, let->expression, depth + 1))
      return true;
  }
  return false;
}

/// The bytes of a value as the kernel takes them; nothing where that is not known here.
std::optional<std::uint64_t> bits_of(const BoundArgument& argument) {
  if (argument.type == ElementType::float64) return std::bit_cast<std::uint64_t>(argument.value.as_real());
  if (argument.type == ElementType::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(argument.value.as_real()));
  if (is_real(argument.type)) return std::nullopt;
  const std::size_t size = size_of(argument.type);
  const auto bits = static_cast<std::uint64_t>(argument.value.as_integer());
  return size == 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
}

std::vector<BoundScalar> bound_scalars(const KernelDescription& description,
                                       const std::vector<CallArgument>& arguments) {
  std::vector<BoundScalar> bound;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& described = description.arguments[i];
    if (described.role != Argument::Role::scalar || arguments[i].bound.lanes > 1) continue;
    if (described.value && !depends_on_problem(description, *described.value)) continue;
    if (const auto bits = bits_of(arguments[i].bound)) {
      bound.push_back({i, static_cast<std::uint32_t>(size_of(arguments[i].bound.type)), *bits});
    }
  }
  return bound;
}

std::vector<BufferNeed> buffer_needs(const std::vector<CallArgument>& arguments,
                                     const std::vector<std::uint64_t>& scratch_lengths) {
  std::size_t next_scratch = 0;
  std::vector<BufferNeed> needs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i].bound;
    if (argument.role == Argument::Role::scalar) continue;
    const bool is_scratch = argument.role == Argument::Role::scratch;
    const std::uint64_t elements = is_scratch ? scratch_lengths[next_scratch++] : argument.length;
    const std::uint64_t bytes =
        elements * static_cast<std::uint64_t>(std::max(argument.lanes, 1)) * size_of(argument.type);
    needs.push_back({i, elements, bytes, argument.alignment, is_scratch});
  }
  return needs;
}

}  // namespace

std::vector<CallArgument> call_arguments(const Task& task) {
  const KernelDescription& description = task.description();
  const std::vector<BoundArgument> bound = task.arguments();
  std::vector<CallArgument> arguments;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Argument& described = description.arguments[i];
    const bool varies = described.role == Argument::Role::scratch && described.length &&
                        depends_on_parameters(description, *described.length);
    arguments.push_back({bound[i], varies});
  }
  return arguments;
}

LaunchFacts launch_facts(const Task& task, const search::Configuration& configuration) {
  LaunchFacts facts;
  facts.kernel = task.description().kernel;
  facts.geometry = task.geometry(configuration);
  facts.arguments = call_arguments(task);
  facts.bound = bound_scalars(task.description(), facts.arguments);
  facts.buffers = buffer_needs(facts.arguments, task.scratch_lengths(configuration));
  const search::Space& space = task.space();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    facts.values.push_back({space.parameters()[i].name, space.value(configuration, i)});
  }
  return facts;
}

}  // namespace tuner
