#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

/// What prefetch.cu computes, written as plainly as can be: for each row the sum of its values, each put through
/// `steps` steps of a = exp(-a*a) + a/2.
inline std::vector<double> prefetch_reference(std::span<const double> values, int rows, int row_length, int steps) {
  std::vector<double> sums(static_cast<std::size_t>(rows), 0.0);
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < row_length; ++i) {
      double a = values[static_cast<std::size_t>(row) * row_length + i];
      for (int step = 0; step < steps; ++step) a = std::exp(-a * a) + a / 2;
      sums[row] += a;
    }
  }
  return sums;
}
