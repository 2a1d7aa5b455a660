#pragma once

#include <cstdint>
#include <span>

#include "tuner/core/task/bound_argument.hpp"

namespace tuner::engine {

/// Bytes before and after every buffer that show a write beside it.
inline constexpr std::uint64_t kGuardBytes = 64 * 1024;

/// The same of this argument's buffer: what may be read beside it at least.
std::uint64_t guard_bytes(const BoundArgument& argument);

/// Alignment of a buffer whose end is fenced: as declared, but no less than the type's own; else 16 bytes, enough for
/// all accesses but the 32-byte ones of the newest GPUs.
std::uint64_t fenced_alignment(const BoundArgument& argument);
/// The least alignment with which it can be launched, as far as its description tells.
std::uint64_t least_alignment(const BoundArgument& argument);

/// Numbers in an argument's buffer: its length times its lanes.
std::uint64_t element_count(const BoundArgument& argument);

/// Bytes that the buffers of these arguments will take on the device, scratch aside.
std::uint64_t bytes_needed(std::span<const BoundArgument> arguments);

}  // namespace tuner::engine
