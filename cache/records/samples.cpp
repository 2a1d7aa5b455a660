#include "cache/records/samples.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tuner::cache {

std::string to_json(std::span<const double> values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::optional<std::vector<double>> doubles_from_json(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<double> values;
  const char* next = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (next != end) {
    double value = 0;
    const auto [after, error] = std::from_chars(next, end, value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    values.push_back(value);
    if (after == end) break;
    if (*after != ',' || after + 1 == end) return std::nullopt;
    next = after + 1;
  }
  return values;
}

}  // namespace tuner::cache
