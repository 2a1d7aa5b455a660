#pragma once

#include "tuner/core/device/device_fields.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/process/record.hpp"

namespace tuner::engine {

/// What lane and device worker say to each other.
///
///     worker → lane   hello    a DeviceInfo                once, before the context exists
///                     ready                                once, when it does
///                     error                                instead of either; the worker ends
///                     reply    a WorkerReply               one for each request, in order
///     lane → worker   request  a DeviceRequest
inline constexpr const char* kHello = "hello";
inline constexpr const char* kContextReady = "ready";
inline constexpr const char* kReply = "reply";
inline constexpr const char* kRequest = "request";

struct WorkerReply {
  DeviceReply reply;
  bool ends = false;  ///< the worker ends itself after this: its context is dead or its data damaged
};
void describe(auto& fields, WorkerReply& reply) {
  auto& [answer, ends] = reply;
  fields("reply", answer)("ends", ends);
}

Message encode_request(const DeviceRequest& request);
/// Throws Error{internal} naming what is missing or of the wrong kind.
DeviceRequest decode_request(const Message& message);
Message encode_reply(const WorkerReply& reply);
/// Throws likewise.
WorkerReply decode_reply(const Message& message);

}  // namespace tuner::engine
