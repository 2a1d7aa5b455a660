#include "tuner/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/explain/facts_table.hpp"
#include "tuner/explain/rules.hpp"

namespace tuner::explain {

namespace {

std::string counter_cell(const Counters& counters, std::string_view name) {
  const auto found = counters.find(name);
  if (found == counters.end()) return "-";
  const double value = found->second;
  if (value == 0) return "0";
  return std::abs(value) >= 1e6 ? fmt::format("{:.4g} million", value / 1e6) : four_digits(value);
}

std::vector<FactRow> counter_rows(const Explanation& explanation, std::span<const std::string_view> names) {
  std::vector<FactRow> rows;
  for (const std::string_view name : names) {
    FactRow row{std::string(name), counter_cell(explanation.from.counters, name),
                counter_cell(explanation.to.counters, name)};
    if ((row.first != "-" || row.second != "-") && (row.first != "0" || row.second != "0"))
      rows.push_back(std::move(row));
  }
  return rows;
}

std::string step_note(const ExplainedStep& step) {
  if (step.is_idle) return "nothing, with all that follow: could keep its value";
  return step.share ? fmt::format("{} of the change", percent(*step.share)) : std::string();
}

std::string sentence(const Finding& finding) {
  return finding.sentence + (finding.sentence.ends_with('.') ? "" : ".");
}

/// A list of sentences, each behind this word.
std::string list_markdown(std::string_view word, const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& one : sentences) text += fmt::format("- {}: {}\n", word, for_markdown(one));
  return text;
}

std::string roofline_text(const RooflineReport& roofline) {
  return fmt::format("{} of what this GPU was measured to reach: {}", percent(roofline.share), roofline.bound_text);
}

}  // namespace

std::string ratio_text(const TimeRatio& ratio) {
  return fmt::format("{:.4f} ({:.4f}-{:.4f})", ratio.value, ratio.low, ratio.high);
}

bool says_more(const Explanation& kept, const Explanation& found) {
  // A path with a note ends with a step that is all that was left.
  const auto parts = [](const Explanation& one) {
    return std::array{one.path.empty()        ? 0
                      : one.path_note.empty() ? 2
                                              : 1,
                      one.to.counters.empty() ? 0 : 1, one.roofline ? 1 : 0};
  };
  const auto width = [](const Explanation& one) {
    return one.time ? one.time->high - one.time->low : std::numeric_limits<double>::infinity();
  };
  const auto has = parts(kept), other = parts(found);
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i] > other[i]) return true;
  }
  return has == other && 2 * width(kept) < width(found);
}

void set_ratios(Explanation& explanation) {
  if (!explanation.time || !(explanation.time->low > 0)) return;
  const TimeRatio& time = *explanation.time;
  explanation.to.to_other = time;
  explanation.from.to_other = TimeRatio{1 / time.high, 1 / time.value, 1 / time.low};
}

void explain_again(Explanation& explanation, const DeviceInfo& device) {
  explanation.findings.clear();
  if (!explanation.time) return;
  set_ratios(explanation);
  const bool is_faster = explanation.time->value <= 1;
  explanation.findings = explain_difference(is_faster ? explanation.from : explanation.to,
                                            is_faster ? explanation.to : explanation.from, device);
}

std::string verdict_text(const Explanation& explanation) {
  if (explanation.from.configuration == explanation.to.configuration) {
    return fmt::format("{} is {}, so there is nothing to explain", explanation.to.name, explanation.from.name);
  }
  if (!explanation.time) return "not measured, so that nothing says why";
  return fmt::format("{} takes {} of the time of {}, from {}{}", explanation.to.name, ratio_text(*explanation.time),
                     explanation.from.name, counted(explanation.blocks, "block"),
                     explanation.is_noisy ? " on a disturbed GPU" : "");
}

