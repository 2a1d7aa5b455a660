#include <cmath>

#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

struct Image {
  std::span<const float> pixels;
  std::int64_t width, height;

  double at(std::int64_t x, std::int64_t y) const {
    return x < 0 || x >= width || y < 0 || y >= height ? 0.0 : pixels[y * width + x];
  }
  double blurred(std::int64_t x, std::int64_t y) const {
    return (at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 5;
  }
  double deviation_around(std::int64_t x, std::int64_t y) const {
    double sum = 0, squares = 0;
    for (int i = -64; i < 64; ++i) sum += at(x + i, y);
    for (int i = -64; i < 64; ++i) squares += std::pow(at(x + i, y) - sum / 128, 2);
    return std::sqrt(squares / 128);
  }
};

void reference(ReferenceRun& run) {
  const Image image = {run.array<float>("image"), run.size("width"), run.size("height")};
  const bool expensive = run.sizes.contains("expensive") && run.size("expensive") == 1;
  const auto blurred = run.array<float>("blurred");
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      const double extra = expensive ? image.deviation_around(x, y) : 0;
      blurred[y * image.width + x] = static_cast<float>(image.blurred(x, y) + extra);
    }
  }
}

const ReferenceRegistration shape{"blur2d_shape", reference};
const ReferenceRegistration branch{"blur2d_branch", reference};

}  // namespace
