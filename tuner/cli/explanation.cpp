#include "tuner/cli/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/explain/rules.hpp"

namespace tuner::cli {

namespace {

using explain::ConfigurationFacts;

struct FactRow {
  std::string name, from, to;
};

template <class T>
std::string fact_cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string by_width(const GlobalLoads::ByWidth& counts) {
  constexpr std::array kWidths{"narrow", "32", "64", "128"};
  std::string text;
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    if (counts[i] > 0) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", counts[i], kWidths[i]);
  }
  return text.empty() ? "none" : text + " bit";
}

std::string loads_cell(const ConfigurationFacts& facts) {
  if (!facts.code) return "-";
  GlobalLoads::ByWidth all = facts.code->loads.to_registers;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += facts.code->loads.to_shared[i];
  return by_width(all);
}

std::string under_way_cell(const ConfigurationFacts& facts) {
  if (!facts.code) return "-";
  const UnderWay& under_way = facts.code->under_way;
  return fmt::format("{}, {} bytes", counted(static_cast<std::uint64_t>(under_way.loads), "load"), under_way.bytes);
}

/// What the innermost loop, or all of the code where there is none, consists of: the kinds of work it has most of.
std::string work_cell(const ConfigurationFacts& facts) {
  if (!facts.code) return "-";
  const CodeCounts& counts = facts.code->loop ? *facts.code->loop : facts.code->all;
  std::vector<std::pair<int, std::string_view>> kinds;
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (counts.by_work[i] > 0) kinds.emplace_back(counts.by_work[i], work_name(static_cast<Work>(i)));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (kinds.size() > 4) kinds.resize(4);
  std::string text = fmt::format("{}", counts.instructions);
  for (const auto& [count, name] : kinds) text += fmt::format("{}{} {}", text.size() < 6 ? ": " : ", ", count, name);
  return text + (facts.code->loop ? "" : ", no loop");
}

std::string resident_cell(const ConfigurationFacts& facts) {
  if (!facts.resident) return "-";
  return fmt::format("{} of {} threads, {} by {}", counted(static_cast<std::uint64_t>(facts.resident->blocks), "block"),
                     facts.resident->blocks == 0 ? 0 : facts.resident->threads / facts.resident->blocks,
                     percent(facts.resident->occupancy), resource_name(facts.resident->limiter));
}

std::vector<FactRow> code_rows(const Explanation& explanation) {
  const ConfigurationFacts &a = explanation.from, &b = explanation.to;
  std::vector<FactRow> rows;
  const auto add = [&](const char* name, auto cell_of) {
    FactRow row{name, cell_of(a), cell_of(b)};
    if (row.from != "-" || row.to != "-") rows.push_back(std::move(row));
  };
  using Facts = const ConfigurationFacts&;
  add("time", [](Facts f) { return f.time_ns ? time_text(*f.time_ns) : std::string("-"); });
  add("launch", [](Facts f) { return f.geometry.text(); });
  add("registers", [](Facts f) { return fact_cell(f.resources.registers); });
  add("idle registers", [](Facts f) { return fact_cell(f.idle_registers); });
  add("spilled bytes", [](Facts f) {
    if (!f.resources.spill_store_bytes && !f.resources.spill_load_bytes) return std::string("-");
    return fmt::format("{}", f.resources.spill_store_bytes.value_or(0) + f.resources.spill_load_bytes.value_or(0));
  });
  add("stack bytes", [](Facts f) { return fact_cell(f.resources.stack_bytes); });
  add("shared bytes", [](Facts f) {
    if (!f.resources.static_shared_bytes) return std::string("-");
    return fmt::format("{}", *f.resources.static_shared_bytes + static_cast<int>(f.geometry.shared_bytes));
  });
  add("resident", resident_cell);
  add("global loads", loads_cell);
  add("under way at most", under_way_cell);
  add("waits in the loop", [](Facts f) { return f.code ? fact_cell(f.code->loads.waits_in_loop) : std::string("-"); });
  add("innermost loop", work_cell);
  return rows;
}

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
    if ((row.from != "-" || row.to != "-") && (row.from != "0" || row.to != "0")) rows.push_back(std::move(row));
  }
  return rows;
}

std::string ratio_text(const engine::Ratio& ratio) {
  return fmt::format("{:.4f} ({:.4f}-{:.4f})", ratio.ratio, ratio.low, ratio.high);
}

std::string verdict(const Explanation& explanation) {
  if (explanation.from.configuration == explanation.to.configuration) {
    return fmt::format("{} is {}, so there is nothing to explain", explanation.to.name, explanation.from.name);
  }
  if (!explanation.time) return "not measured, so that nothing says why";
  return fmt::format("{} takes {} of the time of {}, from {}{}", explanation.to.name, ratio_text(*explanation.time),
                     explanation.from.name, counted(explanation.blocks, "block"),
                     explanation.is_noisy ? " on a disturbed GPU" : "");
}

std::string step_note(const ExplainedStep& step) {
  if (step.is_idle) return "nothing: could keep its value";
  return fmt::format("{} of the change", percent(step.share));
}

std::string for_markdown(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return one_line(text);
}

std::string markdown_table(const Explanation& explanation, const std::vector<FactRow>& rows) {
  std::string text = fmt::format("| | {} | {} |\n|---|---|---|\n", for_markdown(explanation.from.name),
                                 for_markdown(explanation.to.name));
  for (const FactRow& row : rows) {
    text += fmt::format("| {} | {} | {} |\n", for_markdown(row.name), for_markdown(row.from), for_markdown(row.to));
  }
  return text;
}

