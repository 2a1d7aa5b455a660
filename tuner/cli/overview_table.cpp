#include "tuner/cli/overview_table.hpp"

#include <fmt/format.h>

#include "tuner/cli/decisions.hpp"
#include "tuner/core/base/assignments.hpp"

namespace tuner::cli {

OverviewTable::OverviewTable()
    : table_({{"problem"},
              {"time", Table::Align::right},
              {"speed-up over baseline"},
              {"winner's difference from the baseline"}},
             0) {}

void OverviewTable::add(const cache::Decision& decision) {
  ++rows_;
  const std::string problem = decision.key.problem.empty() ? "-" : decision.key.problem;
  if (decision.configuration.empty()) {
    table_.add({problem, "-", "-", "no winner"});
    return;
  }
  const bool is_baseline = decision.configuration == decision.baseline;
  const auto differing = differing_assignments(decision.configuration, decision.baseline);
  table_.add({problem, time_text(decision.time_ns), is_baseline ? "-" : speedup_cell(decision),
              is_baseline ? "baseline" : fmt::format("{}", fmt::join(differing, " "))});
}

}  // namespace tuner::cli
