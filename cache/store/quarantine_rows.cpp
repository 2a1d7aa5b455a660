#include <fmt/format.h>

#include "cache/store/record_sql.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/served_store.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {

void insert_quarantine(const sqlite::Connection& connection, const Quarantined& quarantined) {
  drop_served(connection, {{quarantined.key.kernel_name, quarantined.key.problem, quarantined.key.device}});
  Quarantined stamped = quarantined;
  stamped.created_unix_ms = stamp(quarantined.created_unix_ms);
  const auto columns = [&](auto& fields) { describe_columns(fields, stamped); };
  insert_row(connection, "quarantine", {"task_id"}, columns, ensure_task(connection, quarantined.key));
}

std::vector<Quarantined> read_quarantine(const sqlite::Connection& connection, const Filter& filter,
                                         const std::optional<std::string>& driver) {
  ColumnList columns;
  const Quarantined none;
  describe(columns, none);
  sqlite::Statement select(
      connection,
      fmt::format("SELECT {} FROM quarantine JOIN task USING (task_id) "
                  "WHERE (?1 = '' OR kernel_name = ?1) AND (?2 = '' OR problem = ?2) AND (?3 = '' OR device = ?3) "
                  "AND (?4 IS NULL OR driver = ?4) AND quarantine_id > (SELECT ifnull(max(forgotten.quarantine_id), 0) "
                  "FROM forgotten WHERE forgotten.task_id = task.task_id) ORDER BY quarantine_id",
                  columns.text()));
  select.bind(filter.kernel_name, filter.problem, filter.device, driver);
  std::vector<Quarantined> found;
  while (select.step()) {
    RowReader row(select);
    describe(row, found.emplace_back());
  }
  return found;
}

}  // namespace tuner::cache
