#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const std::int64_t m = run.size("m"), n = run.size("n"), k = run.size("k");
  const double alpha = static_cast<double>(run.size("alpha")), beta = static_cast<double>(run.size("beta"));
  const std::span<float> a = run.array<float>("a"), b = run.array<float>("b"), c = run.array<float>("c");
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * b[i * n + column];
      float& result = c[row * n + column];
      result = static_cast<float>(alpha * sum + (beta == 0 ? 0.0 : beta * result));
    }
  }
}

const ReferenceRegistration registration{"sgemm", reference};

}  // namespace
