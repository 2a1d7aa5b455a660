#include <algorithm>

#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

template <typename Real>
void largest_sums(ReferenceRun& run) {
  const std::int64_t slabs = run.size("slabs"), ptmax = run.size("ptmax"), kmax = run.size("kmax");
  const auto big = run.array<Real>("big").subspan(run.size("big_offset"));
  const auto small = run.array<Real>("small").subspan(run.size("small_offset"));
  const auto result = run.array<Real>("result");
  for (std::int64_t slab = 0; slab < slabs; ++slab) {
    for (std::int64_t pt = 0; pt < ptmax; ++pt) {
      Real largest = 0;
      for (std::int64_t k = 0; k < kmax; ++k) {
        largest = std::max(largest, big[(slab * kmax + k) * ptmax + pt] + small[k]);
      }
      result[slab * ptmax + pt] = largest;
    }
  }
}

const ReferenceRegistration registration{"wide_loads", largest_sums<float>, largest_sums<double>};

}  // namespace
