#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const auto a = run.array<float>("a");
  const auto out = run.array<float>("out");
  const std::int64_t bound = run.size("bound");
  for (std::size_t i = 0; i < out.size(); ++i) {
    double total = 0;
    for (std::int64_t k = 0; k < bound; ++k) total += 10.0 * static_cast<double>(1 << k) * a[i + k];
    out[i] = static_cast<float>(total);
  }
}

const ReferenceRegistration registration{"loop_bound", reference};

}  // namespace
