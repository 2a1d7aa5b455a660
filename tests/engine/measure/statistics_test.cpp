#include "tuner/engine/measure/statistics.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Values = std::vector<double>;

TEST_CASE("quantiles interpolate between order statistics, whatever the order of the values") {
  const Values values{40, 10, 30, 20};
  CHECK(quantile(values, 0.0) == 10);
  CHECK(quantile(values, 0.25) == doctest::Approx(17.5));
  CHECK(median(values) == doctest::Approx(25));
  CHECK(quantile(values, 0.9) == doctest::Approx(37));
  CHECK(quantile(values, 1.0) == 40);
  CHECK(median(Values{7}) == 7);
  CHECK(median(Values{3, 1, 2}) == 2);
  CHECK_THROWS_AS(median(Values{}), Error);
  CHECK_THROWS_AS(quantile(values, 1.5), Error);
}

TEST_CASE("the winsorised mean replaces a tenth, rounded up, at each end from five values on") {
  CHECK(winsorised_count(4) == 0);
  CHECK(winsorised_count(5) == 1);
  CHECK(winsorised_count(8) == 1);
  CHECK(winsorised_count(10) == 1);
  CHECK(winsorised_count(11) == 2);
  CHECK(winsorised_count(400) == 40);
}

TEST_CASE("the winsorised mean and its standard error match numbers worked by hand") {
  // 1 2 3 4 100 becomes 2 2 3 4 4: mean 3, squared deviations 1 1 0 1 1, variance 4 / 4 = 1,
  // standard error sqrt(1 / 5) * 4 / 2, two degrees of freedom.
  const WinsorisedMean five = winsorised_mean(Values{100, 1, 3, 2, 4});
  CHECK(five.mean == doctest::Approx(3));
  CHECK(five.standard_error == doctest::Approx(0.894427191));
  CHECK(five.degrees_of_freedom == 2);

  // Too few to winsorise: the ordinary mean of 1 2 6 and s / sqrt(3) with s^2 = (4 + 1 + 9) / 2 = 7.
  const WinsorisedMean three = winsorised_mean(Values{1, 2, 6});
  CHECK(three.mean == doctest::Approx(3));
  CHECK(three.standard_error == doctest::Approx(1.527525232));
  CHECK(three.degrees_of_freedom == 2);
}

TEST_CASE("values without spread have a mean and no error") {
  const WinsorisedMean equal = winsorised_mean(Values(12, 0.1));
  CHECK(equal.mean == 0.1);
  CHECK(equal.standard_error == 0);
  const WinsorisedMean single = winsorised_mean(Values{5});
  CHECK(single.mean == 5);
  CHECK(single.degrees_of_freedom == 0);
  CHECK_THROWS_AS(winsorised_mean(Values{}), Error);
}

TEST_CASE("one wild value in eight hardly moves the winsorised mean") {
  CHECK(winsorised_mean(Values{10, 11, 12, 13, 14, 15, 16, 1e9}).mean == doctest::Approx(13.5));
}

TEST_CASE("the relative spread is the scaled median absolute deviation over the median") {
  CHECK(relative_spread(Values{98, 99, 100, 101, 300}) == doctest::Approx(1.4826 / 100));
  CHECK(relative_spread(Values{100}) == 0);
}

TEST_CASE("normal probabilities are those of the tables") {
  CHECK(normal_probability(0) == doctest::Approx(0.5));
  CHECK(normal_probability(1.959963985) == doctest::Approx(0.975));
  CHECK(normal_probability(-3) == doctest::Approx(0.001349898));
}

TEST_CASE("Student's critical values are those of the tables") {
  const double z975 = 1.959963984540054;  // tables give t for a tail of 0.025
  CHECK(student_critical(z975, 1) == doctest::Approx(12.7062047).epsilon(1e-7));
  CHECK(student_critical(z975, 2) == doctest::Approx(4.30265273).epsilon(1e-7));
  CHECK(student_critical(z975, 5) == doctest::Approx(2.57058184).epsilon(1e-7));
  CHECK(student_critical(z975, 10) == doctest::Approx(2.22813885).epsilon(1e-7));
  CHECK(student_critical(z975, 100) == doctest::Approx(1.98397152).epsilon(1e-7));
  const double z995 = 2.575829303548901;  // and for 0.005
  CHECK(student_critical(z995, 3) == doctest::Approx(5.84090931).epsilon(1e-7));
  CHECK(student_critical(z995, 30) == doctest::Approx(2.74999565).epsilon(1e-7));
  CHECK(student_critical(-z975, 5) == doctest::Approx(-2.57058184).epsilon(1e-7));
  CHECK(student_critical(0, 5) == 0);
  CHECK(student_critical(3, 1000000) == doctest::Approx(3).epsilon(1e-5));
  CHECK_THROWS_AS(student_critical(3, 0), Error);
}

TEST_CASE("Student's critical values fall smoothly where the exact sum hands over to the series") {
  for (const double z : {1.0, 2.0, 3.0, 4.0}) {
    // t - z falls as 1 / nu, so its products with nu are nearly equal for neighbours.
    const double at39 = (student_critical(z, 39) - z) * 39;
    const double at40 = (student_critical(z, 40) - z) * 40;
    const double at41 = (student_critical(z, 41) - z) * 41;
    CHECK((at39 - at40) == doctest::Approx(at40 - at41).epsilon(0.08));
  }
}

TEST_CASE("only finite positive numbers are times") {
  CHECK(is_time(0.5));
  CHECK_FALSE(is_time(0));
  CHECK_FALSE(is_time(-1));
  CHECK_FALSE(is_time(std::numeric_limits<double>::infinity()));
  CHECK_FALSE(is_time(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("the median of an estimated variance lies below the variance, less so the more is known") {
  CHECK(median_of_variance(1) == doctest::Approx(0.4549).epsilon(0.04));
  CHECK(median_of_variance(2) == doctest::Approx(0.6931).epsilon(0.04));
  CHECK(median_of_variance(10) == doctest::Approx(0.9342).epsilon(0.01));
  CHECK_THROWS_AS(median_of_variance(0), Error);
}

}  // namespace
}  // namespace tuner::engine
