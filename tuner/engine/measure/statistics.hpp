#pragma once

#include <cstddef>
#include <span>

namespace tuner::engine {

/// Whether a sample can be a duration: finite and above zero. The functions and machines of this folder take only such
/// samples, because they work in log(time).
bool is_time(double sample_ns);

/// The value below which a fraction `p` (0 to 1) of the values lies, interpolated linearly between order statistics
/// (Hyndman and Fan's type 7, the default of R and NumPy). Throws Error{internal} for no values or `p` out of range.
double quantile(std::span<const double> values, double p);

/// The middle value, or the mean of the two middle ones. Throws Error{internal} for no values.
double median(std::span<const double> values);

/// A centre and how well it is known, robust against a tenth of wild values at either end.
struct WinsorisedMean {
  double mean = 0;
  double standard_error = 0;   ///< 0 for a single value, which says nothing about its error
  int degrees_of_freedom = 0;  ///< of Student's t for this standard error; 0 for a single value
};

/// How many values at each end `winsorised_mean` replaces: a tenth, rounded up, and none of fewer than five. Rounding
/// up lets the first eight blocks of a race survive one outlier.
std::size_t winsorised_count(std::size_t values);

/// The mean after the g = winsorised_count(n) smallest values were set to the next larger and the g largest to the next
/// smaller. Its standard error is s_w / sqrt(n) * (n - 1) / (n - 2g - 1) with n - 2g - 1 degrees of freedom: Dixon and
/// Tukey, "Approximate behavior of the distribution of Winsorized t", Technometrics 10 (1968).
/// Throws Error{internal} for no values.
WinsorisedMean winsorised_mean(std::span<const double> values);

/// Spread of a single sample relative to the median: 1.4826 times the median absolute deviation, which is the standard
/// deviation where the noise is normal, over the median. 0 for a single value. Throws Error{internal} for no values.
double relative_spread(std::span<const double> values);

/// The standard deviation of a sample over the mean, of values above zero. 0 for fewer than two.
double relative_deviation(std::span<const double> values);

/// The median of an estimated variance with `degrees_of_freedom`, as a fraction of the variance, where the noise is
/// normal: 0.455 for one. Approximation of Wilson and Hilferty (1931), good to 4 %. Throws Error{internal} for less
/// than one degree of freedom.
double median_of_variance(int degrees_of_freedom);

/// The probability that a standard normal variable is at most `z`.
double normal_probability(double z);

/// The `t` that Student's distribution exceeds as often as the normal distribution exceeds `z`: what a critical value
/// of `z` standard errors becomes when the standard error itself is an estimate. Relative error below 1e-6 for |z| up
/// to 4. Throws Error{internal} for less than one degree of freedom.
double student_critical(double z, int degrees_of_freedom);

}  // namespace tuner::engine
