#pragma once

#include <string>
#include <vector>

#include "tuner/core/device/device.hpp"

namespace tuner::cuda {

/// What the driver says about its `index`-th visible GPU, without creating a context and within microseconds; the
/// driver's version and the clocks are left out. Throws Error{no_driver}.
DeviceInfo query_attributes(int index);

/// The same with all there is, for which NVML is started: some milliseconds. Throws Error{no_driver}.
DeviceInfo query_device(int index);

/// "580.159.04" of the kernel module that is loaded, which NVML would give, too; empty where that cannot be read.
std::string kernel_module_version();

/// All visible GPUs. Throws Error{no_driver} if there is none.
std::vector<DeviceInfo> query_devices();

}  // namespace tuner::cuda
