#include "tuner/cli/explain/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/explain/explanation_json.hpp"
#include "tuner/explain/facts_table.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}
std::string value_of(const std::string& assignment) {
  return assignment.substr(assignment.find('=') + 1);
}

/// The parameters in which they differ, or that only one of them has, and then the facts.
std::vector<explain::FactRow> rows_of(const ComparisonReport& report) {
  const std::string &a = report.first.facts.configuration, &b = report.second.facts.configuration;
  std::vector<std::string> of_b = differing_assignments(b, a);
  std::vector<explain::FactRow> rows;
  for (const std::string& one : differing_assignments(a, b)) {
    const auto other =
        std::find_if(of_b.begin(), of_b.end(), [&](const std::string& each) { return name_of(each) == name_of(one); });
    rows.push_back({name_of(one), value_of(one), other == of_b.end() ? "-" : value_of(*other)});
    if (other != of_b.end()) of_b.erase(other);
  }
  for (const std::string& one : of_b) rows.push_back({name_of(one), "-", value_of(one)});
  for (explain::FactRow& row : fact_rows(report.first.facts, report.second.facts)) rows.push_back(std::move(row));
  return rows;
}

/// As it was written, with what is to know about it.
std::string called(const ComparedSide& side) {
  std::string name = side.facts.name;
  for (const std::string& remark : side.remarks) name += fmt::format(" ({})", remark);
  return name;
}

std::string verdict_sentence(const ComparisonReport& report) {
  for (const ComparedSide* side : {&report.first, &report.second}) {
    if (!side->failure.empty()) return fmt::format("none: {} fails: {}", called(*side), side->failure);
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

Json side_json(const ComparedSide& side) {
  Json object = configuration_json(side.facts);
  object["failure"] = text_or_null(side.failure);
  object["remarks"] = side.remarks;
  return object;
}

}  // namespace

std::string to_text(const ComparisonReport& report, std::size_t width) {
  std::string text = fmt::format("{} on {}, {} cache\n", one_line(report.kernel), one_line(report.device), report.mode);
  if (!report.problem.empty()) text += tuner::labelled("  problem    ", report.problem, width);
  text += tuner::labelled("  first      ", unbroken(one_line(called(report.first))), width);
  text += tuner::labelled("  second     ", unbroken(one_line(called(report.second))), width);
  text += tuner::labelled("  verdict    ", verdict_sentence(report), width) + "\n";
  Table table({{""}, {"first"}, {"second"}});
  for (const explain::FactRow& row : rows_of(report)) table.add({row.name, row.first, row.second});
  return text + table.text(width);
}

std::string to_markdown(const ComparisonReport& report) {
  const std::string verdict = verdict_sentence(report);
  return fmt::format("**{}** on {}, {}: {}{}\n\n", explain::for_markdown(report.kernel),
                     explain::for_markdown(report.device),
                     report.problem.empty() ? report.mode : explain::for_markdown(report.problem),
                     explain::for_markdown(verdict), verdict.ends_with('.') ? "" : ".") +
         explain::markdown_table(called(report.first), called(report.second), rows_of(report));
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
              {"ratio_high", raced && std::isfinite(raced->ratio.high) ? Json(raced->ratio.high) : null},
              {"blocks", raced ? Json(raced->blocks) : null},
              {"noisy", raced ? Json(raced->is_noisy) : null},
              {"first", side_json(report.first)},
              {"second", side_json(report.second)},
              {"warnings", report.warnings}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::cli
