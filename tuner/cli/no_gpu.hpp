#pragma once

#include <vector>

#include "tuner/core/device/device.hpp"

namespace tuner::cli {

/// The GPUs that the driver shows. Throws Error{no_driver} that ends with what to do next.
std::vector<DeviceInfo> find_devices();

}  // namespace tuner::cli
