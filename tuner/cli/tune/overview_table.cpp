#include "tuner/cli/tune/overview_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner::cli {

bool comes_before(const std::string& problem, const std::string& other) {
  const ProblemValues a = parse_problem(problem), b = parse_problem(other);
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& two) {
    if (one.first != two.first) return one.first < two.first;
    const search::Value &value = one.second, &another = two.second;
    if (value.is_number() != another.is_number()) return value.is_number();
    return value.is_number() ? value.as_real() < another.as_real() : value.text() < another.text();
  });
}

void OverviewTable::add(const cache::Decision& decision) {
  const auto is_of_kernel = [&](const cache::Decision& other) {
    return other.key.kernel_name == decision.key.kernel_name && other.key.mode == decision.key.mode;
  };
  std::erase_if(decisions_, [&](const cache::Decision& other) {
    return is_of_kernel(other) && other.key.problem == decision.key.problem;
  });
  const auto behind = std::find_if(decisions_.begin(), decisions_.end(), [&](const cache::Decision& other) {
    return is_of_kernel(other) && comes_before(decision.key.problem, other.key.problem);
  });
  decisions_.insert(behind, decision);
}

std::string OverviewTable::text(std::size_t width) const {
  Table table({{"problem"},
               {"time", Table::Align::right},
               {"speed-up over baseline"},
               {"winner's difference from the baseline"}},
              0);
  for (const cache::Decision& decision : decisions_) {
    const std::string problem = decision.key.problem.empty() ? "-" : decision.key.problem;
    if (!decision.has_winner()) {
      table.add({problem, "-", "-", "no winner"});
      continue;
    }
    const bool is_baseline = decision.configuration == decision.baseline;
    const auto differing = differing_assignments(decision.configuration, decision.baseline);
    table.add({problem, time_text(decision.time_ns), is_baseline ? "-" : speedup_cell(decision),
               is_baseline ? "baseline" : fmt::format("{}", fmt::join(differing, " "))});
  }
  return table.text(width);
}

}  // namespace tuner::cli
