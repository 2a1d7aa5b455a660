#include <fmt/format.h>

#include "cache/upkeep/prune.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner::cli {

namespace {

std::string bytes_text(std::uintmax_t bytes) {
  return grouped(bytes) + (bytes == 1 ? " byte" : " bytes");
}

nlohmann::ordered_json pruned_json(const cache::Pruned& pruned, const std::string& path, bool dry_run) {
  const auto rows = [](const cache::PrunedRows& one) -> nlohmann::ordered_json {
    return {{"kind", one.kind}, {"rows", one.rows}, {"bytes", one.bytes}};
  };
  const auto busy = [](const cache::BusyKey& one) -> nlohmann::ordered_json {
    return {{"kernel", one.key.kernel_name},
            {"problem", one.key.problem},
            {"device", one.key.device},
            {"mode", one.key.mode},
            {"holder", one.holder ? nlohmann::ordered_json(*one.holder) : nullptr}};
  };
  const auto file = [](const cache::PrunedFile& one) -> nlohmann::ordered_json {
    return {{"file", one.path.string()}, {"bytes_before", one.bytes_before}, {"bytes_after", one.bytes_after}};
  };
  return {{"format", 1},
          {"database", path},
          {"dry_run", dry_run},
          {"deleted", json_list(pruned.kinds, rows)},
          {"left_out", json_list(pruned.left_out, busy)},
          {"files", json_list(pruned.files, file)}};
}

void print_pruned(const cache::Pruned& pruned, const std::string& path, bool dry_run) {
  if (pruned.nothing()) {
    print(fmt::format("Everything in {} is needed: nothing to delete.\n", one_line(path)));
    return;
  }
  print(fmt::format("{} {}:\n", dry_run ? "Would be deleted from" : "Deleted from", one_line(path)));
  using Align = Table::Align;
  Table table({{"what"}, {"rows", Align::right}, {"bytes, about", Align::right}});
  for (const cache::PrunedRows& one : pruned.kinds) {
    if (one.rows == 0) continue;
    table.add(
        {one.kind, grouped(static_cast<std::uint64_t>(one.rows)), grouped(static_cast<std::uint64_t>(one.bytes))});
  }
  print(table.text(output_width()));
  for (const cache::PrunedFile& file : pruned.files) {
    print(labelled("", fmt::format("{}: {} before, {} now.", unbroken(file.path.string()),
                                   bytes_text(file.bytes_before), bytes_text(file.bytes_after))));
  }
}

ExitCode run_prune(const Arguments& arguments) {
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::string path = location.decisions.string();
  if (is_not_there_yet(location.decisions)) {
    say(fmt::format("Nothing is stored in {} yet, so there is nothing to delete.", path));
    return ExitCode::no_result;
  }
  const bool dry_run = arguments.has("dry-run");
  const cache::Pruned pruned = cache::prune(location, dry_run);
  for (const cache::BusyKey& busy : pruned.left_out) {
    warn(fmt::format("`{}` on {}, {}, was left as it is, because another process is at work on it{}.",
                     one_line(busy.key.kernel_name), one_line(device_name(busy.key.device)), one_line(busy.key.problem),
                     busy.holder ? fmt::format(" ({})", *busy.holder) : ""));
  }
  for (const cache::PrunedFile& file : pruned.files) {
    if (file.why_not_smaller.empty()) continue;
    warn(fmt::format("{} did not get smaller, and later rows will use the room: {}", file.path.string(),
                     file.why_not_smaller));
  }
  if (arguments.has("json")) {
    print_json(pruned_json(pruned, path, dry_run));
  } else {
    print_pruned(pruned, path, dry_run);
  }
  return ExitCode::done;
}

}  // namespace

Command prune_command() {
  return {
      .name = "prune",
      .synopsis = "tuner prune [--dry-run] [--db PATH] [--json]",
      .summary = "delete rows that nothing needs from the databases",
      .purpose =
          "Deletes what was forgotten or replaced, what belongs to versions of a source that nothing is served\n"
          "for, and binaries and texts that nothing names. What is served, and its trials, stay as they are.",
      .options = {{"dry-run", Option::Kind::flag, "", "only print what would be deleted: no file is changed"}},
      .examples = {{"tuner prune --dry-run", "see how many rows of each kind nothing needs"},
                   {"tuner prune", "delete them and make the files smaller"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_prune,
  };
}

}  // namespace tuner::cli
