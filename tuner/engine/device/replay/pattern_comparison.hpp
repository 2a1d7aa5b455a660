#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tuner/core/base/element_type.hpp"
#include "tuner/engine/device/lane/replay.hpp"

namespace tuner::engine {

/// The second one is a large negative number in every type that has a sign, the third a large one in every type: what
/// a maximum or a minimum leaves alone is one of them.
inline constexpr unsigned char kPatterns[kPatternCount] = {0x00, 0xcb, 0x7b};

/// Memory around launches over the patterns: after each, and what the program had.
struct PatternedMemory {
  std::span<const std::byte> left[kPatternCount], before, after;
  std::optional<ElementType> element;
  std::uint32_t records = 0;  ///< as ReplayLaunch has it
};
/// What follows the patterns and yet changed in the program depends on what is there. Compares in threads.
PatternResult compare_patterned(const PatternedMemory& memory);

}  // namespace tuner::engine
