#include <fmt/format.h>

#include "cache/store/record_sql.hpp"
#include "cache/store/rows.hpp"

namespace tuner::cache {

std::optional<std::int64_t> find_task(const sqlite::Connection& connection, const DecisionKey& key) {
  sqlite::Statement statement(connection, "SELECT task_id FROM task WHERE key_hash = ?1 AND key_text = ?2");
  if (!statement.bind(key.hash(), key.text()).step()) return std::nullopt;
  return statement.integer(0);
}

std::int64_t ensure_task(const sqlite::Connection& connection, const DecisionKey& key) {
  if (const auto found = find_task(connection, key)) return *found;
  const auto columns = [&](auto& fields) { describe(fields, key); };
  return insert_row(connection, "task", {"key_hash", "key_text"}, columns, key.hash(), key.text());
}

std::vector<DecisionKey> read_keys(const sqlite::Connection& connection, const Filter& filter) {
  ColumnList columns;
  const DecisionKey none;
  describe(columns, none);
  sqlite::Statement select(connection, fmt::format("SELECT {} FROM task WHERE (?1 = '' OR kernel_name = ?1) "
                                                   "AND (?2 = '' OR problem = ?2) AND (?3 = '' OR device = ?3) "
                                                   "ORDER BY task_id",
                                                   columns.text()));
  select.bind(filter.kernel_name, filter.problem, filter.device);
  std::vector<DecisionKey> keys;
  while (select.step()) {
    RowReader row(select);
    describe(row, keys.emplace_back());
  }
  return keys;
}

std::int64_t ensure_run(const sqlite::Connection& connection, const Run& run) {
  const std::int64_t task_id = ensure_task(connection, run.key);
  sqlite::Statement find(connection,
                         "SELECT run_id FROM run WHERE task_id = ?1 AND session = ?2 AND reuse_hash = ?3 "
                         "AND tuner_version = ?4 AND toolkit = ?5 AND driver = ?6 AND origin = ?7");
  RowBinder wanted(find, task_id);
  describe_run(wanted, run);
  if (find.step()) return find.integer(0);
  const auto columns = [&](auto& fields) { describe_run(fields, run); };
  return insert_row(connection, "run", {"task_id"}, columns, task_id);
}

}  // namespace tuner::cache
