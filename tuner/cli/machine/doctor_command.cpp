#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/machine/doctor_checks.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::cli {

namespace {

/// What the findings come to, in a sentence.
std::string conclusion(const std::vector<Finding>& findings) {
  using Costs = Finding::Costs;
  const auto any_missing = [&](auto is) {
    return std::ranges::any_of(findings, [&](const Finding& finding) { return !finding.found && is(finding); });
  };
  const auto costs = [&](Costs what) {
    return any_missing([&](const Finding& of) { return of.costs == what && !of.is_damaged; });
  };
  const bool works = !costs(Costs::tuning);
  const bool damaged = any_missing([](const Finding& of) { return of.is_damaged; });
  const bool keeps = !costs(Costs::results);
  std::string text;
  if (!works) {
    text +=
        "Tuning will not work here yet: see NO above. What works now: `tuner tune --replay FILE`, describe, list and "
        "show.\n";
  }
  if (!keeps) {
    text += works ? "Tuning works, but results will not be stored: see NO above.\n"
                  : "Results would not be stored either, including those of replays.\n";
  }
  if (damaged) {
    text += works && keeps ? "Tuning works, and starts a fresh database in place of the damaged one: see NO above.\n"
                           : "A damaged database is replaced by a fresh one when tuning next uses it.\n";
  }
  if (works && keeps && !damaged && costs(Costs::binaries)) {
    text += "Tuning works, but winners will be recompiled when they are needed: see NO above.\n";
  }
  if (costs(Costs::programs)) {
    text += fmt::format("{}rograms that use the library will find or compile less than they could: see NO above.\n",
                        works && text.empty() ? "Tuning works, but p" : "P");
  }
  if (text.empty()) text = "Everything that tuning needs was found.\n";
  if (costs(Costs::watching))
    text += "`tuner capture` sees no kernels, and hardware counters are not read: see NO above.\n";
  return text;
}

ExitCode run_doctor(const Arguments& arguments) {
  const std::vector<Finding> findings = look_at_everything(arguments.value("db").value_or(""));
  ExitCode code = ExitCode::done;
  for (const Finding& finding : findings) {
    if (code == ExitCode::done) code = finding.code;
  }
  if (arguments.has("json")) {
    const auto to_json = [](const Finding& finding) -> nlohmann::ordered_json {
      nlohmann::ordered_json object{{"what", finding.what}, {"found", finding.found}, {"text", finding.text}};
      if (!finding.found) object["command"] = finding.command;
      return object;
    };
    print_json({{"format", 1}, {"ready", code == ExitCode::done}, {"findings", json_list(findings, to_json)}});
    return code;
  }
  std::string text;
  for (const Finding& finding : findings) {
    // Sentences that are full of paths, many of them from elsewhere: they are not wrapped, as errors are not.
    text += tuner::labelled(fmt::format("{:<4} {:<12} ", finding.found ? "ok" : "NO", finding.what), finding.text,
                            kUnwrapped);
    if (!finding.found) text += tuner::labelled(fmt::format("{:<4} {:<12} ", "", "do"), finding.command, kUnwrapped);
  }
  print(text + "\n" + labelled("", conclusion(findings)));
  return code;
}

}  // namespace

Command doctor_command() {
  return {
      .name = "doctor",
      .synopsis = "tuner doctor [--db PATH] [--json]",
      .summary = "check what tuning needs, and say how to fix what is missing",
      .purpose =
          "Checks what tuning needs (toolkit, driver, GPU, worker and engine programs, databases), and CUPTI.\n"
          "Gives the command that fixes what is missing. Changes nothing; exits with 0 if tuning has all of it.",
      .options = {},
      .most_operands = 0,
      .examples = {{"tuner doctor", "would `tuner tune` work on this machine?"},
                   {"tuner doctor --db /shared/tuner", "could results be stored in that folder?"}},
      .exit_codes = {ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store},
      .run = run_doctor,
  };
}

}  // namespace tuner::cli
