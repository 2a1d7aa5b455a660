#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cache/records/key.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/cli/tune/overview_table.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/sizes/sizes.hpp"

namespace tuner::cli {

/// Prints text reports as they come, and a table of them if there are several; JSON reports as one object in the end.
class ReportPrinter {
 public:
  /// `have_warnings`: reports come with the warnings of their sessions; otherwise a report has those since the last
  /// one.
  ReportPrinter(ProgressLine& line, bool json, bool with_times, bool have_warnings)
      : line_(line), json_(json), with_times_(with_times), have_warnings_(have_warnings) {}

  void print(TuneReport report);
  void add(const KernelSizes& sizes) { sizes_ = sizes; }
  /// `even_none`: an empty list of reports is an answer.
  void finish(bool even_none = false);
  /// There was a report, and each has a winner.
  bool all_usable() const { return any_ && all_usable_; }

 private:
  /// Behind those of the same kernel, in the order of the problems' values, and in the place of what was said of the
  /// problem before.
  void add_json(const TuneReport& report);
  nlohmann::ordered_json json_object();

  ProgressLine& line_;
  bool json_;
  bool with_times_;
  bool have_warnings_;
  bool any_ = false;
  bool all_usable_ = true;
  std::vector<std::pair<cache::DecisionKey, nlohmann::ordered_json>> reports_;
  OverviewTable overview_;
  std::optional<KernelSizes> sizes_;
};

}  // namespace tuner::cli