std::string to_text(const Explanation& explanation, std::size_t width) {
  const auto line = [&](std::string_view label, std::string_view text) { return tuner::labelled(label, text, width); };
  std::string text =
      fmt::format("{} on {}, {} cache\n", one_line(explanation.kernel), one_line(explanation.device), explanation.mode);
  if (!explanation.problem.empty()) text += line("  problem    ", explanation.problem);
  for (const ConfigurationFacts* side : {&explanation.from, &explanation.to}) {
    text += line(fmt::format("  {:<12} ", side->name), spaced_assignments(side->configuration));
  }
  text += line("  verdict    ", verdict_text(explanation));
  if (explanation.roofline) text += line("  roofline   ", roofline_text(*explanation.roofline));

  if (!explanation.findings.empty()) text += "\nWhy\n";
  for (const Finding& finding : explanation.findings) {
    text += line(fmt::format("  {:<13}", claim_name(finding.claim)), sentence(finding));
  }
  const bool has_path = !explanation.path.empty();
  if (has_path || !explanation.path_note.empty() || !explanation.path_failures.empty())
    text += "\nThe path from " + explanation.from.name + " to " + explanation.to.name + "\n";
  if (has_path) {
    Table table({{"step"}, {"time after / before"}, {"brings"}});
    for (const ExplainedStep& step : explanation.path) {
      table.add({spaced_assignments(step.assignments), ratio_text(step.time), step_note(step)});
    }
    text += table.text(width);
    for (const ExplainedInteraction& both : explanation.interactions) {
      text += line("  together   ", fmt::format("{} and {} take {} of the time that each alone leads to expect",
                                                both.first, both.second, ratio_text(both.time)));
    }
  }
  if (!explanation.path_note.empty()) {
    text += line("  path       ", (has_path ? "note: " : "not found: ") + explanation.path_note);
  }
  for (const std::string& failure : explanation.path_failures) text += line("  on the way ", one_line(failure));

  text += "\nMachine code\n";
  Table table({{""}, {explanation.from.name}, {explanation.to.name}});
  for (const FactRow& row : fact_rows(explanation.from, explanation.to)) table.add({row.name, row.first, row.second});
  text += table.text(width);
  for (const std::string& step : explanation.next_steps) text += line("  further    ", step);

  if (!explanation.no_counters.empty()) {
    text += "\nCounters\n" + line("  none       ", explanation.no_counters);
  } else if (const std::vector<FactRow> rows = counter_rows(explanation, counter_names()); !rows.empty()) {
    text += "\nCounters\n";
    Table counters({{""}, {explanation.from.name, Table::Align::right}, {explanation.to.name, Table::Align::right}});
    for (const FactRow& row : rows) counters.add({row.name, row.first, row.second});
    text += counters.text(width);
  }
  return text;
}

std::string path_markdown(const Explanation& explanation) {
  if (explanation.path.empty()) {
    return explanation.path_note.empty() ? "" : "No path was found: " + for_markdown(explanation.path_note) + ".\n";
  }
  std::string text = "| step | time after / before | brings |\n|---|---|---|\n";
  for (const ExplainedStep& step : explanation.path) {
    text += fmt::format("| {} | {} | {} |\n", for_markdown(step.assignments), ratio_text(step.time), step_note(step));
  }
  for (const ExplainedInteraction& both : explanation.interactions) {
    text += fmt::format("\n{} and {} take {} of the time that each alone leads to expect.\n", for_markdown(both.first),
                        for_markdown(both.second), ratio_text(both.time));
  }
  return text;
}

std::string code_markdown(const Explanation& explanation) {
  return markdown_table(explanation.from.name, explanation.to.name, fact_rows(explanation.from, explanation.to));
}

std::string counters_markdown(const Explanation& explanation, std::span<const std::string_view> names) {
  const std::vector<FactRow> rows = counter_rows(explanation, names);
  return rows.empty() ? std::string() : markdown_table(explanation.from.name, explanation.to.name, rows);
}

std::string to_markdown(const Explanation& explanation) {
  std::string text =
      fmt::format("{} on {}{}: {}.\n", for_markdown(explanation.kernel), for_markdown(explanation.device),
                  explanation.problem.empty() ? "" : ", " + for_markdown(explanation.problem),
                  for_markdown(verdict_text(explanation)));
  for (const ConfigurationFacts* side : {&explanation.from, &explanation.to})
    text += fmt::format("\n- {}: `{}`", for_markdown(side->name), one_line(named_assignments(side->configuration)));
  text += "\n";
  if (explanation.roofline) text += "- roofline: " + for_markdown(roofline_text(*explanation.roofline)) + "\n";
  if (!explanation.findings.empty()) text += "\n";
  for (const Finding& finding : explanation.findings)
    text += fmt::format("1. *{}*: {}\n", claim_name(finding.claim), for_markdown(sentence(finding)));
  const auto add_part = [&](const std::string& part) {
    if (!part.empty()) text += "\n" + part;
  };
  add_part(path_markdown(explanation));
  if (!explanation.path.empty() && !explanation.path_note.empty())
    add_part("Note: " + for_markdown(explanation.path_note) + ".\n");
  add_part(list_markdown("On the way", explanation.path_failures));
  add_part(code_markdown(explanation));
  add_part(list_markdown("Further", explanation.next_steps));
  if (!explanation.no_counters.empty()) text += "\nNo counters: " + for_markdown(explanation.no_counters) + "\n";
  const std::string counters = counters_markdown(explanation, counter_names());
  return counters.empty() ? text : text + "\n" + counters;
}

}  // namespace tuner::explain
