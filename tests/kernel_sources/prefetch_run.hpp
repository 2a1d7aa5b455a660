#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/kernel_sources/host_shim/variants.hpp"
#include "tests/kernel_sources/prefetch_reference.hpp"

namespace tuner::host {

using Prefetch = void(const double*, double*, int);

/// Runs one variant of prefetch.cu and compares it with the reference. Empty if all sums are right within the tolerance
/// that the kernel declares, else what is wrong. Buffers are heap blocks of exactly the declared sizes, so that the
/// sanitizer sees every access outside them. Fault passes through.
inline std::string run_prefetch(const Variant& variant, const Case& problem, Schedule schedule) {
  const int rows = static_cast<int>(problem.get("rows"));
  const int row_length = static_cast<int>(problem.get("row_length"));
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(row_length);

  auto values = std::make_unique<double[]>(count);
  std::mt19937_64 random(count + 1);
  std::generate_n(values.get(), count, [&] { return std::uniform_real_distribution<double>(0, 1)(random); });
  const std::vector<double> input(values.get(), values.get() + count);
  auto sums = std::make_unique<double[]>(static_cast<std::size_t>(rows));
  std::fill_n(sums.get(), rows, std::numeric_limits<double>::quiet_NaN());

  Launch how;
  how.grid = problem.grid;
  how.block = problem.block;
  how.shared_bytes = problem.shared_bytes;
  how.schedule = schedule;
  launch(how, [&] { variant.as<Prefetch>()(values.get(), sums.get(), row_length); });

  if (!std::equal(input.begin(), input.end(), values.get())) return "the input was changed";
  const std::vector<double> expected =
      prefetch_reference(input, rows, row_length, static_cast<int>(problem.get("work")));
  for (std::size_t row = 0; row < expected.size(); ++row) {
    if (!(std::abs(sums[row] - expected[row]) <= 1e-11 * std::abs(expected[row]))) {
      return "sum of row " + std::to_string(row) + " is " + std::to_string(sums[row]) + ", not " +
             std::to_string(expected[row]);
    }
  }
  return "";
}

}  // namespace tuner::host
