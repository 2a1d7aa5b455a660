#include "bench/runtime/load.hpp"

#include <chrono>
#include <utility>

namespace tuner::bench {

namespace {

void wait_for(CUevent event) {
  CUresult result = CUDA_ERROR_NOT_READY;
  while ((result = bare_driver().query_event(event)) == CUDA_ERROR_NOT_READY) {
  }
  require(result, "cuEventQuery");
}

}  // namespace

Load::Load(CUstream stream, std::function<void()> launch) : stream_(stream), launch_(std::move(launch)) {
  for (CUevent& event : done_) event = make_event();
}

Load::Throughput& Load::Throughput::operator+=(const Throughput& other) {
  seconds += other.seconds;
  launches += other.launches;
  return *this;
}

Load::Throughput Load::run(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration<double>(seconds);
  Throughput result;
  while (Clock::now() < end) {
    const CUevent oldest = done_[launched_ % kQueued];
    if (launched_ >= kQueued) wait_for(oldest);
    launch_();
    require(bare_driver().record_event(oldest, stream_), "cuEventRecord");
    ++launched_;
    ++result.launches;
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

Pair time_alternately(CUstream stream, int rounds, const std::function<void()>& first,
                      const std::function<void()>& second) {
  Flush flush;
  const CUevent before = make_event(), after = make_event();
  const auto time = [&](const std::function<void()>& launch) {
    flush(stream);
    require(bare_driver().record_event(before, stream), "cuEventRecord");
    launch();
    require(bare_driver().record_event(after, stream), "cuEventRecord");
    drain(stream);
    float milliseconds = 0;
    require(bare_driver().elapsed_time(&milliseconds, before, after), "cuEventElapsedTime");
    return static_cast<double>(milliseconds);
  };
  Pair pair;
  for (int round = -10; round < rounds; ++round) {
    const bool swapped = round % 2 != 0;
    const double one = time(swapped ? second : first), other = time(swapped ? first : second);
    if (round < 0) continue;  // warm-up
    pair.first.push_back(swapped ? other : one);
    pair.second.push_back(swapped ? one : other);
  }
  return pair;
}

}  // namespace tuner::bench
