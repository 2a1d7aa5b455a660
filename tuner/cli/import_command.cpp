#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "cache/exchange/exchange.hpp"
#include "cache/file/location.hpp"
#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/decisions.hpp"
#include "tuner/cli/json_list.hpp"
#include "tuner/cli/message.hpp"
#include "tuner/cli/no_gpu.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

/// What became of one file's rows, of one kernel or of all.
struct Counts {
  std::int64_t kept = 0;
  std::int64_t older = 0;
  std::int64_t foreign = 0;  ///< of those that were kept
  std::int64_t trials_kept = 0;
  std::int64_t trials_known = 0;

  void add(const cache::ImportedKey& key, bool is_foreign) {
    const bool is_kept = key.decision == cache::ImportedKey::Decision::kept;
    kept += is_kept ? 1 : 0;
    foreign += is_kept && is_foreign ? 1 : 0;
    older += key.decision == cache::ImportedKey::Decision::older ? 1 : 0;
    trials_kept += key.trials_kept;
    trials_known += key.trials_known;
  }
};

struct ImportedFile {
  std::string path;
  Counts total;
  std::map<std::string, Counts> kernels;
};

/// The identities of this machine's GPUs; nothing if there is no driver to ask.
std::optional<std::vector<std::string>> kinds_of_gpu_here() {
  try {
    std::vector<std::string> kinds;
    for (const DeviceInfo& device : find_devices()) kinds.push_back(device.identity());
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

nlohmann::ordered_json to_json(const Counts& counts, bool knows_gpus) {
  return {{"kept", counts.kept},
          {"older", counts.older},
          {"foreign", knows_gpus ? nlohmann::ordered_json(counts.foreign) : nullptr},
          {"trials_kept", counts.trials_kept},
          {"trials_known", counts.trials_known}};
}

nlohmann::ordered_json to_json(const ImportedFile& file, bool knows_gpus) {
  nlohmann::ordered_json object{{"file", file.path}};
  object.update(to_json(file.total, knows_gpus));
  object["kernels"] = json_list(file.kernels, [&](const auto& kernel) {
    nlohmann::ordered_json of_kernel{{"kernel", kernel.first}};
    of_kernel.update(to_json(kernel.second, knows_gpus));
    return of_kernel;
  });
  return object;
}

std::string in_words(const Counts& counts, bool knows_gpus) {
  return fmt::format("{} kept{}, {} older than the stored ones; {} kept, {} known", counted(counts.kept, "decision"),
                     knows_gpus ? fmt::format(" ({} of them foreign)", counts.foreign) : "", counts.older,
                     counted(counts.trials_kept, "trial"), counts.trials_known);
}

void print_text(const ImportedFile& file, bool knows_gpus) {
  print(fmt::format("{}:\n", one_line(file.path)));
  if (file.kernels.empty()) print("  no measured results\n");
  for (const auto& [kernel, counts] : file.kernels) {
    print(labelled("  ", fmt::format("{}: {}", one_line(kernel), in_words(counts, knows_gpus))));
  }
}

/// What another tuner measured comes as JSON, and is no decision here.
void refuse_results(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || std::ifstream(file).peek() != '{') return;
  throw Error(Errc::bad_usage,
              fmt::format("{0} is JSON, not a database from `tuner export`. Results of other tuners are no decisions "
                          "here: start a search with them, `tuner tune KERNEL.cu --hints {1}`, or replay them, `tuner "
                          "tune --replay {1}`.",
                          file, in_command(file)));
}

ExitCode run_import(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage, "`tuner import` needs a file written by `tuner export`: `tuner import tuned.db`.");
  }
  const cache::Location to = cache::locate(arguments.value("db").value_or(""));
  // All of them are read before the first of them changes anything.
  for (const std::string& file : arguments.operands()) refuse_results(file);
  for (const std::string& file : arguments.operands()) cache::require_importable(to.decisions, file);

  const auto here = kinds_of_gpu_here();
  std::vector<ImportedFile> files;
  for (const std::string& file : arguments.operands()) {
    files.push_back(summed(file, cache::import_decisions(to.decisions, file), here));
  }
  if (arguments.has("json")) {
    const auto of_file = [&](const ImportedFile& file) { return to_json(file, here.has_value()); };
    print_json({{"format", 1}, {"database", to.decisions.string()}, {"files", json_list(files, of_file)}});
    return ExitCode::done;
  }
  std::int64_t foreign = 0;
  for (const ImportedFile& file : files) {
    print_text(file, here.has_value());
    foreign += file.total.foreign;
  }
  if (!here) {
    print("Without a GPU driver it is unknown which of them are for this machine's GPUs.\n");
  } else if (foreign > 0) {
    print("Foreign decisions are for GPUs that this machine does not have.\n");
  }
  return ExitCode::done;
}

}  // namespace

Command import_command() {
  return {
      .name = "import",
      .synopsis = "tuner import FILE.db... [--db PATH] [--json]",
      .summary = "add decisions and trials from another machine",
      .purpose =
          "Merges files from `tuner export`, or whole databases, into this one. Older decisions change nothing;\n"
          "each file is imported completely or not at all.",
      .options = {},
      .most_operands = 1000,
      .operands = {"FILE"},
      .examples = {{"tuner import tuned.db", "use what another machine of the same kind found"},
                   {"tuner import node*.db --json", "merge several, with a result for each that a script can read"}},
      .exit_codes = {ExitCode::store},
      .run = run_import,
  };
}

}  // namespace tuner::cli
