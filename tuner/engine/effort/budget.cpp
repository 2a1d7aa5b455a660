#include "tuner/engine/effort/budget.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

struct Amount {
  double number = 0;
  std::string_view unit;
};

/// Nothing if the text does not begin with a number above 0.
std::optional<Amount> amount(std::string_view text) {
  Amount result;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, result.number);
  if (error != std::errc() || !std::isfinite(result.number) || result.number <= 0) return std::nullopt;
  result.unit = {last, static_cast<std::size_t>(end - last)};
  return result;
}

std::optional<std::uint64_t> count(std::string_view text) {
  std::uint64_t result = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc() || last != end || result == 0) return std::nullopt;
  return result;
}

/// As a share of one.
std::optional<double> percentage(std::string_view text) {
  const auto found = amount(text);
  if (!found || found->unit != "%") return std::nullopt;
  return found->number / 100;
}

template <typename T>
void set_once(std::optional<T>& limit, const T& value, const char* what, const std::string& text) {
  if (limit) {
    throw Error(Errc::bad_usage, fmt::format("The budget names {} twice, the second time as `{}`. The first limit to "
                                             "be reached ends the search: remove one.",
                                             what, text));
  }
  limit = value;
}

}  // namespace

void Budget::add(const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (const auto duration = duration_from_text(part)) {
      set_once(time, *duration, "a time", part);
    } else if (const auto configurations = count(part)) {
      set_once(evaluations, *configurations, "a number of configurations", part);
    } else if (const auto percent = percentage(part); percent && *percent <= 1) {
      set_once(share, *percent, "a share of the space", part);
    } else {
      throw Error(
          Errc::bad_usage,
          fmt::format(
              "A budget is a number of configurations, such as 200, a time, such as 60s, 5min or 250ms, a share of the "
              "space, such as 10%, or several of these with commas between; `{}` is none of these.",
              part));
    }
  }
}

Budget Budget::parse(const std::string& text) {
  Budget budget;
  budget.add(text);
  return budget;
}

void Budget::stop_at(const std::string& text) {
  const auto found = amount(text);
  const std::string_view unit = found ? found->unit : std::string_view();
  const double scale = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 0;
  if (scale > 0) {
    target_ns = found->number * scale;
  } else if (unit == "x" && found->number > 1) {
    target_speedup = found->number;
  } else if (unit == "%" && found->number <= 100) {
    roofline = found->number / 100;
  } else {
    throw Error(
        Errc::bad_usage,
        fmt::format("--stop-at takes a kernel's time, such as 0.21ms or 210us, a speed-up over the baseline, such as "
                    "1.5x, or a share of what the GPU can reach, such as 95%; `{}` is none of these.",
                    text));
  }
}

void Budget::stop_when_gain_below(const std::string& text) {
  const auto percent = percentage(text);
  if (!percent || *percent > 1) {
    throw Error(
        Errc::bad_usage,
        fmt::format("--stop-when-gain-below takes a percentage above 0 and up to 100, such as 2%; `{}` is not one.",
                    text));
  }
  gain = *percent;
}

}  // namespace tuner::engine
