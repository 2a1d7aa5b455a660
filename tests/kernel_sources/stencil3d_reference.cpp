#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const std::int64_t nx = run.size("nx"), ny = run.size("ny"), nz = run.size("nz");
  const std::span<float> input = run.array<float>("input"), output = run.array<float>("output");
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) { return (z * ny + y) * nx + x; };
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        double value = input[at(x, y, z)];
        if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
          const double sum = static_cast<double>(input[at(x - 1, y, z)]) + input[at(x + 1, y, z)] +
                             input[at(x, y - 1, z)] + input[at(x, y + 1, z)] + input[at(x, y, z - 1)] +
                             input[at(x, y, z + 1)];
          value = 0.4 * value + 0.1 * sum;
        }
        output[at(x, y, z)] = static_cast<float>(value);
      }
    }
  }
}

const ReferenceRegistration registration{"stencil3d", reference};

}  // namespace
