#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tuner/capture/inject/message.hpp"
#include "tuner/capture/inject/parent.hpp"

namespace tuner::capture {

/// Launches that the parent has not been told of, added up by kernel and shape. For several threads. Nothing is called
/// under its lock but the standard library.
class LaunchTable {
 public:
  void add(std::string_view kernel, const LaunchShape& shape, double nanoseconds);
  /// Sends a message for each kernel and shape. What cannot be sent stays for the next time; false if something does.
  bool send_to(const Parent& parent);

 private:
  using Sums = std::unordered_map<std::string, LaunchSums>;  ///< by the bytes of the shape, and the name

  std::mutex mutex_;
  Sums sums_;
};

}  // namespace tuner::capture
