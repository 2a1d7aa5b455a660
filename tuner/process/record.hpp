#pragma once

#include <string>
#include <utility>

#include "cache/file/packed_text.hpp"
#include "tuner/process/channel.hpp"

// Records as messages: the body is the packed record. A message is of the same build as who reads it (Channel).

namespace tuner {

template <typename Record>
Message to_message(std::string type, const Record& record) {
  return {std::move(type), cache::packed(record), {}};
}

/// Of a message that is not what it says. Throws Error{internal} that names it.
[[noreturn]] void refuse(const Message& message);

/// Throws Error{internal} naming the message whose body is no such record.
template <typename Record>
Record from_message(const Message& message) try {
  return cache::unpacked<Record>(message.body);
} catch (const Error&) {
  refuse(message);
}

/// What a process says that cannot go on.
inline constexpr const char* kErrorMessage = "error";
Message to_message(const Error& error);
Error error_from(const Message& message);

}  // namespace tuner
