#include "tuner/cli/no_gpu.hpp"

#include <fmt/format.h>

#include "tuner/driver/device_query.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

std::vector<DeviceInfo> find_devices() {
  try {
    return cuda::query_devices();
  } catch (const Error& error) {
    if (error.code() != Errc::no_driver) throw;
    throw Error(error.code(),
                fmt::format("{} Where there is a GPU, install the NVIDIA driver 525 or later; where there is none, "
                            "replay a recording: `tuner tune --replay FILE`.",
                            error.what()));
  }
}

}  // namespace tuner::cli
