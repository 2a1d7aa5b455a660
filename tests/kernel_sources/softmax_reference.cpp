#include <algorithm>
#include <cmath>

#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const std::size_t rows = static_cast<std::size_t>(run.size("rows"));
  const std::size_t columns = static_cast<std::size_t>(run.size("columns"));
  if (columns == 0) return;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<float> input = run.array<float>("input").subspan(row * columns, columns);
    const std::span<float> output = run.array<float>("output").subspan(row * columns, columns);
    const double largest = *std::max_element(input.begin(), input.end());
    double sum = 0;
    for (float value : input) sum += std::exp(value - largest);
    for (std::size_t i = 0; i < columns; ++i) output[i] = static_cast<float>(std::exp(input[i] - largest) / sum);
  }
}

const ReferenceRegistration registration{"softmax", reference};

}  // namespace
