#include "tuner/core/task/unproven.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/text.hpp"

namespace tuner {
namespace {

std::string text_of(const Unproven& one) {
  switch (one.why) {
    case Unproven::Why::not_a_number:
      return fmt::format("{} of {} elements of `{}` are not numbers", grouped(one.elements), grouped(one.of),
                         one.buffer);
    case Unproven::Why::one_value:
      return fmt::format("all {} elements of `{}` are one value within its tolerance", grouped(one.elements),
                         one.buffer);
    case Unproven::Why::unchanged:
      return fmt::format("`{}` still holds, within its tolerance, what it held before", one.buffer);
    case Unproven::Why::same_for_seeds:
      return fmt::format("`{}` is the same for two seeds of the inputs", one.buffer);
    case Unproven::Why::behind_count:
      return fmt::format("{} elements of `{}` are written behind its count, where nothing is compared",
                         grouped(one.elements), one.buffer);
  }
  return {};
}

std::string counter(Unproven::Why why) {
  return fmt::format("{}{}", kUnproven, to_string(why));
}

}  // namespace

std::string_view to_string(Unproven::Why why) {
  for (const UnprovenName& entry : kUnprovenNames) {
    if (entry.why == why) return entry.name;
  }
  return "unknown";
}

bool has_one_element(const BoundArgument& output, std::uint64_t compared) {
  return compared <= static_cast<std::uint64_t>(std::max(output.lanes, 1));
}

void add_unproven(const BoundArgument& output, const FromImpostors& found, std::vector<Unproven>& to) {
  const auto& [all, not_numbers, other_than_first, changed] = found;
  if (not_numbers > 0) to.push_back({output.name, Unproven::Why::not_a_number, not_numbers, all});
  if (output.is_trivial) return;
  const bool can_differ = !has_one_element(output, all) || not_numbers == all;
  if (can_differ && other_than_first <= output.may_differ)
    to.push_back({output.name, Unproven::Why::one_value, all, all});
  if (changed && *changed <= output.may_differ) to.push_back({output.name, Unproven::Why::unchanged, all, all});
}

std::string text_of(const std::vector<Unproven>& unproven) {
  std::string text;
  for (const Unproven& one : unproven) text += (text.empty() ? "" : "; ") + text_of(one);
  return text;
}

void add_to_counters(const std::vector<Unproven>& unproven, std::map<std::string, std::int64_t>& counters) {
  for (const Unproven& one : unproven) {
    counters[counter(one.why) + " " + one.buffer] = static_cast<std::int64_t>(one.elements);
    counters[counter(one.why) + "_of " + one.buffer] = static_cast<std::int64_t>(one.of);
  }
}

std::vector<Unproven> unproven_in(const std::map<std::string, std::int64_t>& counters) {
  std::vector<Unproven> result;
  for (const auto& [why, unused] : kUnprovenNames) {
    const std::string prefix = counter(why) + " ";
    for (auto at = counters.lower_bound(prefix); at != counters.end() && at->first.starts_with(prefix); ++at) {
      const std::string buffer = at->first.substr(prefix.size());
      const auto of = counters.find(counter(why) + "_of " + buffer);
      result.push_back({buffer, why, static_cast<std::uint64_t>(at->second),
                        of == counters.end() ? 0 : static_cast<std::uint64_t>(of->second)});
    }
  }
  return result;
}

}  // namespace tuner
