// A server: threads, each with its own stream, process jobs whose sizes are not known in advance. Missing decisions are
// tuned alongside with five hundredths of the GPU's time, and winners take over when they are found. Events are logged.
//
//     server [SECONDS] [THREADS]
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <tuner/tuner.hpp>
#include <vector>

#include "common/gpu.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Shape {
  int rows, columns;
};
constexpr std::array<Shape, 4> kShapes{{{64, 1000}, {256, 4096}, {1024, 1024}, {32, 32000}}};
constexpr std::size_t kLargest = 1024 * 1024;

std::mutex log_mutex;

void write_to_log(const tuner::Notice& notice) {
  const std::lock_guard lock(log_mutex);
  std::fprintf(stderr, "tuner: %s\n", notice.sentence.c_str());
}

std::vector<float> random_scores() {
  std::vector<float> scores(kLargest);
  std::minstd_rand random;
  std::normal_distribution<float> normal(0, 3);
  for (float& score : scores) score = normal(random);
  return scores;
}

// Whether `shares` is the softmax of `scores`, both one row.
bool is_softmax(const float* scores, const float* shares, int columns) {
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += std::exp(double(scores[i]));
  for (int i = 0; i < columns; ++i) {
    const double expected = std::exp(double(scores[i])) / sum;
    if (!(std::abs(shares[i] - expected) <= 1e-6 + 1e-4 * expected)) return false;
  }
  return true;
}

struct Tally {
  std::atomic<long> jobs{0}, wrong{0};
};

// Every hundredth job is checked, the others are only waited for.
void serve(const tuner::Kernel& kernel, const std::vector<float>& all_scores, unsigned seed, Clock::time_point end,
           Tally& tally) {
  gpu::check(cudaSetDevice(0));  // a thread begins without a context
  const gpu::Stream stream;
  const gpu::Array<float> scores(all_scores), shares(kLargest);
  std::minstd_rand random(seed);
  for (long job = 0; Clock::now() < end; ++job) {
    const auto [rows, columns] = kShapes[random() % kShapes.size()];
    const tuner::LaunchStatus status =
        kernel.request({rows, columns}).launch(stream, scores.data(), shares.data(), columns);
    if (!status) throw std::runtime_error(std::string(status.message));
    gpu::check(cudaStreamSynchronize(stream));
    ++tally.jobs;
    if (job % 100 == 0) {
      const std::size_t row = std::size_t(random() % rows) * columns;
      const std::vector<float> answer = shares.read(stream);
      if (!is_softmax(&all_scores[row], &answer[row], columns)) ++tally.wrong;
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::chrono::seconds duration(argc > 1 ? std::atoi(argv[1]) : 3);
  const unsigned threads = argc > 2 ? unsigned(std::atoi(argv[2])) : 8;
  tuner::Runtime runtime({.mode = tuner::Mode::background, .device = 0, .observer = write_to_log});
  const tuner::Kernel kernel = runtime.kernel(tuner::Description::from_file(SOFTMAX_CU));

  // Requested before the first job arrives, so that no job waits for a compiler.
  for (const auto& [rows, columns] : kShapes) {
    const tuner::Instance& softmax = kernel.request({rows, columns});
    if (!softmax.runnable()) return gpu::skip(softmax.provenance().why);
  }

  const std::vector<float> scores = random_scores();
  const Clock::time_point end = Clock::now() + duration;
  Tally tally;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> crew;
    for (unsigned seed = 1; seed <= threads; ++seed) {
      crew.emplace_back([&, seed] {
        try {
          serve(kernel, scores, seed, end, tally);
        } catch (...) {
          const std::lock_guard lock(log_mutex);
          failure = std::current_exception();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);

  std::printf("%ld jobs in %ld s by %u threads, %ld wrong\n", tally.jobs.load(), long(duration.count()), threads,
              tally.wrong.load());
  for (const auto& [rows, columns] : kShapes) {
    const tuner::Provenance now = kernel.request({rows, columns}).provenance();
    std::printf("  %4d x %5d  rung `%s`%s, %s\n", rows, columns, std::string(to_string(now.rung)).c_str(),
                now.tuning ? ", being tuned" : "", now.configuration.c_str());
  }
  return tally.wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "server: %s\n", error.what());
  return 1;
}
