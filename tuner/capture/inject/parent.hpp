#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "tuner/capture/message.hpp"

namespace tuner::capture {

/// The tuner that runs this program, and how it is reached.
class Parent {
 public:
  /// As the environment says; nothing if the descriptor named there is not the tuner's socket, as in a program that has
  /// closed what it inherited.
  static std::optional<Parent> from_environment();

  /// False if the packet could not be sent; nothing is waited for longer than the tuner allows. Never raises a signal.
  bool send(MessageKind kind, std::string_view body = {}, std::initializer_list<int> descriptors = {}) const;
  /// Launches before that do not count: nanoseconds of CLOCK_MONOTONIC.
  std::int64_t begin() const { return begin_; }
  /// The end of the program is not held up longer.
  std::chrono::milliseconds patience() const { return patience_; }

 private:
  bool is_there() const;

  int socket_ = -1;
  ino_t inode_ = 0;
  std::int64_t begin_ = 0;
  std::chrono::milliseconds patience_{0};
};

}  // namespace tuner::capture
