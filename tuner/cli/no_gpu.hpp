#pragma once

#include <vector>

#include "tuner/core/device/device.hpp"

namespace tuner::cli {

/// The GPUs that the driver shows. Throws Error{no_driver} that ends with what to do next.
std::vector<DeviceInfo> find_devices();

/// For a worker that found no GPU of that number: throws Error{no_driver} with the numbers that there are, if there are
/// any. Returns if the driver has nothing to say.
void refuse_number_without_gpu(int ordinal);

}  // namespace tuner::cli
