#include "tuner/engine/device/lane/device_wire.hpp"

#include "tuner/engine/device/lane/message_fields.hpp"

namespace tuner::engine {

Message encode_request(const DeviceRequest& request) {
  return to_message(kRequest, request);
}

DeviceRequest decode_request(const Message& message) {
  if (message.type != kRequest) {
    throw Error(Errc::internal,
                "A device worker was sent a '" + message.type + "' message, which it does not support; report this.");
  }
  return from_message<DeviceRequest>(message);
}

Message encode_reply(const WorkerReply& reply) {
  return to_message(kReply, reply);
}

WorkerReply decode_reply(const Message& message) {
  return from_message<WorkerReply>(message);
}

}  // namespace tuner::engine
