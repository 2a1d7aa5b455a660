#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tuner/capture/message.hpp"

namespace tuner::capture {

/// A message of the injected library, checked: its texts are whole, its numbers are such as launches have.
struct Incoming {
  MessageKind kind = MessageKind::hello;
  int process = 0;
  LaunchShape shape;  ///< of launches, as are the sums
  LaunchSums sums;
  std::string text;          ///< of launches the kernel's name; of trouble the sentence
  std::uint32_t wanted = 0;  ///< of a stored launch
};

/// Nothing if the packet is not such a message.
std::optional<Incoming> read_message(std::span<const std::byte> packet);

}  // namespace tuner::capture
