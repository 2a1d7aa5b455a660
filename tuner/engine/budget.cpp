#include <fmt/format.h>

#include <charconv>

#include "tuner/core/text.hpp"
#include "tuner/engine/session.hpp"

namespace tuner::engine {

Budget Budget::parse(const std::string& text) {
  Budget budget;
  if (const auto time = duration_from_text(text)) {
    budget.time = time;
    return budget;
  }
  std::uint64_t evaluations = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, evaluations);
  if (error != std::errc() || last != end || evaluations == 0) {
    throw Error(
        Errc::bad_usage,
        fmt::format("A budget is a number of configurations, such as 200, or a time, such as 60s, 5min or 250ms; "
                    "`{}` is neither.",
                    text));
  }
  budget.evaluations = evaluations;
  return budget;
}

}  // namespace tuner::engine
