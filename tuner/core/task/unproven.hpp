#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/bound_argument.hpp"

namespace tuner {

/// An output of the reference that says less about a candidate than a comparison seems to.
struct Unproven {
  enum class Why {
    not_a_number,    ///< some elements are NaN: any NaN agrees with them
    one_value,       ///< every element has the same value within the tolerance: a kernel that only fills it agrees
    unchanged,       ///< inout: still within the tolerance of what it held before: a kernel that does nothing agrees
    same_for_seeds,  ///< the same bits for two seeds of the inputs
    behind_count,    ///< written behind the number of elements that another output says there are
  };
  std::string buffer;
  Why why = Why::not_a_number;
  std::uint64_t elements = 0;  ///< so many of them
  std::uint64_t of = 0;        ///< how many the output has
  friend bool operator==(const Unproven&, const Unproven&) = default;
};

struct UnprovenName {
  Unproven::Why why;
  std::string_view name;
};
/// As in JSON and in the counters of a decision.
inline constexpr std::array<UnprovenName, 5> kUnprovenNames{{{Unproven::Why::not_a_number, "not_a_number"},
                                                             {Unproven::Why::one_value, "one_value"},
                                                             {Unproven::Why::unchanged, "unchanged"},
                                                             {Unproven::Why::same_for_seeds, "same_for_seeds"},
                                                             {Unproven::Why::behind_count, "behind_count"}}};
std::string_view to_string(Unproven::Why why);

/// How an output of the reference differs from what kernels leave that compute nothing.
struct FromImpostors {
  std::uint64_t compared = 0;            ///< elements of the output
  std::uint64_t not_numbers = 0;         ///< of them
  std::uint64_t other_than_first = 0;    ///< of its lane: one that only fills the output agrees with the rest
  std::optional<std::uint64_t> changed;  ///< inout: one that does nothing agrees with the rest
};
/// Whether it has one value in any case, where so many of its elements are compared.
bool has_one_element(const BoundArgument& output, std::uint64_t compared);
void add_unproven(const BoundArgument& output, const FromImpostors& found, std::vector<Unproven>& to);

/// "all 1,000 elements of `y` are one value within its tolerance; 3 of 64 elements of `z` are not numbers"
std::string text_of(const std::vector<Unproven>& unproven);

/// As counters of a decision, which is how it is stored: "unproven_one_value y" and "unproven_one_value_of y".
inline constexpr std::string_view kUnproven = "unproven_";
void add_to_counters(const std::vector<Unproven>& unproven, std::map<std::string, std::int64_t>& counters);
/// What add_to_counters wrote, by kind and then by the buffers' names.
std::vector<Unproven> unproven_in(const std::map<std::string, std::int64_t>& counters);

}  // namespace tuner
