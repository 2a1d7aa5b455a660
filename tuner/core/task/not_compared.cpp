#include "tuner/core/task/not_compared.hpp"

#include <fmt/format.h>

#include "tuner/core/base/text.hpp"

namespace tuner {
namespace {

const std::string kCount = std::string(kNotCompared) + " ";
const std::string kFirst = std::string(kNotCompared) + "_from ";
const std::string kOf = std::string(kNotCompared) + "_of ";

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
    counters[kCount + buffer] = static_cast<std::int64_t>(elements);
    counters[kFirst + buffer] = static_cast<std::int64_t>(first);
    counters[kOf + buffer] = static_cast<std::int64_t>(of);
  }
}

std::vector<NotCompared> not_compared_in(const std::map<std::string, std::int64_t>& counters) {
  const auto at = [&](const std::string& name) -> std::uint64_t {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : static_cast<std::uint64_t>(found->second);
  };
  std::vector<NotCompared> result;
  for (const auto& [name, count] : counters) {
    if (!name.starts_with(kCount)) continue;
    const std::string buffer = name.substr(kCount.size());
    result.push_back({buffer, at(name), at(kFirst + buffer), at(kOf + buffer)});
  }
  return result;
}

}  // namespace tuner
