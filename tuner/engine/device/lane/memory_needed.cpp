#include "tuner/engine/device/lane/memory_needed.hpp"

#include <algorithm>

namespace tuner::engine {
namespace {

constexpr std::uint64_t kWidestAccess = 16;

/// What the type needs: vectors are accessed as a whole.
std::uint64_t natural_alignment(const BoundArgument& argument) {
  const auto lanes = static_cast<std::uint64_t>(std::max(argument.lanes, 1));
  return std::min(size_of(argument.type) * (lanes == 3 ? 1 : lanes), kWidestAccess);
}

}  // namespace

std::uint64_t guard_bytes(const BoundArgument& argument) {
  return std::max(kGuardBytes, argument.padding);
}

std::uint64_t fenced_alignment(const BoundArgument& argument) {
  if (argument.alignment == 0) return kWidestAccess;
  return std::max(argument.alignment, natural_alignment(argument));
}

std::uint64_t least_alignment(const BoundArgument& argument) {
  return argument.alignment == 0 ? natural_alignment(argument) : fenced_alignment(argument);
}

std::uint64_t element_count(const BoundArgument& argument) {
  return argument.length * static_cast<std::uint64_t>(std::max(argument.lanes, 1));
}

std::uint64_t bytes_needed(std::span<const BoundArgument> arguments) {
  std::uint64_t total = 0;
  for (const BoundArgument& argument : arguments) {
    if (is_by_value(argument.role)) continue;
    const std::uint64_t bytes = element_count(argument) * size_of(argument.type);
    if (argument.role == Argument::Role::constant) {
      total += bytes;
      continue;
    }
    int copies = 1;
    if (argument.role == Argument::Role::out) copies = 2;
    if (argument.role == Argument::Role::inout) copies = 3;
    total += copies * bytes + 2 * guard_bytes(argument);
  }
  return total;
}

}  // namespace tuner::engine
