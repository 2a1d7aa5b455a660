// A program built against an unpacked archive, for gpu_archive.sh: requests softmax.cu for a problem, launches it, and
// compares with the CPU. Prints where the instance comes from: its rung, whether results are right, its configuration.
//   from_archive KERNEL_FILE ROWS COLUMNS
#include <cmath>
#include <cstdlib>
#include <exception>
#include <tuner/tuner.hpp>

#include "common/gpu.hpp"

namespace {

std::vector<float> some_numbers(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = 1e-3f * float(i * 7919 % 5003);
  return numbers;
}

bool row_is_softmax(const float* input, const float* output, int columns) {
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += std::exp(double(input[i]));
  for (int i = 0; i < columns; ++i) {
    const double expected = std::exp(double(input[i])) / sum;
    if (!(std::abs(output[i] - expected) <= 1e-4 * expected)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("usage: from_archive KERNEL_FILE ROWS COLUMNS");
  const int rows = std::atoi(argv[2]), columns = std::atoi(argv[3]);

  tuner::Runtime runtime({.device = 0, .observer = [](const tuner::Notice& notice) {
                            std::fprintf(stderr, "from_archive: %s\n", notice.sentence.c_str());
                          }});
  const tuner::Kernel kernel = runtime.kernel(tuner::Description::from_file(argv[1]));
  const tuner::Instance& softmax = kernel.request({rows, columns});
  const tuner::Provenance provenance = softmax.provenance();
  if (!softmax.runnable()) return gpu::skip(provenance.why);

  const std::vector<float> input = some_numbers(std::size_t(rows) * std::size_t(columns));
  const gpu::Array<float> in(input), out(input.size());
  const tuner::LaunchStatus status = softmax.launch(nullptr, in.data(), out.data(), rows, columns);
  if (!status) throw std::runtime_error(std::string(status.message));
  const std::vector<float> output = out.read();
  for (const int row : {0, 1, rows / 2, rows - 1}) {
    const std::size_t first = std::size_t(row) * std::size_t(columns);
    if (!row_is_softmax(&input[first], &output[first], columns)) {
      throw std::runtime_error("row " + std::to_string(row) + " is wrong with " + provenance.configuration);
    }
  }
  std::printf("%s, right, %s\n", std::string(to_string(provenance.rung)).c_str(), provenance.configuration.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "from_archive: %s\n", error.what());
  return 1;
}
