#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tuner {

/// Where the parts of a range stand that somebody wrote: `1..16`, `0..100 step 25` or `0..100 +25`, `64..8192 x2`. A
/// blank stands before `x` and `+`, which a hexadecimal number and a sign do not have.
struct RangeText {
  std::string_view from, to, step;  ///< of the text, perhaps with blanks around; no step: without data
  bool multiplies = false;          ///< by the step, instead of adding it
};
/// Nothing if there are no two dots in it, or if it is in quotes.
std::optional<RangeText> find_range(std::string_view text);

struct Range {
  std::int64_t from = 0, to = 0, step = 1;  ///< from <= to; step >= 1, or >= 2 and from >= 1 if it multiplies
  bool multiplies = false;
};
/// The value after `value`; nothing behind the end.
std::optional<std::int64_t> next_of(const Range& range, std::int64_t value);

}  // namespace tuner
