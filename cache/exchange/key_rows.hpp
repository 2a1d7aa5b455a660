#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cache/exchange/exchange.hpp"
#include "cache/records/decision.hpp"
#include "cache/records/decision_text.hpp"
#include "cache/records/trial.hpp"

namespace tuner::cache {

namespace sqlite {
class Connection;
}

/// What an export writes of one key: the served decision with its texts, and the trials that were not forgotten.
struct KeyRows {
  DecisionKey key;
  std::optional<Decision> decision;
  std::vector<DecisionText> texts;  ///< of the decision
  std::vector<Trial> trials;
};

/// Leaves out what was replayed.
void leave_out_replayed(KeyRows& rows);

/// Nothing that was replayed.
KeyRows read_key_rows(const sqlite::Connection& connection, const DecisionKey& key);
/// The same within a transaction.
KeyRows key_rows_now(const sqlite::Connection& connection, const DecisionKey& key);

/// The same of the database at this path; no rows where it has none of the key, or is not there. Throws Error{store_*}.
KeyRows read_key_rows(const std::filesystem::path& database, const DecisionKey& key);

/// The session that recorded something last; empty where there is nothing.
std::string newest_session(const KeyRows& rows);

/// Throws Error{store_damaged} for what no session could have recorded: rows may come from elsewhere.
void require_storable(const KeyRows& rows);

/// Takes such rows in as import_decisions does those of a file, but for what was replayed. Throws Error{store_*} for
/// the database, and what require_storable throws.
std::vector<ImportedKey> import_rows(const std::filesystem::path& database, std::span<const KeyRows> rows);

/// The sessions that anything in this database comes from, also what was forgotten; none where there is no database.
/// Throws Error{store_*}.
std::set<std::string> known_sessions(const std::filesystem::path& database);

}  // namespace tuner::cache
