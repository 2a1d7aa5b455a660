#pragma once

#include <cstdint>
#include <string_view>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// The most bytes that can be declared readable on either side of a buffer.
inline constexpr std::int64_t kMostPadding = std::int64_t{1} << 30;

/// Gives the buffer NAME of "NAME=BYTES" that padding, as `pad BYTES` in its directive would. The description is no
/// longer what its source says. Throws Error{bad_usage}.
void set_padding(KernelDescription& description, std::string_view assignment);

}  // namespace tuner
