#include "tuner/engine/workplace/find_devices.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "tuner/driver/device_query.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

std::vector<DeviceInfo> find_devices(std::string_view way_out) {
  try {
    return cuda::query_devices();
  } catch (const Error& error) {
    if (error.code() != Errc::no_driver) throw;
    throw Error(error.code(), fmt::format("{}{}{}", error.what(), way_out.empty() ? "" : " ", way_out));
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

const DeviceInfo& wait_for_gpu(DeviceProcessLane& lane, int ordinal) {
  try {
    return lane.info();
  } catch (const Error& error) {
    if (error.code() == Errc::no_driver) refuse_number_without_gpu(ordinal);
    throw;
  }
}

}  // namespace tuner::engine
