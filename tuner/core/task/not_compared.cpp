#include "tuner/core/task/not_compared.hpp"

#include <fmt/format.h>

#include "tuner/core/base/text.hpp"

namespace tuner {
namespace {

/// The name of a buffer's counter: of how many, or with "_from" or "_of".
std::string not_compared_counter(std::string_view which, std::string_view buffer) {
  return fmt::format("{}{} {}", kNotCompared, which, buffer);
}

}  // namespace

std::string text_of(const std::vector<NotCompared>& not_compared) {
  std::string text;
  for (const auto& [buffer, elements, first, of] : not_compared) {
    text += fmt::format("{}{} of {} elements of `{}` (the first is {})", text.empty() ? "" : "; ", grouped(elements),
                        grouped(of), buffer, grouped(first));
  }
  return text;
}

void add_to_counters(const std::vector<NotCompared>& not_compared, std::map<std::string, std::int64_t>& counters) {
  for (const auto& [buffer, elements, first, of] : not_compared) {
    counters[not_compared_counter("", buffer)] = static_cast<std::int64_t>(elements);
    counters[not_compared_counter("_from", buffer)] = static_cast<std::int64_t>(first);
    counters[not_compared_counter("_of", buffer)] = static_cast<std::int64_t>(of);
  }
}

std::vector<NotCompared> not_compared_in(const std::map<std::string, std::int64_t>& counters) {
  const auto at = [&](const std::string& name) -> std::uint64_t {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : static_cast<std::uint64_t>(found->second);
  };
  const std::string prefix = not_compared_counter("", "");
  std::vector<NotCompared> result;
  for (const auto& [name, count] : counters) {
    if (!name.starts_with(prefix)) continue;
    const std::string buffer = name.substr(prefix.size());
    result.push_back(
        {buffer, at(name), at(not_compared_counter("_from", buffer)), at(not_compared_counter("_of", buffer))});
  }
  return result;
}

}  // namespace tuner
