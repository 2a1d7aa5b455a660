// Events and the clock. Everything is done in order at once, so an event is the time at which it was recorded.
#include <random>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {

std::uint64_t with_noise(std::uint64_t time_ns) {
  static const double share = static_cast<double>(number("noise").value_or(0)) / 1000;
  static std::mt19937_64 random(number("seed").value_or(0));
  static double drift = 0;  // forgets a hundredth of itself with every launch
  if (share == 0) return time_ns;
  std::normal_distribution<double> normal;
  drift = 0.99 * drift + 0.14 * share * normal(random);
  const double factor = 1 + drift + share * normal(random);
  return static_cast<std::uint64_t>(static_cast<double>(time_ns) * factor);
}

namespace {

struct EventRecord {
  std::uint64_t time_ns = 0;
  bool after_hang = false;
  Clock::time_point happens{};
};

CUresult create_event(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new EventRecord);
  return device.dead;
}
void destroy_event(CUevent event) {
  delete reinterpret_cast<EventRecord*>(event);
}
CUresult record_event(CUevent event, CUstream) {
  device.timing = true;
  *reinterpret_cast<EventRecord*>(event) = {device.now_ns, device.hung, device.busy_until};
  return device.dead;
}
CUresult query_event(CUevent event) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
  if (wishes.busy) return CUDA_ERROR_NOT_READY;
  const auto* record = reinterpret_cast<EventRecord*>(event);
  return record->after_hang || Clock::now() < record->happens ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
CUresult elapsed_time(float* milliseconds, CUevent start, CUevent stop) {
  const auto time = [](CUevent event) { return reinterpret_cast<EventRecord*>(event)->time_ns; };
  *milliseconds = static_cast<float>(time(stop) - time(start)) * 1e-6f;
  return device.dead;
}

}  // namespace

Functions stream_functions() {
  return {
      {"cuEventCreate", entry<create_event>()},      {"cuEventDestroy", entry<destroy_event>()},
      {"cuEventRecord", entry<record_event>()},      {"cuEventQuery", entry<query_event>()},
      {"cuEventElapsedTime", entry<elapsed_time>()},
  };
}

}  // namespace fake
