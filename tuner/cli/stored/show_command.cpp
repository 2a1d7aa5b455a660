#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "search/expression/quoting.hpp"
#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/capture/show_capture.hpp"
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
#include "tuner/core/report/payback.hpp"
#include "tuner/core/task/beyond_memory.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/core/task/like_rounding.hpp"
#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/unproven.hpp"
#include "tuner/error.hpp"
#include "tuner/explain/explanation_json.hpp"

namespace tuner::cli {

namespace {

constexpr std::uint64_t kDefaultTrials = 20;
constexpr std::size_t kLongestMessage = 16384;

std::string speedup_text(const cache::Decision& decision) {
  if (decision.baseline == decision.configuration) return "none: the baseline itself is the fastest";
  const std::string baseline = decision.baseline_time_ns
                                   ? fmt::format("the baseline's {}", time_text(*decision.baseline_time_ns))
                                   : "the baseline";
  if (!decision.speedup) return fmt::format("not known: {} was not raced against the winner", baseline);
  std::string text = fmt::format("{} over {}", speedup_cell(decision), baseline);
  if (decision.speedup_low) {
    text += fmt::format(", {:.4g} % confidence, {}", decision.confidence * 100,
                        counted(decision.race_blocks, "paired sample"));
  }
  return text;
}

/// How thoroughly the space was searched, as far as it is known.
std::string search_text(const cache::Decision& decision) {
  std::string searched = searched_text(decision);
  if (decision.effort) {
    searched += fmt::format("{}effort {}", searched.empty() ? "" : ", ", tuner::to_string(*decision.effort));
  }
  std::string text;
  if (!searched.empty()) text += labelled("  searched   ", searched);
  if (!decision.stopped_because.empty()) text += labelled("  stopped    ", "because " + decision.stopped_because);
  return text;
}

/// What `tuner explain` found, in its sentences; empty if it has not been asked.
std::string why_text(const std::vector<cache::DecisionText>& texts) {
  const std::optional<explain::Explanation> explanation = explain::kept_explanation(texts);
  std::string why;
  if (!explanation) return explain::is_kept(texts) ? labelled("  why        ", explain::kUnreadable) : why;
  for (const explain::Finding& finding : explanation->findings)
    why += labelled(why.empty() ? "  why        " : "             ", one_line(finding.sentence));
  for (const explain::ExplainedStep& step : explanation->path) {
    why += labelled("  step       ", fmt::format("{}: {} of the time before{}", one_line(step.assignments),
                                                 ratio_text(step.time), step.is_idle ? ", could keep its value" : ""));
  }
  return why;
}

/// Which source is stored with it, if any.
std::string source_text(const std::vector<cache::DecisionText>& texts) {
  std::string source;
  std::size_t headers = 0;
  for (const cache::DecisionText& text : texts) {
    if (text.kind == cache::TextKind::source) source = text.name;
    if (text.kind == cache::TextKind::header) ++headers;
  }
  if (source.empty()) return {};
  return labelled("  stored     ", "the source " + one_line(source) +
                                       (headers > 0 ? " and " + counted(headers, "header") : std::string()));
}

std::string decision_text(const NumberedDecision& numbered, const std::vector<cache::DecisionText>& texts,
                          const std::string& sizes) {
  const cache::Decision decision = shown(numbered.decision);
  std::string text = fmt::format("Decision {}: {} on {}, {} cache\n", numbered.number, decision.key.kernel_name,
                                 device_name(decision.key.device), decision.key.mode);
  text += labelled("  problem    ", decision.key.problem);
  text += labelled("  winner     ", spaced_assignments(decision.configuration));
  text += labelled("  time       ",
                   time_text(decision.time_ns) + (decision.noisy ? ", measured on a disturbed device" : ""));
  if (decision.contended) text += labelled("  contended  ", "other processes had the GPU open at the time");
  if (decision.has_baseline()) {
    text += labelled("  baseline   ", spaced_assignments(decision.baseline));
    text += labelled("  speed-up   ", speedup_text(decision));
    if (const auto pays = stored_payback(decision)) text += labelled("  payback    ", payback_text(*pays));
  }
  for (const cache::Tie& tie : decision.ties) {
    if (tie.configuration == decision.configuration) continue;
    text += labelled(fmt::format("  tie {:.4f} ", tie.relative_time), spaced_assignments(tie.configuration));
  }
  if (!decision.launch.empty()) text += labelled("  launch     ", decision.launch);
  text += labelled("  verified   ", verified_text(decision));
  if (const std::vector<NotCompared> left_out = not_compared_in(decision.counters); !left_out.empty()) {
    text += labelled("  uncompared ", text_of(left_out) + ": the reference leaves them unwritten");
  }
  if (const std::vector<Unproven> unproven = unproven_in(decision.counters); !unproven.empty()) {
    text += labelled("  unproven   ", text_of(unproven));
  }
  if (const auto beyond = beyond_memory_in(decision.counters)) text += labelled("  rate       ", text_of(*beyond));
  if (const auto rejected = like_rounding_in(decision.counters))
    text += labelled("  rejected   ", text_of(*rejected, decision.time_ns));
  text += search_text(decision);
  const cache::Conditions& conditions = decision.conditions;
  const auto version = [](const std::string& text_of) { return text_of.empty() ? std::string("none") : text_of; };
  text += labelled("  made       ",
                   fmt::format("{}, {}; tuner {}, toolkit {}, driver {}", date_text(decision.created_unix_ms),
                               cache::to_string(decision.origin), version(conditions.tuner_version),
                               version(conditions.toolkit), version(conditions.driver)));
  text += labelled("  device     ", unbroken(decision.key.device));
  text += labelled("  source     ", unbroken(decision.key.kernel_identity));
  text += source_text(texts);
  if (!sizes.empty()) text += labelled("  sizes      ", sizes);
  text += why_text(texts);
  std::string counts;
  for (const auto& [name, count] : decision.counters) {
    const bool is_told_above = name == kTuningCounter || name == kSameInputsCounter || name == kPackedCounter ||
                               name.starts_with(kNotCompared) || name.starts_with(kUnproven);
    if (!is_told_above) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, name);
  }
  if (!counts.empty()) text += labelled("  counted    ", counts);
  return text;
}

/// What a compiler or a worker said, in its own lines, or the beginning of it.
std::string message_text(const std::string& message) {
  if (message.size() <= kLongestMessage) return message;
  return fmt::format("{}... ({} bytes; --json has all of it)", search::beginning_of(message, kLongestMessage),
                     message.size());
}

std::string failures_text(const std::vector<cache::Trial>& trials) {
  std::map<Outcome, std::vector<const cache::Trial*>> failures;
  for (const cache::Trial& trial : trials) {
    if (trial.outcome != Outcome::ok) failures[trial.outcome].push_back(&trial);
  }
  if (failures.empty()) return {};
  std::string text = "\nFailures\n";
  for (const auto& [outcome, of_class] : failures) {
    const cache::Trial& first = *of_class.front();
    text += tuner::labelled(fmt::format("  {:>5}  {:<17}  ", of_class.size(), to_string(outcome)),
                            first.message.empty() ? "(no reason recorded)" : message_text(first.message), kUnwrapped);
    text += labelled("                            e.g. ", spaced_assignments(one_line(first.configuration)));
  }
  return text;
}

std::string quarantine_text(const std::vector<cache::Quarantined>& quarantine, const std::string& kernel) {
  if (quarantine.empty()) return {};
  std::string text =
      "\n" + labelled("", fmt::format("Quarantined: not launched again until `tuner forget {} --only quarantine`",
                                      one_line(kernel)));
  for (const cache::Quarantined& quarantined : quarantine) {
    text += labelled(fmt::format("  {:<17}  ", to_string(quarantined.outcome)),
                     fmt::format("{} (driver {})", spaced_assignments(one_line(quarantined.configuration)),
                                 one_line(quarantined.driver)));
    if (!quarantined.message.empty())
      text += tuner::labelled("                     ", message_text(quarantined.message), kUnwrapped);
  }
  return text;
}

std::string trials_text(std::vector<cache::Trial> trials, std::uint64_t most, const std::string& baseline) {
  std::erase_if(trials, [](const cache::Trial& trial) { return trial.outcome != Outcome::ok || !trial.time_ns; });
  if (trials.empty()) return {};
  std::stable_sort(trials.begin(), trials.end(),
                   [](const cache::Trial& a, const cache::Trial& b) { return *a.time_ns < *b.time_ns; });
  using Align = Table::Align;
  Table table({{"time", Align::right},
               {"regs", Align::right},
               {"spills", Align::right},
               {"occupancy", Align::left},
               {baseline.empty() ? "configuration" : "differs from the baseline in", Align::left}});
  for (std::size_t i = 0; i < trials.size() && i < most; ++i) {
    const cache::Trial& trial = trials[i];
    std::string values = baseline.empty()
                             ? spaced_assignments(trial.configuration)
                             : fmt::format("{}", fmt::join(differing_assignments(trial.configuration, baseline), " "));
    if (values.empty()) values = "(the baseline)";
    if (!trial.duplicate_of.empty()) values += " (same binary as another)";
    table.add({(trial.censored ? ">" : "") + time_text(*trial.time_ns),
               trial.facts.registers ? std::to_string(*trial.facts.registers) : "-",
               trial.facts.spill_store_bytes ? std::to_string(*trial.facts.spill_store_bytes) : "-",
               trial.facts.occupancy
                   ? fmt::format("{:.0f}% {}", *trial.facts.occupancy * 100, trial.facts.occupancy_limiter)
                   : "-",
               values});
  }
  return "\n" +
         labelled("",
                  fmt::format("Fastest {} of {} that were timed (> is a lower bound: stopped early)",
                              std::min<std::uint64_t>(most, trials.size()), counted(trials.size(), "configuration"))) +
         table.text(output_width());
}

/// A folder that `tuner capture` wrote; names of kernels have no slashes.
bool is_capture(const std::filesystem::path& operand) {
  std::error_code ignored;
  return capture::is_capture_folder(operand) ||
         (operand.has_parent_path() && std::filesystem::is_directory(operand, ignored));
}

ExitCode run_show(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                "`tuner show` needs a kernel's name or a decision's number, for example `tuner show prefetch`. `tuner "
                "list` shows what is stored.");
  }
  if (is_capture(arguments.operands().front()))
    return show_capture(arguments.operands().front(), arguments.has("json"));
  const std::uint64_t most = arguments.number("trials").value_or(kDefaultTrials);
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::string path = location.decisions.string();
  const std::string elsewhere = replays_beside(location, "tuner show " + in_command(arguments.operands().front()));
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  if (!store) {
    say(no_decision(nullptr, "", path) + elsewhere);
    return ExitCode::no_result;
  }
  const std::vector<NumberedDecision> found =
      called(arguments.operands().front(), numbered_decisions(*store), *store, path, elsewhere);
  if (found.empty()) return ExitCode::no_result;
  const NumberedDecision& shown = found.front();
  std::vector<cache::Trial> trials = trials_behind(shown.decision, *store);
  const cache::DecisionKey& key = shown.decision.key;
  const std::vector<cache::Quarantined> quarantine = store->list_quarantine({key.kernel_name, key.problem, key.device});
  if (arguments.has("json")) {
    print_json({{"format", 1},
                {"database", path},
                {"decision", decision_json(shown)},
                {"trials", json_list(trials, trial_json)},
                {"quarantine", json_list(quarantine, quarantined_json)}});
  } else {
    print(decision_text(shown, store->find_texts(shown.decision.row), sizes_line(*store, key)));
    print(failures_text(trials));
    print(quarantine_text(quarantine, key.kernel_name));
    print(trials_text(std::move(trials), most, shown.decision.baseline));
  }
  if (found.size() > 1) {
    std::vector<std::size_t> others;
    for (std::size_t i = 1; i < found.size(); ++i) others.push_back(found[i].number);
    say(fmt::format("This is the newest of {} decisions for this kernel. The others: `tuner show N` with N of {}.",
                    found.size(), fmt::join(others, ", ")));
  }
  return ExitCode::done;
}

}  // namespace

Command show_command() {
  return {
      .name = "show",
      .synopsis = "tuner show KERNEL|NUMBER|FOLDER [--trials N] [--db PATH] [--json]",
      .summary = "show one decision: why it won, its ties, trials and failures; or a capture",
      .purpose =
          "Shows one decision with ties, conditions, failures and trials: the newest of a kernel, or the\n"
          "one with that number in `tuner list`. Or launches in a FOLDER of `tuner capture`.",
      .options = {{"trials", Option::Kind::value, "N",
                   "number of trials to show, fastest first; default 20; JSON always contains all"}},
      .most_operands = 1,
      .operands = {"KERNEL|NUMBER"},
      .examples = {{"tuner show prefetch", "the newest decision for prefetch"},
                   {"tuner show 3 --json", "decision 3 with every trial and its samples, for a program"},
                   {"tuner show ./scale.capture", "the launches that are stored there, and their parameters"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_show,
  };
}

}  // namespace tuner::cli
