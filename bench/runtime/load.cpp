#include "bench/runtime/load.hpp"

#include <chrono>
#include <utility>

namespace tuner::bench {

namespace {

void wait_for(CUevent event) {
  CUresult result = CUDA_ERROR_NOT_READY;
  while (result == CUDA_ERROR_NOT_READY) result = bare_driver().query_event(event);
  require(result, "cuEventQuery");
}

/// A buffer that, once written, leaves nothing else in the L2 cache.
Buffer larger_than_cache() {
  CUdevice device = 0;
  int l2 = 0;
  require(bare_driver().device(&device, 0), "cuDeviceGet");
  require(bare_driver().device_attribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device), "cuDeviceGetAttribute");
  return Buffer(2 * static_cast<std::size_t>(l2));
}

}  // namespace

Load::Load(CUstream stream, std::function<void()> launch) : stream_(stream), launch_(std::move(launch)) {
  for (CUevent& event : done_) event = make_event();
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
  const Buffer flush = larger_than_cache();
  unsigned char byte = 0;
  const CUevent before = make_event(), after = make_event();
  const auto time = [&](const std::function<void()>& launch) {
    flush.fill(++byte, stream);
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
