#include <fmt/format.h>

#include "cache/file/hash.hpp"
#include "cache/store/record_sql.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/served_store.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

/// What is read of a decision at once, in this order.
template <class Fields, class SomeDecision>
void describe_selected(Fields& fields, SomeDecision& decision) {
  fields("decision_id", decision.row);
  describe(fields, decision.key);
  describe_run(fields, decision);
  describe_columns(fields, decision);
}

std::string select_decisions(std::string_view where) {
  ColumnList columns;
  const Decision decision;
  describe_selected(columns, decision);
  return fmt::format("SELECT {} FROM task JOIN run USING (task_id) JOIN decision USING (run_id) {}", columns.text(),
                     where);
}

void read_ties(const sqlite::Connection& connection, Decision& decision) {
  sqlite::Statement select(
      connection, "SELECT configuration, relative_time FROM decision_tie WHERE decision_id = ?1 ORDER BY position");
  select.bind(decision.row);
  while (select.step()) decision.ties.push_back({select.text(0), select.real(1)});
}

void read_counters(const sqlite::Connection& connection, Decision& decision) {
  sqlite::Statement select(connection, "SELECT name, value FROM decision_counter WHERE decision_id = ?1");
  select.bind(decision.row);
  while (select.step()) decision.counters[select.text(0)] = select.integer(1);
}

/// The decision that a statement of `select_decisions` finds, with what belongs to it.
std::optional<Decision> read_one(const sqlite::Connection& connection, sqlite::Statement& select) {
  if (!select.step()) return std::nullopt;
  Decision decision;
  RowReader row(select);
  describe_selected(row, decision);
  read_ties(connection, decision);
  read_counters(connection, decision);
  return decision;
}

}  // namespace

std::int64_t insert_decision(const sqlite::Connection& connection, const Decision& decision) {
  drop_served(connection, {{decision.key.kernel_name, decision.key.problem, decision.key.device}});
  Decision stamped = decision;
  stamped.created_unix_ms = stamp(decision.created_unix_ms);
  const auto columns = [&](auto& fields) { describe_columns(fields, stamped); };
  const std::int64_t decision_id =
      insert_row(connection, "decision", {"run_id"}, columns, ensure_run(connection, decision));

  sqlite::Statement tie(connection,
                        "INSERT INTO decision_tie (decision_id, position, configuration, relative_time) "
                        "VALUES (?1, ?2, ?3, ?4)");
  for (std::size_t i = 0; i < decision.ties.size(); ++i) {
    tie.bind(decision_id, i, decision.ties[i].configuration, decision.ties[i].relative_time).run();
  }
  sqlite::Statement counter(connection, "INSERT INTO decision_counter (decision_id, name, value) VALUES (?1, ?2, ?3)");
  for (const auto& [name, value] : decision.counters) counter.bind(decision_id, name, value).run();
  return decision_id;
}

std::vector<Site> read_sites(const sqlite::Connection& connection, const DecisionKey& key) {
  // Where max() picks a row of a group, SQLite takes the other columns from that row.
  sqlite::Statement select(
      connection,
      "SELECT kernel_name, problem, device, configuration, time_ns, awkward_sizes, created_unix_ms, "
      "max(decision_id) AS newest, origin FROM task JOIN run USING (task_id) JOIN decision USING (run_id) "
      "WHERE kernel_identity = ?1 AND mode = ?2 AND objective = ?3 AND decision_id > "
      "(SELECT ifnull(max(forgotten.decision_id), 0) FROM forgotten WHERE forgotten.task_id = task.task_id) "
      "GROUP BY task_id ORDER BY newest DESC");
  select.bind(key.kernel_identity, key.mode, key.objective);
  std::vector<Site> sites;
  while (select.step()) {
    Site site;
    Origin origin{};
    RowReader(select).read(site.kernel_name, site.problem, site.device, site.configuration, site.time_ns,
                           site.awkward_sizes, site.created_unix_ms, site.row, origin);
    if (origin != Origin::replay) sites.push_back(std::move(site));
  }
  return sites;
}

std::optional<Decision> read_decision(const sqlite::Connection& connection, std::int64_t decision_id) {
  sqlite::Statement select(connection, select_decisions("WHERE decision_id = ?1"));
  return read_one(connection, select.bind(decision_id));
}

std::optional<Decision> read_served(const sqlite::Connection& connection, const DecisionKey& key) {
  sqlite::Statement select(
      connection,
      select_decisions("WHERE key_hash = ?1 AND key_text = ?2 AND decision_id > (SELECT "
                       "ifnull(max(forgotten.decision_id), 0) FROM forgotten WHERE forgotten.task_id = task.task_id) "
                       "ORDER BY decision_id DESC LIMIT 1"));
  const std::string text = key.text();
  return read_one(connection, select.bind(content_hash(text), text));
}

}  // namespace tuner::cache
