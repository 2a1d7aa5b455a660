#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const auto a = run.array<float>("a");
  const auto b = run.array<float>("b");
  const auto table = run.array<std::uint32_t>("table");
  const std::int64_t n = run.size("n"), dim = run.size("dim");
  for (std::int64_t i = 0; i < n; ++i) {
    double of_b = 0;
    for (std::int64_t e = 0; e < dim; ++e) of_b += b[e * n + i];
    for (std::int64_t d = 0; d < dim; ++d) {
      const std::int64_t column = table[d] % dim;
      a[column * n + i] = static_cast<float>(a[column * n + i] + 10 * of_b);
    }
  }
}

const ReferenceRegistration registration{"indirection", reference};

}  // namespace
