#include "tuner/core/base/geometry.hpp"

#include <fmt/format.h>

namespace tuner {

std::string Geometry::text() const {
  return fmt::format("grid={}x{}x{} block={}x{}x{} shared={}", grid[0], grid[1], grid[2], block[0], block[1], block[2],
                     shared_bytes);
}

}  // namespace tuner
