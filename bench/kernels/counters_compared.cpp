#include "bench/kernels/counters_compared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/kernels/ncu_csv.hpp"
#include "bench/kernels/records.hpp"
#include "tuner/core/counters/counters.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

double least(const Counted& counted) {
  return *std::min_element(counted.values.begin(), counted.values.end());
}
double most(const Counted& counted) {
  return *std::max_element(counted.values.begin(), counted.values.end());
}
double median(const Counted& counted) {
  std::vector<double> sorted = counted.values;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

/// Its median lies within their spread, as far as they were printed exactly.
bool is_among(const Counted& one, const Counted& others) {
  const double middle = median(one), slack = std::max(one.precision, others.precision);
  return middle >= least(others) - slack && middle <= most(others) + slack;
}

std::string range_cell(const Counted& counted) {
  if (counted.values.empty()) return "-";
  const double low = least(counted), high = most(counted);
  return low == high ? fmt::format("{:.10g}", low) : fmt::format("{:.7g} to {:.7g}", low, high);
}

const char* to_text(Agreement agreement) {
  switch (agreement) {
    case Agreement::equal:
      return "equal";
    case Agreement::different:
      return "**different**";
    case Agreement::within:
      return "within";
    case Agreement::outside:
      return "outside";
    case Agreement::missing:
      break;
  }
  return "-";
}

using ByMetric = std::map<std::string, Counted>;

struct Runs {
  ByMetric ours;
  std::vector<ByMetric> ncus;  ///< of each run
  std::vector<std::string> complaints;
};

void take_ours(const json& record, const std::string& run, Runs& runs) {
  const json counters = record.is_object() ? record.value("counters", json::object()) : json::object();
  if (counters.empty()) {
    const std::string why = record.is_object() ? record.value("refused", "no reason given") : "it left no record";
    runs.complaints.push_back(fmt::format("{}, ours: {}", run, why));
  }
  for (const auto& [metric, value] : counters.items()) runs.ours[metric].values.push_back(value.get<double>());
}

void take_ncus(const NcuTable& table, const std::string& run, Runs& runs) {
  if (table.rows.empty()) runs.complaints.push_back(fmt::format("{}, ncu: {}", run, table.complaint));
  ByMetric& counts = runs.ncus.emplace_back();
  for (const NcuRow& row : table.rows) {
    for (const auto& [metric, text] : row) {
      const std::optional<double> value = ncu_number(text);
      if (!value) continue;
      Counted& counted = counts[metric];
      counted.values.push_back(*value);
      counted.precision = std::max(counted.precision, ncu_precision(text));
    }
  }
}

Runs read_runs(const std::filesystem::path& out, const std::string& name, RunsOfEach counts) {
  Runs runs;
  for (int run = 1; run <= counts.ours; ++run) {
    const json record = read_record(out / fmt::format("{}.ours.{}.json", name, run));
    take_ours(record, fmt::format("{}, run {}", name, run), runs);
  }
  for (int run = 1; run <= counts.ncus; ++run) {
    const NcuTable table = read_ncu_csv(out / fmt::format("{}.ncu.{}.csv", name, run));
    take_ncus(table, fmt::format("{}, run {}", name, run), runs);
  }
  return runs;
}

std::vector<Counted> of_each_run(std::vector<ByMetric>& runs, const std::string& metric) {
  std::vector<Counted> counted;
  for (ByMetric& run : runs) counted.push_back(run[metric]);
  return counted;
}

/// What all runs counted but one.
Counted together(const std::vector<Counted>& runs, std::size_t without) {
  Counted all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == without) continue;
    all.values.insert(all.values.end(), runs[i].values.begin(), runs[i].values.end());
    all.precision = std::max(all.precision, runs[i].precision);
  }
  return all;
}

}  // namespace

bool must_be_equal(const std::string& metric) {
  return metric.ends_with(".sum") && (metric.starts_with("smsp__inst_executed") || metric.starts_with("l1tex__t_req"));
}

Agreement compare_counts(const std::string& metric, const Counted& ours, const Counted& ncus) {
  if (ours.values.empty() && ncus.values.empty()) return Agreement::missing;
  const bool must = must_be_equal(metric);
  if (ours.values.empty() || ncus.values.empty()) return must ? Agreement::different : Agreement::outside;
  if (must && least(ncus) == most(ncus))
    return least(ours) == least(ncus) && most(ours) == least(ncus) ? Agreement::equal : Agreement::different;
  return is_among(ours, ncus) ? Agreement::within : Agreement::outside;
}

RunsAmongOthers runs_among_others(const std::vector<Counted>& runs) {
  RunsAmongOthers found;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Counted others = together(runs, i);
    if (runs[i].values.empty() || others.values.empty()) continue;
    ++found.compared;
    if (is_among(runs[i], others)) ++found.among;
  }
  return found;
}

int compare_with_ncu(const std::filesystem::path& out, const std::vector<std::string>& names, RunsOfEach runs) {
  std::map<Agreement, int> totals;
  int runs_of_ncu = 0, among = 0;
  std::vector<std::string> complaints;
  fmt::print("{}", table_heading({"kernel", "counter", "ours", "ncu", ""}));
  for (const std::string& name : names) {
    Runs read = read_runs(out, name, runs);
    complaints.insert(complaints.end(), read.complaints.begin(), read.complaints.end());
    for (const std::string_view view : tuner::counter_names()) {
      const std::string metric(view);
      const Counted& ours = read.ours[metric];
      const std::vector<Counted> each = of_each_run(read.ncus, metric);
      const Counted ncus = together(each, each.size());
      const Agreement agreement = compare_counts(metric, ours, ncus);
      ++totals[agreement];
      if (agreement == Agreement::within || agreement == Agreement::outside) {
        const RunsAmongOthers alike = runs_among_others(each);
        runs_of_ncu += alike.compared;
        among += alike.among;
      }
      fmt::print("{}", table_line({name, metric, range_cell(ours), range_cell(ncus), to_text(agreement)}));
    }
  }
  const int others = totals[Agreement::within] + totals[Agreement::outside];
  fmt::print(
      "\nNumbers of instructions and requests: {} equal, {} different. Of {} other counters the median of ours "
      "lies within the spread of ncu's for {}.\n",
      totals[Agreement::equal], totals[Agreement::different], others, totals[Agreement::within]);
  fmt::print("Of ncu's own runs the median of one lies within the spread of the others for {} of {}.\n", among,
             runs_of_ncu);
  for (const std::string& complaint : complaints) fmt::print("No counters: {}\n", complaint);
  return totals[Agreement::different] > 0 || !complaints.empty() ? 1 : 0;
}

}  // namespace tuner::bench
