#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/stored/known_sizes.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/beyond_memory.hpp"
#include "tuner/core/task/decision_text.hpp"

namespace tuner::cli {

namespace {

ExitCode list_quarantine(const Arguments& arguments, const cache::Location& location, const cache::Database* store) {
  const std::string kernel = arguments.value("kernel").value_or("");
  std::vector<cache::Quarantined> listed;
  if (store != nullptr) listed = store->list_quarantine({.kernel_name = kernel});
  if (arguments.has("json")) {
    print_json({{"format", 1},
                {"database", location.decisions.string()},
                {"quarantine", json_list(listed, quarantined_json)}});
    return ExitCode::done;
  }
  if (listed.empty()) {
    say(fmt::format("Nothing is quarantined{} in {}.", kernel.empty() ? "" : " of `" + kernel + "`",
                    location.decisions.string()));
    return ExitCode::done;
  }
  Table table({{"kernel"}, {"device"}, {"driver"}, {"since"}, {"failure"}, {"problem"}, {"configuration"}, {"message"}},
              0);
  for (const cache::Quarantined& quarantined : listed) {
    std::string message = quarantined.message;
    std::replace(message.begin(), message.end(), '\n', ' ');
    table.add({quarantined.key.kernel_name, device_name(quarantined.key.device), quarantined.driver,
               date_text(quarantined.created_unix_ms), std::string(to_string(quarantined.outcome)),
               quarantined.key.problem, named_assignments(quarantined.configuration),
               unbroken(message.empty() ? "-" : message)});
  }
  print(table.text(output_width()));
  return ExitCode::done;
}

/// What is known of the listed kernels over all their problems, a line for each GPU and mode.
std::string sizes_text(const std::vector<NumberedDecision>& listed, const cache::Database& store) {
  std::vector<cache::DecisionKey> keys;
  for (const NumberedDecision& numbered : listed) keys.push_back(numbered.decision.key);
  std::string text;
  for (const cache::DecisionKey& key : whatever_problem(keys)) {
    const std::string line = sizes_line(store, key);
    if (line.empty()) continue;
    const std::string label = fmt::format("{} on {}, {} cache: ", key.kernel_name, device_name(key.device), key.mode);
    text += labelled(one_line(label), line);
  }
  return text.empty() ? text : "\n" + text;
}

/// Times that are shorter than what is declared takes.
std::string doubts_text(const std::vector<NumberedDecision>& listed) {
  std::string text;
  for (const NumberedDecision& numbered : listed) {
    if (const auto beyond = beyond_memory_in(numbered.decision.counters))
      text += labelled(fmt::format("no. {}: ", numbered.number), text_of(*beyond));
  }
  return text.empty() ? text : "\n" + text;
}

ExitCode run_list(const Arguments& arguments) {
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  if (arguments.has("quarantine")) return list_quarantine(arguments, location, store.get());
  const std::string kernel = arguments.value("kernel").value_or("");
  std::vector<NumberedDecision> listed;
  if (store) {
    for (NumberedDecision& numbered : numbered_decisions(*store)) {
      if (kernel.empty() || numbered.decision.key.kernel_name == kernel) listed.push_back(std::move(numbered));
    }
  }
  if (arguments.has("json")) {
    print_json(
        {{"format", 1}, {"database", location.decisions.string()}, {"decisions", json_list(listed, decision_json)}});
    return ExitCode::done;
  }
  if (listed.empty()) {
    say(no_decision(store.get(), kernel, location.decisions.string()) + replays_beside(location, "tuner list"));
    return ExitCode::done;
  }
  using Align = Table::Align;
  Table table({{"no.", Align::right},
               {"kernel"},
               {"device"},
               {"mode"},
               {"time", Align::right},
               {"speed-up over baseline"},
               {"problem"}},
              0);
  for (const NumberedDecision& numbered : listed) {
    const cache::Decision decision = shown(numbered.decision);
    table.add({std::to_string(numbered.number), decision.key.kernel_name, device_name(decision.key.device),
               decision.key.mode, time_text(decision.time_ns), speedup_cell(decision), decision.key.problem});
  }
  print(table.text(output_width()));
  print(doubts_text(listed));
  print(sizes_text(listed, *store));
  return ExitCode::done;
}

}  // namespace

Command list_command() {
  return {
      .name = "list",
      .synopsis = "tuner list [--kernel NAME] [--quarantine] [--db PATH] [--json]",
      .summary = "list the decisions: kernel, problem and device",
      .purpose =
          "Lists the newest decision for each kernel, problem, device and timing mode, newest first.\n"
          "Only reads the database; `tuner show NUMBER` shows one decision in full.",
      .options = {{"kernel", Option::Kind::value, "NAME", "only what is stored for this kernel; default: all"},
                  {"quarantine", Option::Kind::flag, "",
                   "list instead the configurations that crashed or hung and are not launched again"}},
      .most_operands = 0,
      .examples = {{"tuner list --kernel prefetch", "all problems for which prefetch was tuned"},
                   {"tuner list --db ~/.local/share/tuner/replay.db", "results of replayed recordings"}},
      .exit_codes = {ExitCode::store},
      .run = run_list,
  };
}

}  // namespace tuner::cli
