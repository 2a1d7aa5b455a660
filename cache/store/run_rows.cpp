#include <fmt/format.h>

#include "cache/store/rows.hpp"

namespace tuner::cache {
namespace {

[[noreturn]] void unknown_number(const sqlite::Connection& connection, std::string_view what, std::int64_t number) {
  throw Error(Errc::store_damaged,
              fmt::format("The database {} is damaged: a row has the {} {}, which does not exist. {}",
                          connection.path().string(), what, number, sqlite::kDamageNextStep));
}

}  // namespace

Outcome read_outcome(const sqlite::Connection& connection, std::int64_t number) {
  for (const OutcomeName& known : kOutcomeNames) {
    if (static_cast<std::int64_t>(known.outcome) == number) return known.outcome;
  }
  unknown_number(connection, "outcome", number);
}

Origin read_origin(const sqlite::Connection& connection, std::int64_t number) {
  for (const Origin known : {Origin::measured, Origin::imported, Origin::replay}) {
    if (static_cast<std::int64_t>(known) == number) return known;
  }
  unknown_number(connection, "origin", number);
}

std::optional<std::int64_t> find_task(const sqlite::Connection& connection, const DecisionKey& key) {
  sqlite::Statement statement(connection, "SELECT task_id FROM task WHERE key_hash = ?1 AND key_text = ?2");
  if (!statement.bind(key.hash(), key.text()).step()) return std::nullopt;
  return statement.integer(0);
}

std::int64_t ensure_task(const sqlite::Connection& connection, const DecisionKey& key) {
  if (const auto found = find_task(connection, key)) return *found;
  sqlite::Statement(
      connection,
      "INSERT INTO task (key_hash, key_text, kernel_name, kernel_identity, problem, device, mode, objective) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
      .bind(key.hash(), key.text(), key.kernel_name, key.kernel_identity, key.problem, key.device, key.mode,
            key.objective)
      .run();
  return sqlite3_last_insert_rowid(connection.get());
}

DecisionKey read_key(sqlite::Columns& column) {
  DecisionKey key;
  key.kernel_name = column.text();
  key.kernel_identity = column.text();
  key.problem = column.text();
  key.device = column.text();
  key.mode = column.text();
  key.objective = column.text();
  return key;
}

std::vector<DecisionKey> read_keys(const sqlite::Connection& connection, const Filter& filter) {
  sqlite::Statement select(connection,
                           "SELECT kernel_name, kernel_identity, problem, device, mode, objective FROM task "
                           "WHERE (?1 = '' OR kernel_name = ?1) AND (?2 = '' OR problem = ?2) "
                           "AND (?3 = '' OR device = ?3) ORDER BY task_id");
  select.bind(filter.kernel_name, filter.problem, filter.device);
  std::vector<DecisionKey> keys;
  while (select.step()) {
    sqlite::Columns column(select);
    keys.push_back(read_key(column));
  }
  return keys;
}

std::int64_t ensure_run(const sqlite::Connection& connection, const Run& run) {
  const std::int64_t task_id = ensure_task(connection, run.key);
  const Conditions& conditions = run.conditions;
  sqlite::Statement find(connection,
                         "SELECT run_id FROM run WHERE task_id = ?1 AND session = ?2 AND reuse_hash = ?3 "
                         "AND tuner_version = ?4 AND toolkit = ?5 AND driver = ?6 AND origin = ?7");
  find.bind(task_id, run.session, run.reuse_hash, conditions.tuner_version, conditions.toolkit, conditions.driver,
            run.origin);
  if (find.step()) return find.integer(0);
  sqlite::Statement(connection,
                    "INSERT INTO run (task_id, session, reuse_hash, tuner_version, toolkit, driver, origin) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      .bind(task_id, run.session, run.reuse_hash, conditions.tuner_version, conditions.toolkit, conditions.driver,
            run.origin)
      .run();
  return sqlite3_last_insert_rowid(connection.get());
}

}  // namespace tuner::cache
