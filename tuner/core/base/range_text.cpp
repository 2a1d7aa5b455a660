#include "tuner/core/base/range_text.hpp"

namespace tuner {

std::optional<RangeText> find_range(std::string_view text) {
  constexpr std::string_view kStep = "step";
  const std::size_t dots = text.starts_with('"') ? std::string_view::npos : text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(dots + 2);
  RangeText range{text.substr(0, dots), rest, {}};
  if (const std::size_t word = rest.find(kStep); word != std::string_view::npos) {
    range.to = rest.substr(0, word);
    range.step = rest.substr(word + kStep.size());
    return range;
  }
  for (std::size_t i = rest.size(); i-- > 1;) {
    const bool is_mark = rest[i] == 'x' || rest[i] == '+';
    if (!is_mark || (rest[i - 1] != ' ' && rest[i - 1] != '\t')) continue;
    range.to = rest.substr(0, i);
    range.step = rest.substr(i + 1);
    range.multiplies = rest[i] == 'x';
    return range;
  }
  return range;
}

std::optional<std::int64_t> next_of(const Range& range, std::int64_t value) {
  if (range.multiplies) return value > range.to / range.step ? std::nullopt : std::optional(value * range.step);
  // What is left to the end may not fit in 64 bits with a sign.
  const std::uint64_t left = static_cast<std::uint64_t>(range.to) - static_cast<std::uint64_t>(value);
  return left < static_cast<std::uint64_t>(range.step) ? std::nullopt : std::optional(value + range.step);
}

}  // namespace tuner
