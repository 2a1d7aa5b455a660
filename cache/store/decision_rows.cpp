#include "cache/file/hash.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

constexpr const char* kSelect =
    "SELECT decision_id, kernel_name, kernel_identity, problem, device, mode, objective, reuse_hash, session, "
    "configuration, baseline, time_ns, baseline_time_ns, speedup, speedup_low, speedup_high, confidence, race_blocks, "
    "verified, awkward_sizes, noisy, contended, binary_hash, launch, tuner_version, toolkit, driver, origin, "
    "created_unix_ms FROM task JOIN run USING (task_id) JOIN decision USING (run_id) ";

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

/// The row that a statement which begins with kSelect stands on, with what belongs to it.
Decision read_row(const sqlite::Connection& connection, const sqlite::Statement& select) {
  sqlite::Columns column(select);
  Decision decision;
  decision.row = column.integer();
  decision.key = read_key(column);
  decision.reuse_hash = column.text();
  decision.session = column.text();
  decision.configuration = column.text();
  decision.baseline = column.text();
  decision.time_ns = column.real();
  decision.baseline_time_ns = column.maybe_real();
  decision.speedup = column.maybe_real();
  decision.speedup_low = column.maybe_real();
  decision.speedup_high = column.maybe_real();
  decision.confidence = column.real();
  decision.race_blocks = column.integer();
  decision.verified = column.flag();
  decision.awkward_sizes = column.integer();
  decision.noisy = column.flag();
  decision.contended = column.flag();
  decision.binary_hash = column.text();
  decision.launch = column.text();
  decision.conditions.tuner_version = column.text();
  decision.conditions.toolkit = column.text();
  decision.conditions.driver = column.text();
  decision.origin = read_origin(connection, column.integer());
  decision.created_unix_ms = column.integer();
  read_ties(connection, decision);
  read_counters(connection, decision);
  return decision;
}

}  // namespace

std::int64_t insert_decision(const sqlite::Connection& connection, const Decision& decision) {
  const std::int64_t run_id = ensure_run(
      connection, {decision.key, decision.session, decision.reuse_hash, decision.conditions, decision.origin});
  sqlite::Statement(connection,
                    "INSERT INTO decision (run_id, configuration, baseline, time_ns, baseline_time_ns, speedup, "
                    "speedup_low, speedup_high, confidence, race_blocks, verified, awkward_sizes, noisy, contended, "
                    "binary_hash, launch, created_unix_ms) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)")
      .bind(run_id, decision.configuration, decision.baseline, decision.time_ns, decision.baseline_time_ns,
            decision.speedup, decision.speedup_low, decision.speedup_high, decision.confidence, decision.race_blocks,
            decision.verified, decision.awkward_sizes, decision.noisy, decision.contended, decision.binary_hash,
            decision.launch, stamp(decision.created_unix_ms))
      .run();
  const std::int64_t decision_id = sqlite3_last_insert_rowid(connection.get());

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

std::vector<Site> read_sites(const sqlite::Connection& connection, const std::string& kernel_identity,
                             const std::string& mode, const std::string& objective) {
  // Where max() picks a row of a group, SQLite takes the other columns from that row.
  sqlite::Statement select(
      connection,
      "SELECT kernel_name, problem, device, configuration, time_ns, awkward_sizes, created_unix_ms, "
      "max(decision_id) AS newest, origin FROM task JOIN run USING (task_id) JOIN decision USING (run_id) "
      "WHERE kernel_identity = ?1 AND mode = ?2 AND objective = ?3 AND decision_id > "
      "(SELECT ifnull(max(forgotten.decision_id), 0) FROM forgotten WHERE forgotten.task_id = task.task_id) "
      "GROUP BY task_id ORDER BY newest DESC");
  select.bind(kernel_identity, mode, objective);
  std::vector<Site> sites;
  while (select.step()) {
    sqlite::Columns column(select);
    Site site;
    site.kernel_name = column.text();
    site.problem = column.text();
    site.device = column.text();
    site.configuration = column.text();
    site.time_ns = column.real();
    site.awkward_sizes = column.integer();
    site.created_unix_ms = column.integer();
    site.row = column.integer();
    if (read_origin(connection, column.integer()) != Origin::replay) sites.push_back(std::move(site));
  }
  return sites;
}

std::optional<Decision> read_decision(const sqlite::Connection& connection, std::int64_t decision_id) {
  sqlite::Statement select(connection, std::string(kSelect) + "WHERE decision_id = ?1");
  if (!select.bind(decision_id).step()) return std::nullopt;
  return read_row(connection, select);
}

std::optional<Decision> read_served(const sqlite::Connection& connection, const DecisionKey& key) {
  sqlite::Statement select(
      connection, std::string(kSelect) +
                      "WHERE key_hash = ?1 AND key_text = ?2 AND decision_id > (SELECT "
                      "ifnull(max(forgotten.decision_id), 0) FROM forgotten WHERE forgotten.task_id = task.task_id) "
                      "ORDER BY decision_id DESC LIMIT 1");
  const std::string text = key.text();
  if (!select.bind(content_hash(text), text).step()) return std::nullopt;
  return read_row(connection, select);
}

}  // namespace tuner::cache
