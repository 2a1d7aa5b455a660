#include "tuner/explain/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace tuner::explain {
namespace {

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.2f}", value);
  while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
    const bool was_point = text.back() == '.';
    text.pop_back();
    if (was_point) break;
  }
  return text;
}

template <std::size_t Count>
std::string with_unit(double value, double step, const std::array<const char*, Count>& units) {
  std::size_t unit = 0;
  while (unit + 1 < Count && std::abs(value) >= step * 0.9995) {
    value /= step;
    ++unit;
  }
  return *units[unit] == '\0' ? three_digits(value) : fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace

std::string number_text(double value) {
  return with_unit(value, 1e3, std::array{"", "thousand", "million", "billion"});
}

std::string memory_text(double bytes) {
  return with_unit(bytes, 1024, std::array{"bytes", "KB", "MB", "GB"});
}

std::string traffic_text(double bytes) {
  return with_unit(bytes, 1e3, std::array{"bytes", "kB", "MB", "GB", "TB"});
}

std::string count_text(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string moved_text(double slower, double faster, const std::string& unit) {
  return fmt::format("{} from {} to {}{}{}", faster < slower ? "fell" : "rose", number_text(slower),
                     number_text(faster), unit.empty() ? "" : " ", unit);
}

}  // namespace tuner::explain