std::string sentence(const explain::Finding& finding) {
  return finding.sentence + (finding.sentence.ends_with('.') ? "" : ".");
}

std::string roofline_text(const RooflineReport& roofline) {
  return fmt::format("{} of what this GPU was measured to reach: {}", percent(roofline.share), roofline.bound_text);
}

}  // namespace

void set_ratios(Explanation& explanation) {
  if (!explanation.time || !(explanation.time->low > 0)) return;
  const engine::Ratio& time = *explanation.time;
  explanation.to.to_other = explain::TimeRatio{time.low, time.ratio, time.high};
  explanation.from.to_other = explain::TimeRatio{1 / time.high, 1 / time.ratio, 1 / time.low};
}

void explain_again(Explanation& explanation, const DeviceInfo& device) {
  explanation.findings.clear();
  if (!explanation.time) return;
  set_ratios(explanation);
  const bool is_faster = explanation.time->ratio <= 1;
  explanation.findings = explain::explain_difference(is_faster ? explanation.from : explanation.to,
                                                     is_faster ? explanation.to : explanation.from, device);
}

std::string to_text(const Explanation& explanation, std::size_t width) {
  const auto line = [&](std::string_view label, std::string_view text) { return tuner::labelled(label, text, width); };
  std::string text =
      fmt::format("{} on {}, {} cache\n", one_line(explanation.kernel), one_line(explanation.device), explanation.mode);
  if (!explanation.problem.empty()) text += line("  problem    ", explanation.problem);
  for (const ConfigurationFacts* side : {&explanation.from, &explanation.to}) {
    text += line(fmt::format("  {:<10} ", side->name),
                 fmt::format("{}", fmt::join(split_assignments(side->configuration), " ")));
  }
  text += line("  verdict    ", verdict(explanation));
  if (explanation.roofline) text += line("  roofline   ", roofline_text(*explanation.roofline));

  if (!explanation.findings.empty()) text += "\nWhy\n";
  for (const explain::Finding& finding : explanation.findings) {
    text += line(fmt::format("  {:<13}", explain::claim_name(finding.claim)), sentence(finding));
  }
  if (!explanation.path.empty()) {
    text += "\nThe path from " + explanation.from.name + " to " + explanation.to.name + "\n";
    Table table({{"step"}, {"time after / before"}, {"brings"}});
    for (const ExplainedStep& step : explanation.path) {
      table.add({fmt::format("{}", fmt::join(split_assignments(step.assignments), " ")), ratio_text(step.time),
                 step_note(step)});
    }
    text += table.text(width);
    for (const ExplainedInteraction& both : explanation.interactions) {
      text += line("  together   ", fmt::format("{} and {} take {} of the time that each alone leads to expect",
                                                both.first, both.second, ratio_text(both.time)));
    }
  }
  for (const std::string& failure : explanation.path_failures) text += line("  on the way ", one_line(failure));

  text += "\nMachine code\n";
  Table table({{""}, {explanation.from.name}, {explanation.to.name}});
  for (const FactRow& row : code_rows(explanation)) table.add({row.name, row.from, row.to});
  text += table.text(width);
  for (const std::string& step : explanation.next_steps) text += line("  further    ", step);

  if (!explanation.no_counters.empty()) {
    text += "\nCounters\n" + line("  none       ", explanation.no_counters);
  } else if (const std::vector<FactRow> rows = counter_rows(explanation, counter_names()); !rows.empty()) {
    text += "\nCounters\n";
    Table counters({{""}, {explanation.from.name, Table::Align::right}, {explanation.to.name, Table::Align::right}});
    for (const FactRow& row : rows) counters.add({row.name, row.from, row.to});
    text += counters.text(width);
  }
  return text;
}

std::string verdict_text(const Explanation& explanation) {
  return verdict(explanation);
}

std::string path_markdown(const Explanation& explanation) {
  if (explanation.path.empty()) return {};
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
  return markdown_table(explanation, code_rows(explanation));
}

std::string counters_markdown(const Explanation& explanation, std::span<const std::string_view> names) {
  const std::vector<FactRow> rows = counter_rows(explanation, names);
  return rows.empty() ? std::string() : markdown_table(explanation, rows);
}

std::string to_markdown(const Explanation& explanation) {
  std::string text = fmt::format(
      "{} on {}{}: {}.\n", for_markdown(explanation.kernel), for_markdown(explanation.device),
      explanation.problem.empty() ? "" : ", " + for_markdown(explanation.problem), for_markdown(verdict(explanation)));
  for (const ConfigurationFacts* side : {&explanation.from, &explanation.to})
    text += fmt::format("\n- {}: `{}`", for_markdown(side->name), for_markdown(side->configuration));
  text += "\n";
  if (explanation.roofline) text += "- roofline: " + for_markdown(roofline_text(*explanation.roofline)) + "\n";
  if (!explanation.findings.empty()) text += "\n";
  for (const explain::Finding& finding : explanation.findings)
    text += fmt::format("1. *{}*: {}\n", explain::claim_name(finding.claim), for_markdown(sentence(finding)));
  for (const std::string& part : {path_markdown(explanation), code_markdown(explanation)})
    if (!part.empty()) text += "\n" + part;
  if (!explanation.no_counters.empty()) text += "\nNo counters: " + for_markdown(explanation.no_counters) + "\n";
  const std::string counters = counters_markdown(explanation, counter_names());
  return counters.empty() ? text : text + "\n" + counters;
}

}  // namespace tuner::cli
