#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cache/exchange/exchange.hpp"
#include "cache/file/location.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/stored/imported.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

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
    const auto of_file = [&](const ImportedFile& file) {
      nlohmann::ordered_json object{{"file", file.path}};
      object.update(counts_json(file.total, here.has_value()));
      object["kernels"] = kernels_json(file, here.has_value());
      return object;
    };
    print_json({{"format", 1}, {"database", to.decisions.string()}, {"files", json_list(files, of_file)}});
    return ExitCode::done;
  }
  std::int64_t foreign = 0;
  for (const ImportedFile& file : files) {
    print(fmt::format("{}:\n", one_line(file.path)));
    print_kernels(file, here.has_value());
    foreign += file.total.foreign;
  }
  print_foreign(foreign, here.has_value());
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
