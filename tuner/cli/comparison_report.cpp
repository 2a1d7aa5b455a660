#include "tuner/cli/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/report/record_json.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string name, first, second;
};

template <class T>
std::string cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string loads_cell(const CodeFacts& code) {
  if (!code.loads) return "-";
  constexpr std::array kWidths{"narrow", "32", "64", "128"};
  std::string text;
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    const int count = code.loads->to_registers[i] + code.loads->to_shared[i];
    if (count > 0) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, kWidths[i]);
  }
  return text.empty() ? "none" : text + " bit";
}

std::string occupancy_cell(const cache::ResourceFacts& facts) {
  if (!facts.occupancy) return "-";
  return fmt::format("{}{}{}", percent(*facts.occupancy), facts.occupancy_limiter.empty() ? "" : ", ",
                     facts.occupancy_limiter);
}

std::vector<Row> rows_of(const ComparisonReport& report) {
  const ComparedSide &a = report.first, &b = report.second;
  std::vector<Row> rows;
  const auto time_cell = [](const ComparedSide& side) { return side.time_ns ? time_text(*side.time_ns) : "-"; };
  rows.push_back({"time", time_cell(a), time_cell(b)});
  const std::vector<std::string> of_a = differing_assignments(a.configuration, b.configuration);
  const std::vector<std::string> of_b = differing_assignments(b.configuration, a.configuration);
  const auto name_of = [](const std::string& assignment) { return assignment.substr(0, assignment.find('=')); };
  for (const std::string& one : of_a) {
    const auto same = [&](const std::string& other) { return name_of(other) == name_of(one); };
    const auto other = std::find_if(of_b.begin(), of_b.end(), same);
    rows.push_back(
        {name_of(one), one.substr(one.find('=') + 1), other == of_b.end() ? "-" : other->substr(other->find('=') + 1)});
  }
  for (const std::string& one : of_b) {
    const auto same = [&](const std::string& other) { return name_of(other) == name_of(one); };
    if (std::none_of(of_a.begin(), of_a.end(), same))
      rows.push_back({name_of(one), "-", one.substr(one.find('=') + 1)});
  }
  const auto add = [&](const char* name, auto cell_of) {
    Row row{name, cell_of(a), cell_of(b)};
    if (row.first != "-" || row.second != "-") rows.push_back(std::move(row));
  };
  add("launch", [](const ComparedSide& side) { return side.launch.empty() ? "-" : side.launch; });
  add("registers", [](const ComparedSide& side) { return cell(side.facts.registers); });
  add("idle registers", [](const ComparedSide& side) { return cell(side.code.idle_registers); });
  add("spilled bytes", [](const ComparedSide& side) {
    const auto& facts = side.facts;
    if (!facts.spill_store_bytes && !facts.spill_load_bytes) return std::string("-");
    return fmt::format("{}", facts.spill_store_bytes.value_or(0) + facts.spill_load_bytes.value_or(0));
  });
  add("shared bytes", [](const ComparedSide& side) {
    if (!side.facts.static_shared_bytes) return std::string("-");
    return fmt::format("{}", *side.facts.static_shared_bytes + side.facts.dynamic_shared_bytes.value_or(0));
  });
  add("occupancy", [](const ComparedSide& side) { return occupancy_cell(side.facts); });
  add("global loads", [](const ComparedSide& side) { return loads_cell(side.code); });
  add("waits in the loop", [](const ComparedSide& side) {
    return side.code.loads ? cell(side.code.loads->waits_in_loop) : std::string("-");
  });
  return rows;
}

