#include "tuner/cli/tune/report_printer.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner::cli {

void ReportPrinter::print(TuneReport report) {
  line_.erase();
  const bool is_first = !std::exchange(any_, true);
  for (std::string& warning : line_.take_warnings()) {
    if (!have_warnings_) report.warnings.push_back(std::move(warning));
  }
  if (!report.decision.has_winner()) all_usable_ = false;
  if (json_) {
    add_json(report);
    return;
  }
  // On one screen the warnings have been seen already.
  if (isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1) report.warnings.clear();
  cli::print((is_first ? "" : "\n") + to_text(report, output_width()));
  std::fflush(stdout);
  overview_.add(report.decision);
}

void ReportPrinter::finish(bool even_none) {
  if (json_ && (any_ || even_none)) print_json(json_object());
  if (overview_.size() > 1) cli::print("\n" + overview_.text(output_width()));
  if (!json_ && sizes_) cli::print("\n" + sizes_text(*sizes_, output_width()));
}

void ReportPrinter::add_json(const TuneReport& report) {
  const auto is_of_kernel = [&](const auto& other) {
    return other.first.kernel_name == report.decision.key.kernel_name && other.first.mode == report.decision.key.mode;
  };
  std::erase_if(reports_, [&](const auto& other) {
    return is_of_kernel(other) && other.first.problem == report.decision.key.problem;
  });
  auto behind = reports_.end();
  for (auto other = reports_.begin(); other != reports_.end(); ++other) {
    if (!is_of_kernel(*other)) continue;
    behind = other;
    if (comes_before(report.decision.key.problem, other->first.problem)) break;
    ++behind;
  }
  reports_.emplace(behind, report.decision.key, nlohmann::ordered_json::parse(to_json(report, with_times_)));
}

nlohmann::ordered_json ReportPrinter::json_object() {
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  for (auto& [key, report] : reports_) reports.push_back(std::move(report));
  nlohmann::ordered_json object{{"format", 1}, {"reports", std::move(reports)}};
  if (sizes_) object["sizes"] = nlohmann::ordered_json::parse(sizes_json(*sizes_));
  return object;
}

}  // namespace tuner::cli
