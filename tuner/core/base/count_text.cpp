#include "tuner/core/base/count_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

std::optional<std::int64_t> read_digits(std::string_view text) {
  std::int64_t value = 0;
  const bool all_digits = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!all_digits || error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> shifted(std::string_view digits, std::int64_t bits) {
  const std::optional<std::int64_t> value = read_digits(digits);
  if (!value || bits > 62 || *value > std::numeric_limits<std::int64_t>::max() >> bits) return std::nullopt;
  return *value << bits;
}

}  // namespace

std::optional<std::int64_t> read_count(std::string_view text) {
  if (const std::size_t shift = text.find("<<"); shift != std::string_view::npos) {
    const std::optional<std::int64_t> bits = read_digits(search::trimmed(text.substr(shift + 2)));
    if (!bits) return std::nullopt;
    return shifted(search::trimmed(text.substr(0, shift)), *bits);
  }
  if (text.ends_with('i')) text.remove_suffix(1);
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  return shifted(text.substr(0, text.size() - 1), 10 * static_cast<std::int64_t>(unit + 1));
}

std::optional<double> read_byte_count(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  if (const auto count = read_count(text)) return static_cast<double>(*count);
  if (text.ends_with('B')) text.remove_suffix(1);
  if (text.ends_with('i')) text.remove_suffix(1);
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  double size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::ldexp(size, 10 * (static_cast<int>(unit) + 1));
}

}  // namespace tuner
