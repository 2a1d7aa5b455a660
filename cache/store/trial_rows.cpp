#include <fmt/format.h>

#include "cache/store/record_sql.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

std::string select_trials(std::string_view where) {
  ColumnList columns;
  const Trial trial;
  describe_run(columns, trial);
  describe_columns(columns, trial);
  return fmt::format("SELECT {} FROM trial JOIN run USING (run_id) {}", columns.text(), where);
}

/// Every trial of the key that a statement of `select_trials` finds.
std::vector<Trial> read_all(const sqlite::Connection& connection, std::int64_t task_id, sqlite::Statement& select,
                            const DecisionKey& key) {
  // Moving a million of them while the list grows takes seconds. What is reserved for those that are not found stays
  // untouched.
  sqlite::Statement count(connection, "SELECT count(*) FROM run JOIN trial USING (run_id) WHERE task_id = ?1");
  std::vector<Trial> trials;
  if (count.bind(task_id).step()) trials.reserve(static_cast<std::size_t>(count.integer(0)));
  while (select.step()) {
    RowReader row(select);
    Trial& trial = trials.emplace_back();
    trial.key = key;
    describe_run(row, trial);
    describe_columns(row, trial);
  }
  return trials;
}

}  // namespace

void insert_trials(const sqlite::Connection& connection, std::span<const Trial> trials) {
  ColumnList columns{"run_id"};
  const Trial none;
  describe_columns(columns, none);
  sqlite::Statement insert(connection, columns.insert_into("trial"));
  std::int64_t run_id = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Run& run = trials[i];
    if (i == 0 || run != trials[i - 1]) run_id = ensure_run(connection, run);
    Trial stamped = trials[i];
    stamped.created_unix_ms = stamp(stamped.created_unix_ms);
    RowBinder values(insert, run_id);
    describe_columns(values, stamped);
    insert.run();
  }
}

std::vector<Trial> read_trials(const sqlite::Connection& connection, const DecisionKey& key) {
  const auto task_id = find_task(connection, key);
  if (!task_id) return {};
  sqlite::Statement select(connection, select_trials("WHERE task_id = ?1 ORDER BY trial_id"));
  return read_all(connection, *task_id, select.bind(*task_id), key);
}

std::vector<Trial> read_counting_trials(const sqlite::Connection& connection, const DecisionKey& key) {
  const auto task_id = find_task(connection, key);
  if (!task_id) return {};
  sqlite::Statement select(connection,
                           select_trials("WHERE task_id = ?1 AND trial_id > (SELECT ifnull(max(forgotten.trial_id), 0) "
                                         "FROM forgotten WHERE forgotten.task_id = ?1) ORDER BY trial_id"));
  return read_all(connection, *task_id, select.bind(*task_id), key);
}

std::vector<Trial> read_reusable_trials(const sqlite::Connection& connection, const Run& run) {
  const auto task_id = find_task(connection, run.key);
  if (!task_id) return {};
  // The inner query looks at no more of a row than its configuration; samples are read for the rows that are returned.
  sqlite::Statement select(
      connection,
      select_trials("WHERE trial_id IN (SELECT max(trial_id) FROM run JOIN trial USING (run_id) "
                    "WHERE task_id = ?1 AND reuse_hash = ?2 AND tuner_version = ?3 AND toolkit = ?4 AND driver = ?5 "
                    "AND origin = ?6 AND trial_id > (SELECT ifnull(max(forgotten.trial_id), 0) FROM forgotten "
                    "WHERE forgotten.task_id = ?1) GROUP BY configuration) ORDER BY trial_id"));
  const Conditions& conditions = run.conditions;
  select.bind(*task_id, run.reuse_hash, conditions.tuner_version, conditions.toolkit, conditions.driver,
              Origin::measured);
  return read_all(connection, *task_id, select, run.key);
}

}  // namespace tuner::cache
