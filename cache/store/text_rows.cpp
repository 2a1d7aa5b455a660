#include <algorithm>
#include <tuple>

#include "cache/file/fail.hpp"
#include "cache/file/hash.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/store/rows.hpp"

namespace tuner::cache {
namespace {

/// The row of this text in `text`, created if it is missing: its hash finds it, the text itself decides.
std::int64_t ensure_text(const sqlite::Connection& connection, const std::string& text) {
  const Hash hash = content_hash(text);
  sqlite::Statement find(connection, "SELECT text_id FROM text WHERE hash = ?1 AND text = ?2");
  if (find.bind(hash, text).step()) return find.integer(0);
  sqlite::Statement(connection, "INSERT INTO text (hash, text) VALUES (?1, ?2)").bind(hash, text).run();
  return sqlite3_last_insert_rowid(connection.get());
}

/// What was known over the sizes of the decision's kernel before.
void drop_sizes(const sqlite::Connection& connection, std::int64_t decision_id) {
  sqlite::Statement(connection,
                    "DELETE FROM decision_text WHERE kind = 'sizes' AND decision_id IN ("
                    "SELECT other.decision_id FROM decision AS mine JOIN run AS r USING (run_id) "
                    "JOIN task AS t ON t.task_id = r.task_id "
                    "JOIN task AS u ON u.kernel_identity = t.kernel_identity AND u.mode = t.mode "
                    "AND u.objective = t.objective AND u.device = t.device JOIN run AS q ON q.task_id = u.task_id "
                    "JOIN decision AS other ON other.run_id = q.run_id WHERE mine.decision_id = ?1)")
      .bind(decision_id)
      .run();
}

}  // namespace

void insert_texts(const sqlite::Connection& connection, std::int64_t decision_id, std::span<const DecisionText> texts) {
  // REPLACE deletes the row in its way, to which no other row refers.
  sqlite::Statement insert(
      connection, "INSERT OR REPLACE INTO decision_text (decision_id, kind, name, text_id) VALUES (?1, ?2, ?3, ?4)");
  const auto is_sizes = [](const DecisionText& text) { return text.kind == TextKind::sizes; };
  if (std::any_of(texts.begin(), texts.end(), is_sizes)) drop_sizes(connection, decision_id);
  for (const DecisionText& text : texts) {
    insert.bind(decision_id, to_string(text.kind), text.name, ensure_text(connection, text.text)).run();
  }
}

std::vector<DecisionText> read_texts(const sqlite::Connection& connection, std::int64_t decision_id) {
  sqlite::Statement select(connection,
                           "SELECT kind, name, text FROM decision_text JOIN text USING (text_id) "
                           "WHERE decision_id = ?1");
  select.bind(decision_id);
  std::vector<DecisionText> texts;
  while (select.step()) {
    const auto kind = text_kind_from_string(select.text(0));
    if (!kind) {
      fail(Errc::store_damaged,
           "The database {} is damaged: a text of a decision is of the kind \"{}\", which does "
           "not exist. {}",
           connection.path().string(), select.text(0), sqlite::damage_next_step(connection.path()));
    }
    texts.push_back({*kind, select.text(1), select.text(2)});
  }
  std::sort(texts.begin(), texts.end(), [](const DecisionText& a, const DecisionText& b) {
    return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
  });
  return texts;
}

std::optional<std::string> read_sizes(const sqlite::Connection& connection, const DecisionKey& key,
                                      std::string_view name) {
  sqlite::Statement select(connection,
                           "SELECT text FROM decision_text INDEXED BY decision_text_sizes JOIN text USING (text_id) "
                           "JOIN decision USING (decision_id) JOIN run USING (run_id) JOIN task USING (task_id) "
                           "WHERE decision_text.kind = 'sizes' AND name = ?5 AND kernel_identity = ?1 AND device = ?2 "
                           "AND mode = ?3 AND objective = ?4 "
                           "AND decision_id > (SELECT ifnull(max(forgotten.decision_id), 0) FROM forgotten "
                           "WHERE forgotten.task_id = task.task_id) ORDER BY decision_id DESC LIMIT 1");
  if (!select.bind(key.kernel_identity, key.device, key.mode, key.objective, name).step()) return std::nullopt;
  return select.text(0);
}

}  // namespace tuner::cache
