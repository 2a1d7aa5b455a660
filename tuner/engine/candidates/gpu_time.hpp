#pragma once

#include "tuner/core/device/device.hpp"
#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// About how long the device is busy before each sample, in nanoseconds: with a cold cache the flush, with a warm one
/// the untimed launches. Estimated from what the device is, good enough to weigh costs.
double lead_in_ns(const DeviceInfo& device, Timing mode);

}  // namespace tuner::engine
