#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

template <typename Real>
void averages_times_matrix(ReferenceRun& run) {
  const std::int64_t N = run.size("N"), L = run.size("L"), M = run.size("M");
  const auto input = run.array<Real>("input");
  const auto matrix = run.array<Real>("matrix");
  const auto output = run.array<Real>("output");
  for (std::int64_t n = 0; n < N; ++n) {
    std::vector<double> average(L, 0.0);
    for (std::int64_t l = 0; l < L; ++l) {
      for (std::int64_t m = 0; m < M; ++m) average[l] += input[(n * L + l) * M + m];
      average[l] /= static_cast<double>(M);
    }
    for (std::int64_t i = 0; i < L; ++i) {
      double product = 0;
      for (std::int64_t l = 0; l < L; ++l) product += matrix[i * L + l] * average[l];
      output[i * N + n] = static_cast<Real>(product);
    }
  }
}

const ReferenceRegistration registration{"average_matvec", averages_times_matrix<float>, averages_times_matrix<double>};

}  // namespace
