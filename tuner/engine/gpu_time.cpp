#include "tuner/engine/gpu_time.hpp"

#include <algorithm>

namespace tuner::engine {

double lead_in_ns(const DeviceInfo& device, CacheMode mode) {
  constexpr double kWarmNs = 50e3;   // the sampler keeps the device busy for that long
  constexpr double kFlushNs = 30e3;  // where the device does not say how fast its memory is
  if (mode == CacheMode::warm) return kWarmNs;
  // Writes reach about half of what the pins could carry: 28 us for 69 MB on an H200.
  const double bytes_per_ns = 2.0 * device.memory_clock_khz * device.memory_bus_bits / 8 / 1e6 / 2;
  const double flushed = std::max(64.0 * 1024 * 1024, 1.1 * static_cast<double>(device.l2_bytes));
  return bytes_per_ns > 0 ? flushed / bytes_per_ns : kFlushNs;
}

}  // namespace tuner::engine
