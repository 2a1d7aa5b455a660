#include "tuner/engine/measure/paired_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {

Ratio paired_ratio(std::span<const double> first_ns, std::span<const double> second_ns) {
  constexpr double kErrors = 3;
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(first_ns.size(), second_ns.size()); ++i)
    differences.push_back(std::log(first_ns[i]) - std::log(second_ns[i]));
  const WinsorisedMean mean = winsorised_mean(differences);
  const double ratio = std::exp(mean.mean);
  if (mean.degrees_of_freedom < 1) return {ratio, 0, std::numeric_limits<double>::infinity()};
  const double half = student_critical(kErrors, mean.degrees_of_freedom) * mean.standard_error;
  return {ratio, std::exp(mean.mean - half), std::exp(mean.mean + half)};
}

}  // namespace tuner::engine
