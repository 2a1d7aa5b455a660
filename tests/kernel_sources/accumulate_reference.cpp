#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const auto a = run.array<float>("a");
  const auto b = run.array<float>("b");
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(a[i] + 10 * (static_cast<double>(b[i]) + b[i + 1] + b[i + 2]));
  }
}

const ReferenceRegistration registration{"accumulate", reference};

}  // namespace
