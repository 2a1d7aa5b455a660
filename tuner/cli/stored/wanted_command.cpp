#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/stored/wanted_entries.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/report/record_json.hpp"

namespace tuner::cli {

namespace {

/// A guess: two digits say as much as is known.
std::string about(double nanoseconds) {
  if (!(nanoseconds > 0)) return "0";
  const double unit = std::pow(10, std::floor(std::log10(nanoseconds)) - 1);
  const double rounded = std::round(nanoseconds / unit) * unit;
  const auto in = [&](double size, const char* name) { return fmt::format("{:.3g} {}", rounded / size, name); };
  if (rounded < 1e3) return in(1, "ns");
  if (rounded < 1e6) return in(1e3, "us");
  if (rounded < 1e9) return in(1e6, "ms");
  return rounded < 120e9 ? in(1e9, "s") : duration_text(rounded / 1e9);
}

std::string basis_text(const WantedValue& value) {
  const std::string time = value.time_from == "served"    ? "time of what serves it"
                           : value.time_from == "assumed" ? fmt::format("{} assumed", about(value.time_ns))
                                                          : fmt::format("time of {}", value.time_from);
  return fmt::format("{}, {} {}", time, percent(std::round(value.gain * 100) / 100),
                     value.gain_from == "assumed" ? "assumed" : "by speed-ups");
}

nlohmann::ordered_json entry_json(const ValuedWanted& entry) {
  const auto& [wanted, value] = entry;
  return {{"kernel", wanted.key.kernel_name},
          {"kernel_identity", wanted.key.kernel_identity},
          {"problem", wanted.key.problem},
          {"device", wanted.key.device},
          {"mode", wanted.key.mode},
          {"objective", wanted.key.objective},
          {"rung", wanted.rung},
          {"configuration", text_or_null(wanted.configuration)},
          {"time_us", microseconds(wanted.time_ns)},
          {"requested", wanted.requested},
          {"launched", wanted.launched},
          {"first_unix_ms", wanted.first_unix_ms},
          {"last_unix_ms", wanted.last_unix_ms},
          {"trouble", text_or_null(wanted.trouble)},
          {"likely_saving_us", value.saving_ns / 1e3},
          {"likely_time_us", value.time_ns / 1e3},
          {"time_from", value.time_from},
          {"likely_gain", value.gain},
          {"gain_from", value.gain_from}};
}

void print_table(const std::vector<ValuedWanted>& entries) {
  using Align = Table::Align;
  Table table({{"may save", Align::right},
               {"launches", Align::right},
               {"requests", Align::right},
               {"kernel"},
               {"device"},
               {"mode"},
               {"served by"},
               {"based on"},
               {"problem"}},
              0);
  for (const auto& [wanted, value] : entries) {
    table.add({about(value.saving_ns), grouped(static_cast<std::uint64_t>(wanted.launched)),
               grouped(static_cast<std::uint64_t>(wanted.requested)), wanted.key.kernel_name,
               device_name(wanted.key.device), wanted.key.mode, wanted.rung, basis_text(value), wanted.key.problem});
  }
  print(table.text(output_width()));
  for (const auto& [wanted, value] : entries) {
    if (wanted.trouble.empty()) continue;
    print("\n" + labelled("Not tuned: ", fmt::format("{} for {}: {}", one_line(wanted.key.kernel_name),
                                                     one_line(wanted.key.problem), one_line(wanted.trouble))));
  }
}

ExitCode forget(const cache::WantedStore& list, const std::string& kernel, bool json) {
  const std::size_t count = list.forget_kernel(kernel);
  if (json) {
    print_json({{"format", 1}, {"database", list.path().string()}, {"forgotten", count}});
  } else if (count > 0) {
    const std::string noun = count == 1 ? "entry" : "entries";
    print(fmt::format("Forgotten: {} {} of {}.\n", grouped(count), noun, one_line(list.path().string())));
  } else {
    say(fmt::format("Nothing was forgotten: {} lists nothing{}.", list.path().string(),
                    kernel.empty() ? "" : fmt::format(" of a kernel `{}`", kernel)));
  }
  return count > 0 ? ExitCode::done : ExitCode::no_result;
}

ExitCode run_wanted(const Arguments& arguments) {
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const cache::WantedStore list(location.decisions);
  const std::string kernel = arguments.operands().empty() ? "" : arguments.operands().front();
  if (arguments.has("forget")) return forget(list, kernel, arguments.has("json"));
  const WantedEntries entries = wanted_entries(location, list, kernel);
  if (arguments.has("json")) {
    print_json({{"format", 1}, {"database", list.path().string()}, {"wanted", json_list(entries.open, entry_json)}});
    return ExitCode::done;
  }
  if (entries.open.empty()) {
    say(
        fmt::format("Nothing is wanted{}: {} lists no problem without a decision. Programs list what they miss if "
                    "TUNER_WANTED=1 is set.",
                    kernel.empty() ? "" : fmt::format(" of a kernel `{}`", kernel), list.path().string()));
    return ExitCode::done;
  }
  print_table(entries.open);
  return ExitCode::done;
}

}  // namespace

Command wanted_command() {
  using Kind = Option::Kind;
  return {
      .name = "wanted",
      .synopsis = "tuner wanted [KERNEL] [--forget] [--db PATH] [--json]",
      .summary = "list the problems that programs missed, by what tuning them may save",
      .purpose =
          "Lists problems for which programs with TUNER_WANTED=1 found no decision, ordered by what tuning may\n"
          "save: a guess, launches so far * time * likely gain. `tuner tune --wanted` tunes them.",
      .options = {{"forget", Kind::flag, "", "empty the list, or delete what it holds of KERNEL"}},
      .most_operands = 1,
      .operands = {"KERNEL"},
      .examples = {{"tuner wanted", "what would tuning pay for?"},
                   {"tuner wanted prefetch --forget", "this kernel has changed: start its list afresh"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_wanted,
  };
}

}  // namespace tuner::cli
