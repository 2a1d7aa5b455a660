#pragma once

#include <cstdint>
#include <span>

#include "tuner/core/task/bound_argument.hpp"

namespace tuner::engine {

/// Bytes before and after every buffer that show a write beside it.
inline constexpr std::uint64_t kGuardBytes = 64 * 1024;

/// Numbers in an argument's buffer: its length times its lanes.
std::uint64_t element_count(const BoundArgument& argument);

/// Bytes that the buffers of these arguments will take on the device, scratch aside.
std::uint64_t bytes_needed(std::span<const BoundArgument> arguments);

}  // namespace tuner::engine
