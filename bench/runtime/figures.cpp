#include "bench/runtime/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tuner::bench {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void print_figure(std::string_view what, double value, std::string_view unit, Asked asked) {
  std::string limit = "-", met = "-";
  if (asked.at_most) limit = fmt::format("at most {:.4g} {}", *asked.at_most, unit);
  if (asked.at_least) limit = fmt::format("at least {:.4g} {}", *asked.at_least, unit);
  if (asked.at_most || asked.at_least) {
    const bool well = value <= asked.at_most.value_or(value) && value >= asked.at_least.value_or(value);
    met = well ? "yes" : "NO";
  }
  fmt::print("| {} | {:.4g} {} | {} | {} |\n", what, value, unit, limit, met);
  std::fflush(stdout);
}

}  // namespace tuner::bench
