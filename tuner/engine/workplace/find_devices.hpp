#pragma once

#include <string_view>
#include <vector>

#include "tuner/core/device/device.hpp"
#include "tuner/engine/device/lane/lane.hpp"

namespace tuner::engine {

/// What to do about a driver that is missing.
inline constexpr std::string_view kWithoutDriver =
    "Where there is a GPU, install the NVIDIA driver 525 or later; where there is none, replay a recording: "
    "`tuner tune --replay FILE`.";

/// The GPUs that the driver shows. Throws Error{no_driver} that ends with `way_out`.
std::vector<DeviceInfo> find_devices(std::string_view way_out = kWithoutDriver);

/// For a worker that found no GPU of that number: throws Error{no_driver} with the numbers that there are, if there are
/// any. Returns if the driver has nothing to say.
void refuse_number_without_gpu(int ordinal);

/// Waits for the worker of the GPU of that number, and throws like that where there is none.
const DeviceInfo& wait_for_gpu(DeviceProcessLane& lane, int ordinal);

}  // namespace tuner::engine
