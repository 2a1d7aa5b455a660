#include "tuner/cli/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/report/record_json.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;
using explain::ConfigurationFacts;

struct Row {
  std::string name, from, to;
};

template <class T>
std::string cell(const std::optional<T>& value) {
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

std::vector<Row> code_rows(const Explanation& explanation) {
  const ConfigurationFacts &a = explanation.from, &b = explanation.to;
  std::vector<Row> rows;
  const auto add = [&](const char* name, auto cell_of) {
    Row row{name, cell_of(a), cell_of(b)};
    if (row.from != "-" || row.to != "-") rows.push_back(std::move(row));
  };
  using Facts = const ConfigurationFacts&;
  add("time", [](Facts f) { return f.time_ns ? time_text(*f.time_ns) : std::string("-"); });
  add("launch", [](Facts f) { return f.geometry.text(); });
  add("registers", [](Facts f) { return cell(f.resources.registers); });
  add("idle registers", [](Facts f) { return cell(f.idle_registers); });
  add("spilled bytes", [](Facts f) {
    if (!f.resources.spill_store_bytes && !f.resources.spill_load_bytes) return std::string("-");
    return fmt::format("{}", f.resources.spill_store_bytes.value_or(0) + f.resources.spill_load_bytes.value_or(0));
  });
  add("stack bytes", [](Facts f) { return cell(f.resources.stack_bytes); });
  add("shared bytes", [](Facts f) {
    if (!f.resources.static_shared_bytes) return std::string("-");
    return fmt::format("{}", *f.resources.static_shared_bytes + static_cast<int>(f.geometry.shared_bytes));
  });
  add("resident", resident_cell);
  add("global loads", loads_cell);
  add("under way at most", under_way_cell);
  add("waits in the loop", [](Facts f) { return f.code ? cell(f.code->loads.waits_in_loop) : std::string("-"); });
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

std::vector<Row> counter_rows(const Explanation& explanation) {
  std::vector<Row> rows;
  for (const std::string_view name : counter_names()) {
    Row row{std::string(name), counter_cell(explanation.from.counters, name),
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

std::string claim_word(explain::Claim claim) {
  constexpr std::array kWords{"cause", "consequence", "observation", "unexplained"};
  return kWords[static_cast<std::size_t>(claim)];
}

std::string step_note(const ExplainedStep& step) {
  if (step.is_idle) return "nothing: could keep its value";
  return fmt::format("{} of the change", percent(step.share));
}

Json ratio_json(const engine::Ratio& ratio) {
  return {{"ratio", ratio.ratio}, {"low", ratio.low}, {"high", ratio.high}};
}

Json code_json(const std::optional<MachineCode>& code) {
  if (!code) return nullptr;
  const auto counts_json = [](const CodeCounts& counts) {
    Json by_work = Json::object();
    for (std::size_t i = 0; i < kWorkKinds; ++i) by_work[std::string(work_name(Work(i)))] = counts.by_work[i];
    return Json{{"instructions", counts.instructions},
                {"by_work", std::move(by_work)},
                {"local_loads", counts.local_loads},
                {"local_stores", counts.local_stores},
                {"global_atomics", counts.global_atomics},
                {"shared_atomics", counts.shared_atomics},
                {"double_conversions", counts.double_conversions}};
  };
  return {{"all", counts_json(code->all)},
          {"loop", code->loop ? counts_json(*code->loop) : Json(nullptr)},
          {"loads_under_way", code->under_way.loads},
          {"bytes_under_way", code->under_way.bytes}};
}

Json facts_json(const ConfigurationFacts& facts) {
  CodeFacts code;
  code.idle_registers = facts.idle_registers;
  if (facts.code) code.loads = facts.code->loads;
  Json counters = Json::object();
  for (const auto& [name, value] : facts.counters) counters[name] = value;
  return {{"name", facts.name},
          {"configuration", facts.configuration},
          {"time_us", microseconds(facts.time_ns)},
          {"launch", facts.geometry.text()},
          {"facts", tuner::facts_json(facts.resources, code)},
          {"resident_blocks", facts.resident ? Json(facts.resident->blocks) : Json(nullptr)},
          {"bytes_under_way", or_null(facts.bytes_under_way)},
          {"code", code_json(facts.code)},
          {"counters", facts.counters.empty() ? Json(nullptr) : std::move(counters)}};
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return one_line(text);
}

std::string markdown_table(const Explanation& explanation, const std::vector<Row>& rows) {
  std::string text =
      fmt::format("| | {} | {} |\n|---|---|---|\n", escaped(explanation.from.name), escaped(explanation.to.name));
  for (const Row& row : rows) {
    text += fmt::format("| {} | {} | {} |\n", escaped(row.name), escaped(row.from), escaped(row.to));
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
    text += line(fmt::format("  {:<13}", claim_word(finding.claim)), sentence(finding));
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
  for (const Row& row : code_rows(explanation)) table.add({row.name, row.from, row.to});
  text += table.text(width);
  for (const std::string& step : explanation.next_steps) text += line("  further    ", step);

  if (!explanation.no_counters.empty()) {
    text += "\nCounters\n" + line("  none       ", explanation.no_counters);
  } else if (const std::vector<Row> rows = counter_rows(explanation); !rows.empty()) {
    text += "\nCounters\n";
    Table counters({{""}, {explanation.from.name, Table::Align::right}, {explanation.to.name, Table::Align::right}});
    for (const Row& row : rows) counters.add({row.name, row.from, row.to});
    text += counters.text(width);
  }
  return text;
}

std::string to_markdown(const Explanation& explanation) {
  std::string text = fmt::format("{} on {}{}: {}.\n", escaped(explanation.kernel), escaped(explanation.device),
                                 explanation.problem.empty() ? "" : ", " + escaped(explanation.problem),
                                 escaped(verdict(explanation)));
  for (const ConfigurationFacts* side : {&explanation.from, &explanation.to})
    text += fmt::format("\n- {}: `{}`", escaped(side->name), escaped(side->configuration));
  text += "\n";
  if (explanation.roofline) text += "- roofline: " + escaped(roofline_text(*explanation.roofline)) + "\n";
  if (!explanation.findings.empty()) text += "\n";
  for (const explain::Finding& finding : explanation.findings)
    text += fmt::format("1. *{}*: {}\n", claim_word(finding.claim), escaped(sentence(finding)));
  if (!explanation.path.empty()) {
    text += "\n| step | time after / before | brings |\n|---|---|---|\n";
    for (const ExplainedStep& step : explanation.path) {
      text += fmt::format("| {} | {} | {} |\n", escaped(step.assignments), ratio_text(step.time), step_note(step));
    }
    for (const ExplainedInteraction& both : explanation.interactions) {
      text += fmt::format("\n{} and {} take {} of the time that each alone leads to expect.\n", escaped(both.first),
                          escaped(both.second), ratio_text(both.time));
    }
  }
  text += "\n" + markdown_table(explanation, code_rows(explanation));
  if (!explanation.no_counters.empty()) text += "\nNo counters: " + escaped(explanation.no_counters) + "\n";
  if (const std::vector<Row> rows = counter_rows(explanation); !rows.empty())
    text += "\n" + markdown_table(explanation, rows);
  return text;
}

std::string to_json(const Explanation& explanation) {
  Json findings = Json::array(), path = Json::array(), interactions = Json::array();
  for (const explain::Finding& finding : explanation.findings) {
    findings.push_back({{"cause", finding.cause},
                        {"claim", claim_word(finding.claim)},
                        {"sentence", finding.sentence},
                        {"slower", finding.slower},
                        {"faster", finding.faster},
                        {"strength", finding.strength}});
  }
  for (const ExplainedStep& step : explanation.path) {
    path.push_back(
        {{"change", step.assignments}, {"time", ratio_json(step.time)}, {"share", step.share}, {"idle", step.is_idle}});
  }
  for (const ExplainedInteraction& both : explanation.interactions)
    interactions.push_back({{"first", both.first}, {"second", both.second}, {"time", ratio_json(both.time)}});
  Json roofline(nullptr);
  if (explanation.roofline) {
    roofline = {{"share", explanation.roofline->share},
                {"bound_us", explanation.roofline->bound.time_ns / 1e3},
                {"text", explanation.roofline->bound_text}};
  }
  const Json object{{"format", 1},
                    {"kernel", explanation.kernel},
                    {"file", text_or_null(explanation.file)},
                    {"problem", explanation.problem},
                    {"device", explanation.device},
                    {"mode", explanation.mode},
                    {"from", facts_json(explanation.from)},
                    {"to", facts_json(explanation.to)},
                    {"time", explanation.time ? ratio_json(*explanation.time) : Json(nullptr)},
                    {"blocks", explanation.blocks},
                    {"noisy", explanation.is_noisy},
                    {"findings", std::move(findings)},
                    {"path", std::move(path)},
                    {"interactions", std::move(interactions)},
                    {"path_failures", explanation.path_failures},
                    {"next_steps", explanation.next_steps},
                    {"roofline", std::move(roofline)},
                    {"no_counters", text_or_null(explanation.no_counters)},
                    {"warnings", explanation.warnings}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::cli
