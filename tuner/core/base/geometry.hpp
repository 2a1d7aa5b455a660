#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tuner {

/// Threads and bytes of one launch.
struct Geometry {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;  ///< dynamic
  std::string text() const;        ///< "grid=528x1x1 block=128x1x1 shared=0"
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// Of every GPU since compute capability 3.0: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability".
inline constexpr std::array<std::int64_t, 3> kMostBlocks{2147483647, 65535, 65535};
inline constexpr std::int64_t kMostThreadsAlongZ = 64;

/// The reverse of text(); nothing for any other text.
std::optional<Geometry> geometry_from_text(std::string_view text);

}  // namespace tuner
