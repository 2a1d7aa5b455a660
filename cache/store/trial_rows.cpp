#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <functional>

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

void read_row(const sqlite::Statement& select, const DecisionKey& key, Trial& trial) {
  RowReader row(select);
  trial.key = key;
  describe_run(row, trial);
  describe_columns(row, trial);
}

/// Every trial of the key that a statement of `select_trials` finds.
std::vector<Trial> read_all(const sqlite::Connection& connection, std::int64_t task_id, sqlite::Statement& select,
                            const DecisionKey& key) {
  // Moving a million of them while the list grows takes seconds. What is reserved for those that are not found stays
  // untouched.
  sqlite::Statement count(connection, "SELECT count(*) FROM run JOIN trial USING (run_id) WHERE task_id = ?1");
  std::vector<Trial> trials;
  if (count.bind(task_id).step()) trials.reserve(static_cast<std::size_t>(count.integer(0)));
  while (select.step()) read_row(select, key, trials.emplace_back());
  return trials;
}

/// The latest trial of each configuration that this run may reuse, in the order in which they were recorded. SQLite
/// would sort the configurations, which takes longer than reading their trials.
std::vector<std::int64_t> latest_reusable(const sqlite::Connection& connection, std::int64_t task_id, const Run& run) {
  sqlite::Statement select(
      connection,
      "SELECT trial_id, configuration FROM run JOIN trial USING (run_id) WHERE task_id = ?1 AND reuse_hash = ?2 AND "
      "tuner_version = ?3 AND toolkit = ?4 AND driver = ?5 AND origin = ?6 AND trial_id > (SELECT "
      "ifnull(max(forgotten.trial_id), 0) FROM forgotten WHERE forgotten.task_id = ?1)");
  const Conditions& conditions = run.conditions;
  select.bind(task_id, run.reuse_hash, conditions.tuner_version, conditions.toolkit, conditions.driver,
              Origin::measured);
  struct Found {
    std::size_t configuration;  ///< its hash: of two that share one, which is next to impossible, a trial is not reused
    std::int64_t id;
    auto operator<=>(const Found&) const = default;
  };
  std::vector<Found> found;
  while (select.step()) found.push_back({std::hash<std::string>()(select.text(1)), select.integer(0)});
  std::sort(found.begin(), found.end());
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_latest = i + 1 == found.size() || found[i + 1].configuration != found[i].configuration;
    if (is_latest) ids.push_back(found[i].id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
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
  const std::vector<std::int64_t> ids = latest_reusable(connection, *task_id, run);
  std::vector<Trial> trials;
  trials.reserve(ids.size());
  // Those that follow each other at once: to ask for each takes longer than to read it.
  sqlite::Statement select(connection, select_trials("WHERE trial_id BETWEEN ?1 AND ?2 ORDER BY trial_id"));
  const auto follows = [&](std::size_t i) { return ids[i - 1] + 1 == ids[i]; };
  for (std::size_t first = 0, end = 0; first < ids.size(); first = end) {
    for (end = first + 1; end < ids.size() && follows(end);) ++end;
    select.bind(ids[first], ids[end - 1]);
    while (select.step()) read_row(select, run.key, trials.emplace_back());
  }
  return trials;
}

}  // namespace tuner::cache
