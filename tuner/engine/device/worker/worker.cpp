#include "tuner/engine/device/worker/worker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <exception>

#include "tuner/core/base/printable.hpp"
#include "tuner/driver/device_query.hpp"
#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/worker/workbench.hpp"
#include "tuner/process/shortage.hpp"

namespace tuner::engine {
namespace {

constexpr int kFailed = 1;

// On stderr too, which the parent keeps: it may be about to send a request, find this end closed, and never read the
// message.
int fail(Channel& channel, const Error& error) {
  std::fprintf(stderr, "%s\n", printable(error.what()).c_str());
  channel.send(to_message(error));
  return kFailed;
}

void create_context() {
  CUdevice device = 0;
  check(driver().device(&device, 0), "cuDeviceGet");
  CUcontext context = nullptr;
  check(driver().retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver().set_context(context), "cuCtxSetCurrent");
}

/// The context's memory lies below what is mapped when it is made. Never given back.
void leave_addresses_alone(std::uint64_t bytes) {
  if (bytes > 0) mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

int run_device_worker(Channel channel, std::uint64_t address_padding) {
  try {
    const DeviceInfo device = query_device(0);
    // Before the context: compiling needs the architecture, and the context takes another tenth of a second.
    if (!channel.send(to_message(kHello, device))) return kFailed;
    leave_addresses_alone(address_padding);
    create_context();
    Workbench workbench(device);
    if (!channel.send(Message{kContextReady, {}, {}})) return kFailed;
    while (const std::optional<Message> message = channel.receive_wait()) {
      const WorkerReply answer = workbench.handle(decode_request(*message));
      if (!channel.send(encode_reply(answer))) break;
      if (answer.ends) raise(SIGKILL);
    }
    return 0;
  } catch (const Error& error) {
    return fail(channel, error);
  } catch (const std::exception& exception) {
    const Error bug(Errc::internal, fmt::format("The device worker failed: {}.", exception.what()));
    return fail(channel, as_shortage(exception).value_or(bug));
  }
}

}  // namespace tuner::engine
