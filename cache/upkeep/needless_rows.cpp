#include "cache/upkeep/needless_rows.hpp"

#include <algorithm>
#include <utility>

#include "cache/store/record_sql.hpp"

namespace tuner::cache {
namespace {

using sqlite::Statement;

NumberedRows read_numbers(Statement& select) {
  NumberedRows rows;
  while (select.step()) {
    rows.numbers.push_back(select.integer(0));
    rows.bytes += select.integer(1);
  }
  return rows;
}

}  // namespace

NeedlessRows::NeedlessRows(const sqlite::Connection& connection) : connection_(connection) {
  find_tasks();
  find_drivers();
}

void NeedlessRows::find_tasks() {
  Statement select(connection_,
                   "SELECT task_id, kernel_name, kernel_identity, problem, device, mode, objective, "
                   "(SELECT ifnull(max(run_id), 0) FROM run WHERE run.task_id = task.task_id), "
                   "(SELECT ifnull(max(decision_id), 0) FROM run JOIN decision USING (run_id) WHERE run.task_id = "
                   "task.task_id AND decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f WHERE "
                   "f.task_id = task.task_id)) FROM task ORDER BY task_id");
  using Version = std::pair<std::string, std::string>;
  std::map<std::string, std::pair<std::int64_t, std::string>> latest;  // run and version, by kernel
  std::set<Version> served;
  while (select.step()) {
    Task task;
    std::int64_t last_run = 0;
    RowReader row(select);
    row.read(task.id);
    describe(row, task.key);
    row.read(last_run, task.served);
    auto& of_kernel = latest[task.key.kernel_name];
    of_kernel = std::max(of_kernel, {last_run, task.key.kernel_identity});
    if (task.served != 0) served.emplace(task.key.kernel_name, task.key.kernel_identity);
    tasks_.push_back(std::move(task));
  }
  for (Task& task : tasks_) {
    task.is_outdated = latest.at(task.key.kernel_name).second != task.key.kernel_identity &&
                       !served.contains({task.key.kernel_name, task.key.kernel_identity});
  }
}

void NeedlessRows::find_drivers() {
  // Where max() picks a row of a group, SQLite takes the other columns from that row.
  Statement newest(connection_,
                   "SELECT device, driver, max(run_id) FROM run JOIN task USING (task_id) WHERE driver <> '' "
                   "GROUP BY device");
  while (newest.step()) drivers_[newest.text(0)].insert(newest.text(1));
  Statement served(connection_,
                   "SELECT driver FROM run JOIN decision USING (run_id) WHERE decision_id = ?1 AND driver <> ''");
  for (const Task& task : tasks_) {
    if (task.served != 0 && served.bind(task.served).step()) drivers_[task.key.device].insert(served.text(0));
  }
}

bool NeedlessRows::is_gone(const std::string& device, const std::string& driver) const {
  const auto used = drivers_.find(device);
  return used != drivers_.end() && !used->second.contains(driver);
}

RowsOfTask NeedlessRows::of(const Task& task) const {
  Statement marks(connection_,
                  "SELECT ifnull(max(decision_id), 0), ifnull(max(trial_id), 0), ifnull(max(quarantine_id), 0) "
                  "FROM forgotten WHERE task_id = ?1");
  marks.bind(task.id).step();
  RowsOfTask rows;
  // What is known over sizes counts until its decision is forgotten, whether that is served or not.
  Statement decisions(connection_,
                      "SELECT decision_id, length(configuration) + length(baseline) + length(launch) + 150 "
                      "FROM run JOIN decision USING (run_id) WHERE task_id = ?1 AND decision_id <> ?2 "
                      "AND decision_id <> (SELECT max(decision_id) FROM decision) AND NOT (decision_id > ?3 AND EXISTS "
                      "(SELECT 1 FROM decision_text AS t WHERE t.decision_id = decision.decision_id AND "
                      "t.kind = 'sizes')) ORDER BY decision_id");
  rows.decisions = read_numbers(decisions.bind(task.id, task.served, marks.integer(0)));
  Statement trials(connection_,
                   "SELECT trial_id, length(configuration) + length(message) + length(samples_ns) + length(launch) + "
                   "length(duplicate_of) + 100 FROM run JOIN trial USING (run_id) WHERE task_id = ?1 AND "
                   "(?2 OR trial_id <= ?3) AND trial_id <> (SELECT max(trial_id) FROM trial) ORDER BY trial_id");
  rows.trials = read_numbers(trials.bind(task.id, task.is_outdated, marks.integer(1)));
  Statement quarantined(connection_,
                        "SELECT quarantine_id, length(configuration) + length(message) + length(launch) + 100, driver, "
                        "quarantine_id <= ?2 FROM quarantine WHERE task_id = ?1 AND quarantine_id <> "
                        "(SELECT max(quarantine_id) FROM quarantine) ORDER BY quarantine_id");
  quarantined.bind(task.id, marks.integer(2));
  while (quarantined.step()) {
    if (!is_gone(task.key.device, quarantined.text(2)) && quarantined.integer(3) == 0) continue;
    rows.quarantined.numbers.push_back(quarantined.integer(0));
    rows.quarantined.bytes += quarantined.integer(1);
  }
  return rows;
}

}  // namespace tuner::cache
