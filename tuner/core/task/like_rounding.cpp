#include "tuner/core/task/like_rounding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "tuner/core/base/text.hpp"

namespace tuner {
namespace {

constexpr const char* kRejected = "like_rounding";
constexpr const char* kFastestTime = "like_rounding_ns";
constexpr std::string_view kDigits = "like_rounding_digits ";  // and the buffer
constexpr const char* kExponent = "like_rounding_exponent";

// Two digits and a power of ten.
struct Decimal {
  std::int64_t digits = 0, exponent = 0;
};

Decimal above(double difference) {
  Decimal result;
  result.exponent = std::llround(std::floor(std::log10(difference))) - 1;
  result.digits = std::llround(std::floor(difference / std::pow(10, static_cast<double>(result.exponent)))) + 1;
  return result;
}

// Through text, so that it is the number that the text says.
double value_of(const Decimal& decimal) {
  return std::stod(fmt::format("{}e{}", decimal.digits, decimal.exponent));
}

}  // namespace

void LikeRoundingSummary::add(const LikeRounding& rejected) {
  if (configurations++ == 0 || rejected.time_ns < fastest.time_ns) fastest = rejected;
}

double atol_for(double difference) {
  return value_of(above(difference));
}

std::string text_of(const LikeRoundingSummary& rejected, double winner_ns) {
  const auto& [buffer, atol, time_ns] = rejected.fastest;
  const std::string compared =
      winner_ns > 0 ? fmt::format(", {:.2f} times the winner's time", time_ns / winner_ns) : std::string();
  return fmt::format(
      "{} {} off by what looks like rounding. The fastest took {}{}; `atol {:.2g}` in the directive of "
      "`{}` would accept it",
      counted(static_cast<std::uint64_t>(rejected.configurations), "configuration"),
      rejected.configurations == 1 ? "is" : "are", time_text(time_ns), compared, atol, buffer);
}

void add_to_counters(const LikeRoundingSummary& rejected, std::map<std::string, std::int64_t>& counters) {
  if (rejected.configurations == 0) return;
  const Decimal atol = above(rejected.fastest.atol * 0.999);  // it has two digits already
  counters[kRejected] = rejected.configurations;
  counters[kFastestTime] = std::llround(rejected.fastest.time_ns);
  counters[std::string(kDigits) + rejected.fastest.buffer] = atol.digits;
  counters[kExponent] = atol.exponent;
}

std::optional<LikeRoundingSummary> like_rounding_in(const std::map<std::string, std::int64_t>& counters) {
  const auto count = counters.find(kRejected), time = counters.find(kFastestTime), exponent = counters.find(kExponent);
  const auto digits = counters.lower_bound(std::string(kDigits));
  if (count == counters.end() || time == counters.end() || exponent == counters.end() || digits == counters.end() ||
      !digits->first.starts_with(kDigits) || std::abs(exponent->second) > 300)
    return std::nullopt;
  return LikeRoundingSummary{count->second,
                             {digits->first.substr(kDigits.size()), value_of({digits->second, exponent->second}),
                              static_cast<double>(time->second)}};
}

}  // namespace tuner
