#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cache/file/fresh_file.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"
#include "tuner/explain/explanation_json.hpp"
#include "tuner/page/report_page.hpp"

namespace tuner::cli {

namespace {

constexpr std::size_t kMostOperands = 1000;

/// What the operands call, each once; of a kernel all its decisions, without operands all there are.
std::vector<NumberedDecision> wanted(const std::vector<std::string>& names, const cache::Database& store,
                                     const std::string& path, const std::string& elsewhere) {
  std::vector<NumberedDecision> all = numbered_decisions(store);
  if (names.empty()) {
    if (all.empty()) say(no_decision(&store, "", path) + elsewhere);
    return all;
  }
  std::vector<NumberedDecision> found;
  for (const std::string& name : names) {
    std::vector<NumberedDecision> of_name = called(name, all, store, path, elsewhere);
    if (of_name.empty()) return {};
    for (NumberedDecision& numbered : of_name) {
      const auto same = [&](const NumberedDecision& other) { return other.number == numbered.number; };
      if (std::none_of(found.begin(), found.end(), same)) found.push_back(std::move(numbered));
    }
  }
  return found;
}

ExitCode run_report(const Arguments& arguments) {
  const auto file = arguments.value("o");
  if (!file) {
    throw Error(Errc::bad_usage,
                "`tuner report` needs the file to write, for example `tuner report prefetch -o report.html`.");
  }
  const bool prints = file == kStandardOutput;
  if (prints && (arguments.has("force") || arguments.has("json"))) {
    throw Error(Errc::bad_usage,
                "-o - prints the page, so that --force and --json have no effect: leave them out, or name a file.");
  }
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::string path = location.decisions.string();
  std::string again = "tuner report ";
  for (const std::string& operand : arguments.operands()) again += in_command(operand) + " ";
  const std::string elsewhere = replays_beside(location, again + "-o " + in_command(*file));
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  if (!store) {
    say(no_decision(nullptr, "", path) + elsewhere);
    return ExitCode::no_result;
  }
  std::vector<page::Subject> subjects;
  std::vector<std::string> unexplained;
  std::size_t trials = 0;
  for (NumberedDecision& numbered : wanted(arguments.operands(), *store, path, elsewhere)) {
    std::vector<cache::Trial> behind = trials_behind(numbered.decision, *store);
    trials += behind.size();
    std::vector<cache::DecisionText> texts = store->find_texts(numbered.decision.row);
    if (explain::is_kept(texts) && !explain::kept_explanation(texts)) {
      std::erase_if(texts, cache::is_explanation);
      unexplained.push_back(std::to_string(numbered.number));
    }
    subjects.push_back({numbered.number, std::move(numbered.decision), std::move(behind), std::move(texts)});
  }
  if (subjects.empty()) return ExitCode::no_result;
  if (prints) {
    print_file(page::report_page(subjects));
  } else {
    cache::FreshFile fresh(*file, arguments.has("force"), cache::FreshFile::Kind::text);
    fresh.append(page::report_page(subjects));
    fresh.publish();
  }
  if (!unexplained.empty())
    warn(fmt::format("The page does not say why the winner of {} {} wins. {}",
                     unexplained.size() == 1 ? "decision" : "decisions", fmt::join(unexplained, ", "),
                     explain::kUnreadable));
  if (arguments.has("json")) {
    print_json(
        {{"format", 1}, {"database", path}, {"file", *file}, {"decisions", subjects.size()}, {"trials", trials}});
  } else if (!prints) {
    say(fmt::format("Wrote {} and {} to {}: open it in a browser.", counted(subjects.size(), "decision"),
                    counted(trials, "trial"), *file));
  }
  return ExitCode::done;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .synopsis = "tuner report [KERNEL|NUMBER ...] -o FILE.html [--force] [--db PATH] [--json]",
      .summary = "write decisions and their trials as a page for a browser",
      .purpose =
          "Writes one HTML file that needs no network: verdict, why, final race, the fastest side by side,\n"
          "every trial against any parameter, what each parameter does, failures and conditions.",
      .options = {{"o", Option::Kind::value, "FILE", "the file to write; -: standard output"},
                  {"force", Option::Kind::flag, "", "replace FILE if it exists"}},
      .most_operands = kMostOperands,
      .operands = {"KERNEL|NUMBER"},
      .examples = {{"tuner report prefetch -o prefetch.html", "all decisions for prefetch"},
                   {"tuner report 3 7 -o two.html", "decisions 3 and 7, as `tuner list` numbers them"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_report,
  };
}

}  // namespace tuner::cli
