#include "tuner/core/task/launch_facts.hpp"

#include <bit>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/task/argument_binding.hpp"

namespace tuner {
namespace {

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
                                       const std::vector<BoundArgument>& arguments) {
  std::vector<BoundScalar> bound;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& described = description.arguments[i];
    if (described.role != Argument::Role::scalar || arguments[i].lanes > 1) continue;
    if (described.value && !depends_on_problem(description, *described.value)) continue;
    if (const auto bits = bits_of(arguments[i])) {
      bound.push_back({i, static_cast<std::uint32_t>(size_of(arguments[i].type)), *bits});
    }
  }
  return bound;
}

std::vector<BufferNeed> buffer_needs(const std::vector<BoundArgument>& arguments,
                                     const std::vector<std::uint64_t>& scratch_lengths) {
  std::size_t next_scratch = 0;
  std::vector<BufferNeed> needs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (is_by_value(argument.role)) continue;
    const bool is_scratch = argument.role == Argument::Role::scratch;
    const std::uint64_t elements = is_scratch ? scratch_lengths[next_scratch++] : argument.length;
    needs.push_back({i, elements, elements * element_size(argument), argument.alignment, argument.padding, is_scratch});
  }
  return needs;
}

}  // namespace

LaunchFacts launch_facts(const Task& task, const search::Configuration& configuration) {
  LaunchFacts facts;
  facts.kernel = task.description().kernel;
  facts.geometry = task.geometry(configuration);
  facts.arguments = task.arguments();
  for (BoundArgument& argument : facts.arguments) argument.file = argument.expected = std::nullopt;  // of tuning alone
  facts.bound = bound_scalars(task.description(), facts.arguments);
  facts.buffers = buffer_needs(facts.arguments, task.scratch_lengths(configuration));
  const search::Space& space = task.space();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    facts.values.push_back({space.parameters()[i].name, space.value(configuration, i)});
  }
  return facts;
}

}  // namespace tuner
