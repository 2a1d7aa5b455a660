#include "tuner/engine/device/lane/visible_device.hpp"

#include <fmt/format.h>

#include "tuner/error.hpp"

namespace tuner::engine {

std::vector<std::string> visible_device(int ordinal, const std::string& uuid, const char* visible, const char* order) {
  std::vector<std::string> environment;
  // Numbers in a list of the user's mean what they mean in the order that the user counts in.
  if (visible == nullptr && order == nullptr) environment.push_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  std::string device = uuid;
  if (device.empty() && visible == nullptr) device = std::to_string(ordinal);
  if (device.empty()) {
    const std::string list = visible;
    std::size_t begin = 0;
    for (int i = 0; i < ordinal && begin != std::string::npos; ++i) {
      begin = list.find(',', begin);
      if (begin != std::string::npos) ++begin;
    }
    if (begin == std::string::npos || begin >= list.size()) {
      throw Error(
          Errc::bad_usage,
          fmt::format("There is no GPU {}: CUDA_VISIBLE_DEVICES is '{}'; choose one from that list, counted from 0.",
                      ordinal, list));
    }
    device = list.substr(begin, list.find(',', begin) - begin);
  }
  environment.push_back("CUDA_VISIBLE_DEVICES=" + device);
  return environment;
}

}  // namespace tuner::engine
