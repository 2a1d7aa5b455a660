#include "tuner/engine/device/lane/memory_needed.hpp"

#include <algorithm>

namespace tuner::engine {

std::uint64_t element_count(const BoundArgument& argument) {
  return argument.length * static_cast<std::uint64_t>(std::max(argument.lanes, 1));
}

std::uint64_t bytes_needed(std::span<const BoundArgument> arguments) {
  std::uint64_t total = 0;
  for (const BoundArgument& argument : arguments) {
    if (argument.role == Argument::Role::scalar) continue;
    const std::uint64_t bytes = element_count(argument) * size_of(argument.type);
    if (argument.role == Argument::Role::constant) {
      total += bytes;
      continue;
    }
    int copies = 1;
    if (argument.role == Argument::Role::out) copies = 2;
    if (argument.role == Argument::Role::inout) copies = 3;
    total += copies * bytes + 2 * kGuardBytes;
  }
  return total;
}

}  // namespace tuner::engine
