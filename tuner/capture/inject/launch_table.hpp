#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tuner/capture/inject/parent.hpp"
#include "tuner/capture/message.hpp"

namespace tuner::capture {

/// Launches that the parent has not been told of, added up by kernel and shape. Its size is limited, because the parent
/// may be gone. For several threads. Nothing is called under its lock but the standard library.
class LaunchTable {
 public:
  /// False, and the launch is left out, if it is of another kernel or shape and there is no room for that.
  bool add(std::string_view kernel, const LaunchShape& shape, double nanoseconds);
  /// Sends a message for each kernel and shape. What cannot be sent stays for the next time; false if there is no room
  /// for some of it.
  bool send_to(const Parent& parent);

 private:
  using Sums = std::unordered_map<std::string, LaunchSums>;  ///< by the bytes of the shape, and the name
  bool add(const std::string& key, const LaunchSums& more);

  std::mutex mutex_;
  Sums sums_;
  std::size_t bytes_ = 0;  ///< of the keys
};

}  // namespace tuner::capture
