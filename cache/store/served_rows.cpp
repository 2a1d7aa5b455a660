#include <fmt/format.h>

#include "cache/file/hash.hpp"
#include "cache/store/record_sql.hpp"
#include "cache/store/rows.hpp"

namespace tuner::cache {
namespace {

/// Programs whose texts differ in what the decision does not depend on have rows of their own.
constexpr int kRowsOfDecision = 8;

std::string checksum_of(const std::string& source, const std::string& outline) {
  return content_hash({source, outline});
}

/// A row that was read in the wrong place, or changed in any part, does not match.
std::string checksum_of(const Served& served) {
  return content_hash({served.source, served.outline, served.place, std::to_string(served.decision), served.launch,
                       content_hash(served.binary)});
}

void require(const sqlite::Connection& connection, bool is_sound) {
  if (is_sound) return;
  throw Error(Errc::store_damaged,
              fmt::format("What {} keeps so that programs start quickly is damaged and is not used; its decisions are. "
                          "It is written again when the kernel is requested. If this happens again, check the disk.",
                          connection.path().string()));
}

std::string select_served(std::string_view where) {
  return fmt::format(
      "SELECT key_text, outline, place, decision_id, launch, binary, served.checksum FROM served JOIN source USING "
      "(source_id) {}",
      where);
}

Served read_row(const sqlite::Statement& select) {
  Served served;
  std::string checksum;
  RowReader(select).read(served.source, served.outline, served.place, served.decision, served.launch, served.binary,
                         checksum);
  require(select.connection(), checksum == checksum_of(served));
  return served;
}

bool is_served(const sqlite::Connection& connection, std::int64_t decision_id) {
  sqlite::Statement select(
      connection,
      "SELECT 1 FROM decision JOIN run AS r USING (run_id) WHERE decision_id = ?1 AND origin <> ?2 AND decision_id = "
      "(SELECT max(d.decision_id) FROM run JOIN decision AS d USING (run_id) WHERE run.task_id = r.task_id) AND "
      "decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f WHERE f.task_id = r.task_id)");
  return select.bind(decision_id, Origin::replay).step();
}

std::int64_t ensure_source(const sqlite::Connection& connection, const Served& served) {
  sqlite::Statement insert(
      connection,
      "INSERT INTO source (key_hash, key_text, outline, checksum) VALUES (?1, ?2, ?3, ?4) ON CONFLICT "
      "(key_hash, key_text) DO UPDATE SET outline = excluded.outline, checksum = excluded.checksum RETURNING "
      "source_id");
  insert.bind(content_hash(served.source), served.source, served.outline, checksum_of(served.source, served.outline))
      .step();
  const std::int64_t source_id = insert.integer(0);
  insert.run();
  return source_id;
}

}  // namespace

void insert_served(const sqlite::Connection& connection, const Served& served) {
  if (!is_served(connection, served.decision)) return;
  sqlite::Statement(connection,
                    "INSERT OR REPLACE INTO served (source_id, place, decision_id, launch, checksum, binary) VALUES "
                    "(?1, ?2, ?3, ?4, ?5, ?6)")
      .bind(ensure_source(connection, served), served.place, served.decision, served.launch, checksum_of(served),
            std::span(served.binary))
      .run();
  sqlite::Statement(connection,
                    "DELETE FROM served WHERE decision_id = ?1 AND served_id NOT IN (SELECT served_id FROM served "
                    "WHERE decision_id = ?1 ORDER BY served_id DESC LIMIT ?2)")
      .bind(served.decision, kRowsOfDecision)
      .run();
  connection.execute("DELETE FROM source WHERE source_id NOT IN (SELECT source_id FROM served)");
}

void drop_served(const sqlite::Connection& connection, const Filter& filter) {
  sqlite::Statement(connection,
                    "DELETE FROM served WHERE decision_id IN (SELECT decision_id FROM task JOIN run USING (task_id) "
                    "JOIN decision USING (run_id) WHERE (?1 = '' OR kernel_name = ?1) AND (?2 = '' OR problem = ?2) "
                    "AND (?3 = '' OR device = ?3))")
      .bind(filter.kernel_name, filter.problem, filter.device)
      .run();
}

std::optional<std::string> read_outline(const sqlite::Connection& connection, const std::string& source) {
  sqlite::Statement select(connection, "SELECT outline, checksum FROM source WHERE key_hash = ?1 AND key_text = ?2");
  if (!select.bind(content_hash(source), source).step()) return std::nullopt;
  std::string outline, checksum;
  RowReader(select).read(outline, checksum);
  require(connection, checksum == checksum_of(source, outline));
  return outline;
}

std::optional<Served> read_served(const sqlite::Connection& connection, const std::string& source,
                                  const std::string& place) {
  sqlite::Statement select(connection,
                           select_served("WHERE source.key_hash = ?1 AND source.key_text = ?2 AND served.place = ?3"));
  if (!select.bind(content_hash(source), source, place).step()) return std::nullopt;
  return read_row(select);
}

std::vector<Served> read_served_of(const sqlite::Connection& connection, std::int64_t decision_id) {
  sqlite::Statement select(connection, select_served("WHERE served.decision_id = ?1 ORDER BY served_id"));
  select.bind(decision_id);
  std::vector<Served> rows;
  while (select.step()) {
    try {
      rows.push_back(read_row(select));
    } catch (const Error&) {
    }
  }
  return rows;
}

}  // namespace tuner::cache
