#include "tuner/core/report/rivals_text.hpp"

#include <fmt/format.h>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/report/resources_text.hpp"

namespace tuner {
namespace {

/// Of ties and of finalists; JSON has all of them.
constexpr std::size_t kShown = 20;

std::string ties_text(const TuneReport& report, std::size_t width) {
  const cache::Decision& decision = report.decision;
  if (decision.ties.size() < 2) return {};
  std::string text = "\n" + labelled("",
                                     fmt::format("Tied with the winner: {} that may be within 1 % of the fastest",
                                                 counted(decision.ties.size() - 1, "configuration")),
                                     width);
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const cache::Tie& tie : decision.ties) {
    if (tie.configuration == decision.configuration) continue;
    if (shown == kShown) {
      ++left_out;
      continue;
    }
    ++shown;
    text += labelled(fmt::format("  {:.4f}  ", tie.relative_time), spaced_assignments(tie.configuration), width);
  }
  if (left_out > 0) text += fmt::format("  and {} more, in --json\n", left_out);
  return text;
}

std::string finalists_text(const TuneReport& report, std::size_t width) {
  if (report.finalists.empty()) return {};
  using Align = Table::Align;
  Table table({{"time", Align::right},
               {"ratio", Align::right},
               {"interval", Align::left},
               {"regs", Align::right},
               {"spills", Align::right},
               {"occupancy", Align::left},
               {"diff", Align::right},
               {"from the baseline", Align::left}});
  std::size_t shown = 0, left_out = 0;
  bool any_interval = false;
  for (const FinalistReport& finalist : report.finalists) {
    if (shown == kShown && !finalist.is_baseline) {
      ++left_out;
      continue;
    }
    if (!finalist.is_baseline) ++shown;
    std::string occupancy = "-";
    if (finalist.facts.occupancy) {
      occupancy = fmt::format("{:.0f}% {}", *finalist.facts.occupancy * 100, finalist.facts.occupancy_limiter);
    }
    std::string differences;
    if (finalist.is_baseline) {
      differences = "(the baseline)";
    } else if (!report.decision.has_baseline()) {
      differences = spaced_assignments(finalist.configuration);
    } else {
      differences =
          fmt::format("{}", fmt::join(differing_assignments(finalist.configuration, report.decision.baseline), " "));
    }
    const bool exact = finalist.configuration == report.decision.configuration;
    // An interval without width comes from samples that never differ: it says nothing.
    const bool known = !exact && finalist.relative_low < finalist.relative_high;
    any_interval = any_interval || known;
    table.add(
        {time_text(finalist.time_ns), fmt::format("{:.3f}", finalist.relative_time),
         known ? fmt::format("{:.3f}-{:.3f}", finalist.relative_low, finalist.relative_high) : "-",
         finalist.facts.registers ? std::to_string(*finalist.facts.registers) : "-", spills_text(finalist.facts),
         occupancy,
         finalist.is_baseline || !report.decision.has_baseline() ? "-" : std::to_string(finalist.differing_parameters),
         (finalist.tied && !exact ? "(tied) " : "") + differences});
  }
  const std::string confidence =
      any_interval ? fmt::format(", {} confidence interval", percent(report.decision.confidence)) : std::string();
  return "\n" +
         labelled("", fmt::format("Finalists compared with the winner (ratio of times{}; spills in bytes)", confidence),
                  width) +
         table.text(width) + (left_out > 0 ? fmt::format("and {} more, in --json\n", left_out) : "");
}

}  // namespace

std::string rivals_text(const TuneReport& report, std::size_t width) {
  return ties_text(report, width) + finalists_text(report, width);
}

}  // namespace tuner
