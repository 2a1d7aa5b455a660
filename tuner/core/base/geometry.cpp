#include "tuner/core/base/geometry.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace tuner {

std::string Geometry::text() const {
  return fmt::format("grid={}x{}x{} block={}x{}x{} shared={}", grid[0], grid[1], grid[2], block[0], block[1], block[2],
                     shared_bytes);
}

std::optional<Geometry> geometry_from_text(std::string_view text) {
  Geometry geometry;
  const auto skip = [&](std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  const auto number = [&](std::uint32_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  const auto sizes = [&](std::array<std::uint32_t, 3>& size) {
    return number(size[0]) && skip("x") && number(size[1]) && skip("x") && number(size[2]);
  };
  const bool is_one = skip("grid=") && sizes(geometry.grid) && skip(" block=") && sizes(geometry.block) &&
                      skip(" shared=") && number(geometry.shared_bytes) && text.empty();
  return is_one ? std::optional(geometry) : std::nullopt;
}

}  // namespace tuner
