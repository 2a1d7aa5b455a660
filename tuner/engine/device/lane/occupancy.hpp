#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::engine {

/// What the driver says about one loaded kernel.
struct FunctionFacts {
  int registers = 0;  ///< per thread
  int static_shared = 0;
  int local_bytes = 0;            ///< per thread
  int max_threads_per_block = 0;  ///< with its registers and launch bounds
};

/// Which resource of an SM runs out first for this launch: "warps", "registers", "shared" or "blocks"; where several
/// run out together the first of these (tuner/core/occupancy). Empty where the device's limits are not known.
std::string_view occupancy_limiter(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry);

/// Resident warps / maximum, 0 to 1, worked out in the same way, before anything is loaded; nothing where the device's
/// limits are not known.
std::optional<double> possible_occupancy(const DeviceInfo& device, const FunctionFacts& function,
                                         const Geometry& geometry);

/// Why a launch that the driver refused cannot work, as far as the numbers tell: "its block of 1024 threads needs 128
/// registers each, 131072 in all, and a block may have 65536". Empty if they all fit.
std::string why_refused(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry);

}  // namespace tuner::engine
