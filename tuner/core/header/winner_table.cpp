#include "tuner/core/header/winner_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

/// Of a configuration or a problem.
constexpr std::size_t kLongestHeaderText = 65536;

ColumnValues values_of(const std::string& text) {
  ColumnValues values;
  for (const std::string& part : split_assignments(text)) {
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos) values[part.substr(0, equals)] = search::Value::parse(part.substr(equals + 1));
  }
  return values;
}

std::string account_of(const cache::Decision& decision) {
  std::string text = fmt::format("{}, {}", time_text(decision.time_ns), date_text(decision.created_unix_ms));
  if (decision.baseline == decision.configuration) {
    text = "the baseline itself, " + text;
  } else if (decision.speedup) {
    text = fmt::format("{} the baseline, {}", speedup_cell(decision), text);
  }
  if (!decision.conditions.toolkit.empty()) text += ", toolkit " + decision.conditions.toolkit;
  if (!decision.conditions.driver.empty()) text += ", driver " + decision.conditions.driver;
  if (!decision.conditions.tuner_version.empty()) text += ", tuner " + decision.conditions.tuner_version;
  if (timing_from_string(decision.key.mode) != Timing::cold) text += ", " + decision.key.mode;
  if (decision.origin == cache::Origin::replay) text += ", replayed from a recording and not measured";
  return decision.verified ? text : text + ", not verified";
}

WinnerTable::Row row_of(const cache::Decision& decision) {
  const std::optional<DeviceInfo> device = device_of_identity(decision.key.device);
  return {.configuration = values_of(decision.configuration),
          .problem = values_of(decision.key.problem),
          .launch = geometry_from_text(decision.launch),
          .device = device_name(decision.key.device),
          .compute_capability = device ? device->compute_major * 10 + device->compute_minor : 0,
          .any_size = decision.awkward_sizes > 0,
          .problem_text = decision.key.problem,
          .account = account_of(decision)};
}

}  // namespace

WinnerTable::WinnerTable(const std::vector<cache::Decision>& decisions, const HeaderRequest& request)
    : kernel_(decisions.front().key.kernel_name) {
  std::map<std::string, std::vector<search::Value>> configuration_values, problem_values;
  for (const cache::Decision& decision : decisions) {
    require_bounded(decision);
    rows_.push_back(row_of(decision));
    for (const auto& [name, value] : rows_.back().configuration) configuration_values[name].push_back(value);
    for (const auto& [name, value] : rows_.back().problem) problem_values[name].push_back(value);
  }
  const cache::Decision& first = decisions.front();
  baseline_ = values_of(first.baseline.empty() ? first.configuration : first.baseline);
  for (const auto& [name, value] : baseline_) configuration_values[name].push_back(value);
  for (const auto& [name, values] : configuration_values) {
    require_identifier(name);
    const auto declared = request.named_values.find(name);
    columns_[name] = column_of(values, declared == request.named_values.end() ? nullptr : &declared->second);
  }
  for (const auto& [name, values] : problem_values) {
    require_identifier(name);
    problem_columns_[name] = column_of(values, nullptr);
    if (problem_columns_[name].kind == Column::Kind::named) problem_columns_[name].kind = Column::Kind::text;
    if (problem_columns_[name].kind == Column::Kind::integer) problem_columns_[name].kind = Column::Kind::wide;
  }
}

void WinnerTable::require_bounded(const cache::Decision& decision) const {
  const std::size_t longest =
      std::max({kernel_.size(), decision.configuration.size(), decision.baseline.size(), decision.key.problem.size()});
  if (longest <= kLongestHeaderText) return;
  throw Error(Errc::bad_usage, fmt::format("A winner of the kernel `{}` contains a text of {} bytes, too long for a "
                                           "header. Export other kernels with --kernel.",
                                           one_line(kernel_, kLongestHeaderName), longest));
}

void WinnerTable::require_identifier(const std::string& name) const {
  if (is_declarable(name) && name.size() <= kLongestHeaderName) return;
  throw Error(Errc::bad_usage, fmt::format("The kernel `{}` was tuned with `{}`, which cannot be a name in a header. "
                                           "Export other kernels with --kernel.",
                                           one_line(kernel_, kLongestHeaderName), one_line(name, kLongestHeaderName)));
}

}  // namespace tuner
