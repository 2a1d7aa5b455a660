#include <cmath>

#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

/// For each row the sum of its values, each put through `work` steps of a = exp(-a*a) + a/2.
void reference(ReferenceRun& run) {
  const auto values = run.array<double>("values");
  const auto sums = run.array<double>("sums");
  const std::int64_t row_length = run.size("row_length");
  for (std::size_t row = 0; row < sums.size(); ++row) {
    for (std::int64_t i = 0; i < row_length; ++i) {
      double a = values[row * static_cast<std::size_t>(row_length) + static_cast<std::size_t>(i)];
      for (std::int64_t step = 0; step < run.size("work"); ++step) a = std::exp(-a * a) + a / 2;
      sums[row] += a;
    }
  }
}

const ReferenceRegistration registration{"prefetch", reference};

}  // namespace
