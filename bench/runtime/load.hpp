#pragma once

#include <array>
#include <functional>

#include "bench/runtime/bare_driver.hpp"

namespace tuner::bench {

/// Keeps the GPU busy with one kernel: some launches are always queued, never many.
class Load {
 public:
  Load(CUstream stream, std::function<void()> launch);

  struct Throughput {
    double seconds = 0;
    double launches = 0;
    double per_second() const { return seconds > 0 ? launches / seconds : 0; }
  };
  /// Launches for so long. What is queued is left queued, so that the next call goes on without a gap.
  Throughput run(double seconds);

 private:
  static constexpr std::size_t kQueued = 8;
  CUstream stream_;
  std::function<void()> launch_;
  std::array<CUevent, kQueued> done_{};
  std::size_t launched_ = 0;
};

/// Milliseconds of each of two kernels, launched alternately behind a flush of the L2 cache.
struct Pair {
  std::vector<double> first, second;
};
Pair time_alternately(CUstream stream, int rounds, const std::function<void()>& first,
                      const std::function<void()>& second);

}  // namespace tuner::bench
