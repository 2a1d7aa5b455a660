#pragma once

#include <string>
#include <vector>

#include "tuner/core/device/device.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/error.hpp"
#include "tuner/process/channel.hpp"

namespace tuner::engine {

/// What lane and device worker say to each other. Bodies are JSON; all binaries of a message travel in one file in
/// memory, one after the other, with their sizes in the body.
///
///     worker → lane   hello    {version, device}                 once, before the context exists
///                     ready    {version}                         once, when it does
///                     error    {code, message}                   instead of either; the worker ends
///                     reply    {version, ends, …}                one for each request, in order
///     lane → worker   prepare, reference, screen, finalists, block, recheck, confirm
///     probe           devices  {version, devices: […]} or error
inline constexpr int kDeviceWireVersion = 1;

Message encode_request(const DeviceRequest& request);
/// Throws Error{internal} naming what is missing or of the wrong kind.
DeviceRequest decode_request(const Message& message);

struct WorkerReply {
  DeviceReply reply;
  bool ends = false;  ///< the worker ends itself after this: its context is dead or its data damaged
};
Message encode_reply(const WorkerReply& reply);
WorkerReply decode_reply(const Message& message);

Message encode_hello(const DeviceInfo& device);
DeviceInfo decode_hello(const Message& message);

Message encode_ready();

Message encode_devices(const std::vector<DeviceInfo>& devices);
std::vector<DeviceInfo> decode_devices(const Message& message);

Message encode_error(const Error& error);
Error decode_error(const Message& message);

}  // namespace tuner::engine
