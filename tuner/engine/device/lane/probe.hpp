#pragma once

#include <vector>

#include "tuner/core/device/device.hpp"

namespace tuner::engine {

/// All GPUs that this process may use, in the user's order. Asks a worker process, so that the driver is never opened
/// here; takes a few tenths of a second. Throws Error{no_driver} with the reason if there are none, Error{no_worker}.
std::vector<DeviceInfo> list_devices();

}  // namespace tuner::engine
