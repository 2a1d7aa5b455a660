#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

template <typename T>
void add_terms(ReferenceRun& run) {
  const auto x = run.array<T>("x");
  const auto coefficients = run.array<T>("coefficients");
  const auto result = run.array<T>("result");
  for (std::size_t i = 0; i < result.size(); ++i) {
    double total = 0;
    for (T coefficient : coefficients) total += (static_cast<double>(x[i]) * coefficient + 0.5) / 3;
    result[i] = static_cast<T>(total);
  }
}

const ReferenceRegistration registration{"arithmetic", add_terms<float>, add_terms<double>};

}  // namespace
