#include "tuner/cli/no_gpu.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

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

void refuse_number_without_gpu(int ordinal) {
  std::size_t count = 0;
  try {
    count = cuda::query_devices().size();
  } catch (const Error&) {
    return;
  }
  if (count == 0 || static_cast<std::size_t>(ordinal) < count) return;
  const std::string there =
      count == 1 ? "the only one has the number 0" : fmt::format("there are {}, numbered from 0", count);
  throw Error(Errc::no_driver,
              fmt::format("There is no GPU {} here: {}. `tuner devices` lists what --device takes.", ordinal, there));
}

}  // namespace tuner::cli
