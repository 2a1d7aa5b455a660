#include "cache/exchange/key_rows.hpp"

#include <algorithm>

#include "cache/file/fail.hpp"
#include "cache/file/location.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using sqlite::Transaction;

}  // namespace

void leave_out_replayed(KeyRows& rows) {
  if (rows.decision && rows.decision->origin == Origin::replay) rows.decision.reset();
  std::erase_if(rows.trials, [](const Trial& trial) { return trial.origin == Origin::replay; });
}

KeyRows read_key_rows(const sqlite::Connection& connection, const DecisionKey& key) {
  // A key at a time: a lock on the database for all of it would keep those who tune from writing.
  const Transaction snapshot(connection, Transaction::Kind::read);
  return key_rows_now(connection, key);
}

KeyRows key_rows_now(const sqlite::Connection& connection, const DecisionKey& key) {
  KeyRows rows{key, read_served(connection, key), {}, read_counting_trials(connection, key)};
  leave_out_replayed(rows);
  if (rows.decision) rows.texts = read_texts(connection, rows.decision->row);
  return rows;
}

KeyRows read_key_rows(const fs::path& database, const DecisionKey& key) {
  if (is_not_there_yet(database)) return {.key = key};
  const auto connection =
      open_database(database, Access::read_only, kCommandPatience, Durability::precious, decisions_format());
  return read_key_rows(*connection, key);
}

std::string newest_session(const KeyRows& rows) {
  std::string session;
  std::int64_t newest = 0;
  for (const Trial& trial : rows.trials) {
    if (trial.created_unix_ms < newest) continue;
    newest = trial.created_unix_ms;
    session = trial.session;
  }
  return rows.decision && rows.decision->created_unix_ms >= newest ? rows.decision->session : session;
}

void require_storable(const KeyRows& rows) try {
  for (const Trial& trial : rows.trials) require_storable(trial);
  if (rows.decision) require_storable(*rows.decision);
} catch (const Error& error) {
  fail(Errc::store_damaged, "A row of {} cannot have been recorded by a session: {}", rows.key.kernel_name,
       error.what());
}

std::set<std::string> known_sessions(const fs::path& database) {
  std::set<std::string> sessions;
  if (is_not_there_yet(database)) return sessions;
  const auto connection =
      open_database(database, Access::read_only, kCommandPatience, Durability::precious, decisions_format());
  sqlite::Statement select(*connection, "SELECT DISTINCT session FROM run");
  while (select.step()) sessions.insert(select.text(0));
  return sessions;
}

}  // namespace tuner::cache
