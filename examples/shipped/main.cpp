// A program for distribution: it contains the kernel's text, the decisions made on the developer's machines are beside
// it in `tuned/` (make_database.sh puts them there), and nothing is tuned where it runs. For the sizes and GPUs that
// were tuned, binaries are loaded as they are: the machine needs a driver, and neither a toolkit nor the tuner's
// programs.
#include <cmath>
#include <exception>
#include <filesystem>
#include <tuner/tuner.hpp>

#include "common/gpu.hpp"
#include "kernel_text.hpp"

namespace {

constexpr int kRows = 256, kColumns = 4096;

std::filesystem::path folder_of_this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// Some numbers between 0 and 1, other ones in every row.
std::vector<float> scores() {
  std::vector<float> result;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) result.push_back(1e-3f * float(row * column % 1000));
  }
  return result;
}

bool rows_are_softmax(const std::vector<float>& scores, const std::vector<float>& shares) {
  for (std::size_t first = 0; first < scores.size(); first += kColumns) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i) sum += std::exp(double(scores[first + i]));
    for (int i = 0; i < kColumns; ++i) {
      const double expected = std::exp(double(scores[first + i])) / sum;
      if (!(std::abs(shares[first + i] - expected) <= 1e-4 * expected)) return false;
    }
  }
  return true;
}

}  // namespace

int main() try {
  tuner::Runtime runtime({.never_tune = true,
                          .device = 0,
                          .system_databases = {folder_of_this_program() / "tuned"},
                          .observer = [](const tuner::Notice& notice) {
                            std::fprintf(stderr, "shipped: %s\n", notice.sentence.c_str());
                          }});
  const tuner::Kernel kernel = runtime.kernel(tuner::Description::from_text(kSoftmaxText, {.name = "softmax.cu"}));
  const tuner::Instance& softmax = kernel.request({kRows, kColumns});
  const tuner::Provenance provenance = softmax.provenance();
  if (!softmax.runnable()) return gpu::skip(provenance.why);

  const std::vector<float> input = scores();
  const gpu::Array<float> in(input), out(input.size());
  const tuner::LaunchStatus status = softmax.launch(nullptr, in.data(), out.data(), kColumns);
  if (!status) throw std::runtime_error(std::string(status.message));
  if (!rows_are_softmax(input, out.read())) {
    std::printf("the result is wrong\n");
    return 1;
  }
  std::printf("right, by rung `%s`: %s\n  %s\n", std::string(to_string(provenance.rung)).c_str(),
              provenance.why.c_str(), provenance.configuration.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "shipped: %s\n", error.what());
  return 1;
}
