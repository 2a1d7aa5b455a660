#include "tuner/engine/candidates/gpu_time.hpp"

#include "tuner/engine/device/lane/lead_in.hpp"

namespace tuner::engine {

double lead_in_ns(const DeviceInfo& device, Timing mode) {
  constexpr double kFlushNs = 30e3;  // where the device does not say how fast its memory is
  if (mode == Timing::warm) return kLeadInNs;
  // Writes reach about half of what the pins could carry: 28 us for 69 MB on an H200.
  const double bytes_per_ns = 2.0 * device.memory_clock_khz * device.memory_bus_bits / 8 / 1e6 / 2;
  return bytes_per_ns > 0 ? static_cast<double>(flush_bytes(device.l2_bytes)) / bytes_per_ns : kFlushNs;
}

}  // namespace tuner::engine
