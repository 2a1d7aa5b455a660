#pragma once

#include <span>
#include <string_view>

namespace tuner {

/// A file of device/.
struct DeviceHeader {
  std::string_view name, text;
};

std::span<const DeviceHeader> device_headers();

}  // namespace tuner
