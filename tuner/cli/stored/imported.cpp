#include "tuner/cli/stored/imported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

std::string in_words(const ImportCounts& counts, bool knows_gpus) {
  return fmt::format("{} kept{}, {} older than the stored ones; {} kept, {} known", counted(counts.kept, "decision"),
                     knows_gpus ? fmt::format(" ({} of them foreign)", counts.foreign) : "", counts.older,
                     counted(counts.trials_kept, "trial"), counts.trials_known);
}

}  // namespace

void ImportCounts::add(const cache::ImportedKey& key, bool is_foreign) {
  const bool is_kept = key.decision == cache::ImportedKey::Decision::kept;
  kept += is_kept ? 1 : 0;
  foreign += is_kept && is_foreign ? 1 : 0;
  older += key.decision == cache::ImportedKey::Decision::older ? 1 : 0;
  trials_kept += key.trials_kept;
  trials_known += key.trials_known;
}

std::optional<std::vector<std::string>> kinds_of_gpu_here() {
  try {
    std::vector<std::string> kinds;
    for (const DeviceInfo& device : engine::find_devices()) kinds.push_back(device.identity());
    return kinds;
  } catch (const Error&) {
    return std::nullopt;
  }
}

ImportedFile summed(std::string path, const std::vector<cache::ImportedKey>& imported,
                    const std::optional<std::vector<std::string>>& here) {
  ImportedFile file{.path = std::move(path)};
  for (const cache::ImportedKey& key : imported) {
    const bool is_foreign = here && std::ranges::find(*here, key.key.device) == here->end();
    file.total.add(key, is_foreign);
    file.kernels[key.key.kernel_name].add(key, is_foreign);
  }
  return file;
}

nlohmann::ordered_json counts_json(const ImportCounts& counts, bool knows_gpus) {
  return {{"kept", counts.kept},
          {"older", counts.older},
          {"foreign", knows_gpus ? nlohmann::ordered_json(counts.foreign) : nullptr},
          {"trials_kept", counts.trials_kept},
          {"trials_known", counts.trials_known}};
}

nlohmann::ordered_json kernels_json(const ImportedFile& file, bool knows_gpus) {
  return json_list(file.kernels, [&](const auto& kernel) {
    nlohmann::ordered_json of_kernel{{"kernel", kernel.first}};
    of_kernel.update(counts_json(kernel.second, knows_gpus));
    return of_kernel;
  });
}

void print_kernels(const ImportedFile& file, bool knows_gpus) {
  if (file.kernels.empty()) print("  no measured results\n");
  for (const auto& [kernel, counts] : file.kernels) {
    print(labelled("  ", fmt::format("{}: {}", one_line(kernel), in_words(counts, knows_gpus))));
  }
}

void print_foreign(std::int64_t foreign, bool knows_gpus) {
  if (!knows_gpus) {
    print("Without a GPU driver it is unknown which of them are for this machine's GPUs.\n");
  } else if (foreign > 0) {
    print("Foreign decisions are for GPUs that this machine does not have.\n");
  }
}

}  // namespace tuner::cli
