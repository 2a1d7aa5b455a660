#include <fmt/format.h>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/workplace/find_devices.hpp"

namespace tuner::cli {

namespace {

nlohmann::ordered_json device_json(const DeviceInfo& device) {
  return {{"number", device.ordinal},
          {"name", device.name},
          {"uuid", device.uuid},
          {"architecture", device.architecture()},
          {"sm_count", device.sm_count},
          {"memory_bytes", device.memory_bytes},
          {"l2_bytes", device.l2_bytes},
          {"max_shared_per_block", device.max_shared_per_block},
          {"mig_profile", device.mig_profile},
          {"driver_version", device.driver_version},
          {"identity", device.identity()}};
}

ExitCode run_devices(const Arguments& arguments) {
  const std::vector<DeviceInfo> devices = engine::find_devices();
  if (arguments.has("json")) {
    print_json({{"format", 1}, {"devices", json_list(devices, device_json)}});
    return ExitCode::done;
  }
  using Align = Table::Align;
  Table table({{"no.", Align::right},
               {"name"},
               {"arch"},
               {"SMs", Align::right},
               {"memory", Align::right},
               {"L2", Align::right},
               {"driver"},
               {"uuid"}},
              0);
  for (const DeviceInfo& device : devices) {
    table.add({std::to_string(device.ordinal), device.name, device.architecture(), std::to_string(device.sm_count),
               fmt::format("{:.0f} GiB", static_cast<double>(device.memory_bytes) / (1U << 30U)),
               fmt::format("{:.0f} MiB", static_cast<double>(device.l2_bytes) / (1U << 20U)), device.driver_version,
               device.uuid});
  }
  print(table.text(output_width()));
  return ExitCode::done;
}

}  // namespace

Command devices_command() {
  return {
      .name = "devices",
      .synopsis = "tuner devices [--json]",
      .summary = "list the GPUs of this machine with the numbers that --device takes",
      .purpose =
          "Lists the GPUs that the driver shows to this process, with the numbers that --device takes.\n"
          "CUDA_VISIBLE_DEVICES applies as it does to every CUDA program.",
      .options = {},
      .most_operands = 0,
      .examples = {{"tuner devices", "which GPUs are there?"},
                   {"tuner devices --json", "the same as JSON, with the identity used in databases"}},
      .exit_codes = {ExitCode::no_device},
      .run = run_devices,
  };
}

}  // namespace tuner::cli
