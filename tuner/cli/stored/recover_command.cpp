#include <fmt/format.h>

#include "cache/recovery/recover.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

namespace fs = std::filesystem;

std::string in_words(const cache::RecoveredTable& table) {
  std::string text = counted(table.rows, "row");
  if (table.lost > 0) text += fmt::format("; at least {} lost", table.lost);
  if (table.refused > 0)
    text += fmt::format(", {} of them readable but invalid ({})", table.refused, table.why_refused);
  return text;
}

nlohmann::ordered_json table_json(const cache::RecoveredTable& table) {
  return {{"table", table.name}, {"rows", table.rows}, {"lost", table.lost}, {"refused", table.refused}};
}

ExitCode run_recover(const Arguments& arguments) {
  const std::vector<std::string>& operands = arguments.operands();
  if (operands.empty()) {
    throw Error(Errc::bad_usage,
                "`tuner recover` needs the damaged database, for example `tuner recover decisions.db.corrupt-...`.");
  }
  const fs::path from = operands.front();
  const fs::path to = operands.size() > 1 ? fs::path(operands[1]) : fs::path(operands.front() + ".recovered.db");
  const cache::Recovered recovered = cache::recover(from, to);
  for (const std::string& warning : recovered.warnings) warn(warning);
  if (recovered.nothing()) {
    say(fmt::format("No row of a database of this program was found in {}: nothing was written.", from.string()));
    return ExitCode::no_result;
  }
  if (arguments.has("json")) {
    print_json({{"format", 1},
                {"damaged", from.string()},
                {"file", to.string()},
                {"tables", json_list(recovered.tables, table_json)}});
    return ExitCode::done;
  }
  print(fmt::format("Written to {}:\n", to.string()));
  for (const cache::RecoveredTable& table : recovered.tables) {
    print(labelled(fmt::format("  {:<17}", table.name), in_words(table)));
  }
  print(labelled(
      "", fmt::format("{} `tuner import {}` adds it to the database in use; or give it the name of the damaged one.",
                      recovered.all() ? "Nothing is known to be lost." : "Lost results can be tuned again.",
                      in_command(to))));
  return ExitCode::done;
}

}  // namespace

Command recover_command() {
  return {
      .name = "recover",
      .synopsis = "tuner recover FILE [OUT.db] [--json]",
      .summary = "write the readable rows of a damaged database to a new one",
      .purpose =
          "Reads a damaged database of decisions page by page, writes every readable row to a new one (OUT.db,\n"
          "default FILE.recovered.db), and reports what was lost. FILE is not changed.",
      .options = {},
      .most_operands = 2,
      .operands = {"FILE"},
      .examples = {{"tuner recover ~/.local/share/tuner/decisions.db.corrupt-20260131T120000Z-77",
                    "recover a file that `tuner tune` set aside"},
                   {"tuner recover decisions.db saved.db --json",
                    "name the new file, with a report of losses that a script can read"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_recover,
  };
}

}  // namespace tuner::cli
