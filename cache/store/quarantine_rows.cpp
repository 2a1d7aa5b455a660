#include "cache/store/rows.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {

void insert_quarantine(const sqlite::Connection& connection, const Quarantined& quarantined) {
  const std::int64_t task_id = ensure_task(connection, quarantined.key);
  sqlite::Statement(connection,
                    "INSERT INTO quarantine (task_id, binary_hash, launch, driver, configuration, outcome, message, "
                    "launch_timeout_ms, session, created_unix_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
      .bind(task_id, quarantined.binary_hash, quarantined.launch, quarantined.driver, quarantined.configuration,
            quarantined.outcome, quarantined.message, quarantined.launch_timeout_ms, quarantined.session,
            stamp(quarantined.created_unix_ms))
      .run();
}

std::vector<Quarantined> read_quarantine(const sqlite::Connection& connection, const Filter& filter,
                                         const std::optional<std::string>& driver) {
  sqlite::Statement select(
      connection,
      "SELECT kernel_name, kernel_identity, problem, device, mode, objective, binary_hash, launch, driver, "
      "configuration, outcome, message, launch_timeout_ms, session, created_unix_ms FROM quarantine JOIN task USING "
      "(task_id) "
      "WHERE (?1 = '' OR kernel_name = ?1) AND (?2 = '' OR problem = ?2) AND (?3 = '' OR device = ?3) "
      "AND (?4 IS NULL OR driver = ?4) AND quarantine_id > (SELECT ifnull(max(forgotten.quarantine_id), 0) "
      "FROM forgotten WHERE forgotten.task_id = task.task_id) ORDER BY quarantine_id");
  select.bind(filter.kernel_name, filter.problem, filter.device, driver);
  std::vector<Quarantined> found;
  while (select.step()) {
    sqlite::Columns column(select);
    Quarantined& quarantined = found.emplace_back();
    quarantined.key = read_key(column);
    quarantined.binary_hash = column.text();
    quarantined.launch = column.text();
    quarantined.driver = column.text();
    quarantined.configuration = column.text();
    quarantined.outcome = read_outcome(connection, column.integer());
    quarantined.message = column.text();
    quarantined.launch_timeout_ms = column.maybe_int();
    quarantined.session = column.text();
    quarantined.created_unix_ms = column.integer();
  }
  return found;
}

}  // namespace tuner::cache
