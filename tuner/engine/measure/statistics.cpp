#include "tuner/engine/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

constexpr double kDeviationsPerMad = 1.4826;  // 1 / normal quantile of 3/4

// From here on the series below agrees with the exact quantile to better than 1e-6, for |z| up to 4.
constexpr int kManyDegreesOfFreedom = 40;

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) {
    throw Error(Errc::internal, "A statistic of no values was requested; check the number of samples first.");
  }
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double quantile_of_sorted(const std::vector<double>& values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

// P(|T| > t) for t > 0 by the finite trigonometric sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and
// 26.7.4), theta being atan(t / sqrt(nu)).
double student_two_sided_tail(double t, int nu) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(nu)));
  const double cosine = std::cos(theta);
  const double sine = std::sin(theta);
  const bool odd = nu % 2 == 1;
  double term = odd ? cosine : 1.0;
  double sum = nu == 1 ? 0.0 : term;
  for (int k = odd ? 3 : 2; k < nu; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  return odd ? 1.0 - 2.0 / std::numbers::pi * (theta + sine * sum) : 1.0 - sine * sum;
}

// Abramowitz and Stegun 26.7.5: Student's quantile as a series in 1 / nu around the normal one.
double student_by_series(double z, double nu) {
  const double z2 = z * z;
  const double g1 = (z2 + 1) * z / 4;
  const double g2 = ((5 * z2 + 16) * z2 + 3) * z / 96;
  const double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384;
  const double g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160;
  return z + (g1 + (g2 + (g3 + g4 / nu) / nu) / nu) / nu;
}

}  // namespace

bool is_time(double sample_ns) {
  return std::isfinite(sample_ns) && sample_ns > 0;
}

double quantile(std::span<const double> values, double p) {
  if (!(p >= 0 && p <= 1)) {
    throw Error(Errc::internal, "A quantile lies between 0 and 1, but " + std::to_string(p) + " was requested.");
  }
  return quantile_of_sorted(sorted(values), p);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::size_t winsorised_count(std::size_t values) {
  return values < 5 ? 0 : (values + 9) / 10;
}

WinsorisedMean winsorised_mean(std::span<const double> values) {
  std::vector<double> kept = sorted(values);
  const std::size_t n = kept.size();
  const std::size_t g = winsorised_count(n);
  std::fill_n(kept.begin(), g, kept[g]);
  std::fill_n(kept.rbegin(), g, kept[n - 1 - g]);

  // Deviations from the middle value, not from zero: equal values then give exactly their value and no error.
  const double origin = kept[n / 2];
  double sum = 0;
  for (double value : kept) sum += value - origin;
  const double count = static_cast<double>(n);
  WinsorisedMean result{.mean = origin + sum / count};
  if (n == 1) return result;

  double squares = 0;
  for (double value : kept) squares += (value - result.mean) * (value - result.mean);
  const double freedom = static_cast<double>(n - 2 * g - 1);
  result.standard_error = std::sqrt(squares / (count - 1) / count) * (count - 1) / freedom;
  result.degrees_of_freedom = static_cast<int>(n - 2 * g - 1);
  return result;
}

double relative_spread(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  const double centre = quantile_of_sorted(ordered, 0.5);
  std::vector<double> deviations;
  deviations.reserve(ordered.size());
  for (double value : ordered) deviations.push_back(std::abs(value - centre));
  return kDeviationsPerMad * median(deviations) / centre;
}

double relative_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

double median_of_variance(int degrees_of_freedom) {
  if (degrees_of_freedom < 1) {
    throw Error(Errc::internal, "A variance needs at least one degree of freedom, not " +
                                    std::to_string(degrees_of_freedom) + "; take two samples or more.");
  }
  return std::pow(1 - 2.0 / (9 * degrees_of_freedom), 3);
}

double normal_probability(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double student_critical(double z, int degrees_of_freedom) {
  if (degrees_of_freedom < 1) {
    throw Error(Errc::internal, "Student's t needs at least one degree of freedom, not " +
                                    std::to_string(degrees_of_freedom) + "; take two samples or more.");
  }
  if (z == 0) return 0;
  if (degrees_of_freedom >= kManyDegreesOfFreedom) return student_by_series(z, degrees_of_freedom);

  const double tail = 2 * normal_probability(-std::abs(z));
  double low = std::abs(z);  // Student's tails are the heavier ones
  double high = 2 * low;
  while (student_two_sided_tail(high, degrees_of_freedom) > tail) high *= 2;
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (student_two_sided_tail(middle, degrees_of_freedom) > tail ? low : high) = middle;
  }
  return std::copysign(high, z);
}

}  // namespace tuner::engine
