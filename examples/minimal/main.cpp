// The essential lines: request a kernel, launch it.
//
// Sums each of 528 rows of numbers, with some arithmetic on every number (see prefetch.cu). If the database has a
// winner for this GPU, it is used. Otherwise the baseline runs, until the kernel has been tuned:
//
//     tuner tune prefetch.cu --problem rows=528,row_length=65536
#include <cmath>
#include <exception>
#include <random>
#include <tuner/tuner.hpp>

#include "common/gpu.hpp"

namespace {

double expected_sum(const double* row, int length) {
  double sum = 0;
  for (int i = 0; i < length; ++i) {
    double a = row[i];
    for (int step = 0; step < 4; ++step) a = std::exp(-a * a) + a / 2;
    sum += a;
  }
  return sum;
}

std::vector<double> random_numbers(std::size_t count) {
  std::vector<double> numbers(count);
  std::minstd_rand random;
  for (double& number : numbers) number = random() / static_cast<double>(std::minstd_rand::max());
  return numbers;
}

}  // namespace

int main() try {
  constexpr int rows = 528, row_length = 65536;

  tuner::Runtime runtime({.device = 0});
  tuner::Kernel kernel = runtime.kernel(tuner::Description::from_file(PREFETCH_CU));
  const tuner::Instance& tuned = kernel.request({rows, row_length});
  const tuner::Provenance provenance = tuned.provenance();
  if (!tuned.runnable()) return gpu::skip(provenance.why);

  const std::vector<double> numbers = random_numbers(std::size_t{rows} * row_length);
  const gpu::Array<double> values(numbers), sums(rows);
  const gpu::Stream stream;
  if (const tuner::LaunchStatus status = tuned.launch(stream, values.data(), sums.data(), row_length); !status)
    throw std::runtime_error(std::string(status.message));
  const std::vector<double> result = sums.read(stream);

  for (const int row : {0, 1, rows / 2, rows - 1}) {
    const double expected = expected_sum(&numbers[std::size_t(row) * row_length], row_length);
    if (!(std::abs(result[row] - expected) <= 1e-10 * expected)) {
      std::printf("row %d: %.17g instead of %.17g\n", row, result[row], expected);
      return 1;
    }
  }
  std::printf("right, by rung `%s`: %s\n  %s\n", std::string(to_string(provenance.rung)).c_str(),
              provenance.why.c_str(), provenance.configuration.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "minimal: %s\n", error.what());
  return 1;
}