std::string verdict_sentence(const ComparisonReport& report) {
  for (const ComparedSide* side : {&report.first, &report.second}) {
    if (!side->failure.empty()) return fmt::format("none: {} fails: {}", side->name, side->failure);
  }
  if (!report.raced) return "UNDECIDED: " + report.not_raced;
  const engine::PairResult& raced = *report.raced;
  const std::string numbers = fmt::format(
      "{:.4f} of the time of the first ({:.4f}-{:.4f}), from {}{}", raced.ratio.ratio, raced.ratio.low,
      raced.ratio.high, counted(raced.blocks, "paired sample"), raced.is_noisy ? " on a disturbed GPU" : "");
  const std::string margin = percent(report.within);
  switch (raced.verdict) {
    case engine::Verdict::faster:
      return fmt::format("FASTER by more than {}: the second takes {}", margin, numbers);
    case engine::Verdict::slower:
      return fmt::format("SLOWER by more than {}: the second takes {}", margin, numbers);
    case engine::Verdict::same:
      return fmt::format("SAME within {}: the second takes {}", margin, numbers);
    case engine::Verdict::undecided:
      break;
  }
  return fmt::format("UNDECIDED whether it is within {}: the second takes {}; --limit gives it more time", margin,
                     numbers);
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return one_line(text);
}

Json side_json(const ComparedSide& side) {
  Json object{{"name", side.name},
              {"configuration", side.configuration},
              {"time_us", side.time_ns ? Json(*side.time_ns / 1e3) : Json(nullptr)},
              {"launch", side.launch.empty() ? Json(nullptr) : Json(side.launch)},
              {"facts", facts_json(side.facts, side.code)},
              {"failure", side.failure.empty() ? Json(nullptr) : Json(side.failure)}};
  return object;
}

}  // namespace

std::string to_text(const ComparisonReport& report, std::size_t width) {
  std::string text = fmt::format("{} on {}, {} cache\n", one_line(report.kernel), one_line(report.device), report.mode);
  if (!report.problem.empty()) text += tuner::labelled("  problem    ", report.problem, width);
  text += tuner::labelled("  first      ", unbroken(one_line(report.first.name)), width);
  text += tuner::labelled("  second     ", unbroken(one_line(report.second.name)), width);
  text += tuner::labelled("  verdict    ", verdict_sentence(report), width) + "\n";
  Table table({{""}, {"first", Table::Align::right}, {"second", Table::Align::right}});
  for (const Row& row : rows_of(report)) table.add({row.name, row.first, row.second});
  return text + table.text(width);
}

std::string to_markdown(const ComparisonReport& report) {
  std::string text =
      fmt::format("**{}** on {}, {}: {}.\n\n| | {} | {} |\n|---|---|---|\n", escaped(report.kernel),
                  escaped(report.device), report.problem.empty() ? report.mode : escaped(report.problem),
                  escaped(verdict_sentence(report)), escaped(report.first.name), escaped(report.second.name));
  for (const Row& row : rows_of(report)) {
    text += fmt::format("| {} | {} | {} |\n", escaped(row.name), escaped(row.first), escaped(row.second));
  }
  return text;
}

std::string to_json(const ComparisonReport& report) {
  const auto& raced = report.raced;
  const bool failed = !report.first.failure.empty() || !report.second.failure.empty();
  const Json null(nullptr);
  Json object{{"format", 1},
              {"kernel", report.kernel},
              {"problem", report.problem},
              {"device", report.device},
              {"mode", report.mode},
              {"verdict", failed ? null : Json(to_string(raced ? raced->verdict : engine::Verdict::undecided))},
              {"raced", raced.has_value()},
              {"not_raced", raced ? null : Json(report.not_raced)},
              {"within", report.within},
              {"ratio", raced ? Json(raced->ratio.ratio) : null},
              {"ratio_low", raced ? Json(raced->ratio.low) : null},
              {"ratio_high", raced ? Json(raced->ratio.high) : null},
              {"blocks", raced ? Json(raced->blocks) : null},
              {"noisy", raced ? Json(raced->is_noisy) : null},
              {"first", side_json(report.first)},
              {"second", side_json(report.second)},
              {"warnings", report.warnings}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::cli
