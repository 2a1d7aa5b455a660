#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// Elements of an output that the reference leaves unwritten: nothing says what is right there.
struct NotCompared {
  std::string buffer;
  std::uint64_t elements = 0;  ///< how many
  std::uint64_t first = 0;     ///< index of the first
  std::uint64_t of = 0;        ///< how many the output has
  /// All from `first` on: the output may be declared too long.
  bool is_tail() const { return elements > 0 && elements == of - first; }
  friend bool operator==(const NotCompared&, const NotCompared&) = default;
};

/// "3 of 1,000 elements of `y` (the first is 10); 1 of 5 elements of `z` (the first is 0)"
std::string text_of(const std::vector<NotCompared>& not_compared);

/// Counter of a decision whose winner was verified again on the inputs of the search, because no other seed gives
/// others.
inline constexpr const char* kSameInputsCounter = "same_inputs";

/// As counters of a decision, which is how it is stored: "not_compared y", "not_compared_from y", "not_compared_of y".
inline constexpr std::string_view kNotCompared = "not_compared";
void add_to_counters(const std::vector<NotCompared>& not_compared, std::map<std::string, std::int64_t>& counters);
/// What add_to_counters wrote, by the buffers' names.
std::vector<NotCompared> not_compared_in(const std::map<std::string, std::int64_t>& counters);

}  // namespace tuner
