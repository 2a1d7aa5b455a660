#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

template <typename T>
void sum(ReferenceRun& run) {
  double total = 0;
  for (T value : run.array<T>("values")) total += static_cast<double>(value);
  run.array<T>("total")[0] = static_cast<T>(total);
}

const ReferenceRegistration registration{"reduce", sum<float>, sum<double>};

}  // namespace
