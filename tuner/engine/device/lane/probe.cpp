#include "tuner/engine/device/lane/probe.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/engine/device/lane/visible_device.hpp"
#include "tuner/process/spawn.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::engine {

std::vector<DeviceInfo> list_devices() {
  constexpr std::chrono::seconds kLimit{60};
  ChildProcess probe(
      {.program = find_worker_program(),
       .arguments = {"probe"},
       .environment = device_order(std::getenv("CUDA_VISIBLE_DEVICES"), std::getenv("CUDA_DEVICE_ORDER"))});
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  const std::optional<Message> message = probe.channel().receive_until(deadline);
  if (!message) {
    const std::optional<ExitStatus> status = probe.channel().closed() ? probe.wait_until(deadline) : std::nullopt;
    throw Error(Errc::no_driver,
                fmt::format("The process that asks the driver for its GPUs {}; check that `nvidia-smi` runs. {}",
                            status ? status->text() : fmt::format("did not answer for {} s", kLimit.count()),
                            probe.stderr_tail()));
  }
  if (message->type == kErrorMessage) throw error_from(*message);
  return from_message<DeviceList>(*message).devices;
}

}  // namespace tuner::engine
