#pragma once

#include <vector>

#include "tuner/core/device.hpp"

namespace tuner::cuda {

/// What the driver says about its `index`-th visible GPU, without creating a context. Throws Error{no_driver}.
DeviceInfo query_device(int index);

/// All visible GPUs. Throws Error{no_driver} if there is none.
std::vector<DeviceInfo> query_devices();

}  // namespace tuner::cuda
