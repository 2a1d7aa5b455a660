#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/sqlite/sqlite.hpp"
#include "cache/store/store.hpp"

namespace tuner::cache {

/// The row of this key in `task`: its hash finds it, its text decides.
std::optional<std::int64_t> find_task(const sqlite::Connection& connection, const DecisionKey& key);

/// The same, created if it is missing. Within a write transaction.
std::int64_t ensure_task(const sqlite::Connection& connection, const DecisionKey& key);
/// The reverse of DecisionKey::text(); nothing if the text is none of it.
std::optional<DecisionKey> key_from_text(std::string_view text);
/// Reads the parts of a key, in the order of its members.
DecisionKey read_key(sqlite::Columns& column);

/// See Store::list_keys.
std::vector<DecisionKey> read_keys(const sqlite::Connection& connection, const Filter& filter);

/// What the rows of one run have in common.
struct Run {
  const DecisionKey& key;
  const std::string& session;
  const std::string& reuse_hash;
  const Conditions& conditions;
  Origin origin;
};
/// The row of `run` for these, created with its task if it is missing. Within a write transaction.
std::int64_t ensure_run(const sqlite::Connection& connection, const Run& run);

/// Within a write transaction.
void insert_trials(const sqlite::Connection& connection, std::span<const Trial> trials);
std::vector<Trial> read_trials(const sqlite::Connection& connection, const DecisionKey& key);
/// The same without those that were forgotten.
std::vector<Trial> read_counting_trials(const sqlite::Connection& connection, const DecisionKey& key);
/// See Store::find_reusable.
std::vector<Trial> read_reusable_trials(const sqlite::Connection& connection, const DecisionKey& key,
                                        const std::string& reuse_hash, const Conditions& conditions);

/// Within a write transaction. Returns its row.
std::int64_t insert_decision(const sqlite::Connection& connection, const Decision& decision);
/// See Store::list_sites.
std::vector<Site> read_sites(const sqlite::Connection& connection, const std::string& kernel_identity,
                             const std::string& mode, const std::string& objective);
std::optional<Decision> read_decision(const sqlite::Connection& connection, std::int64_t decision_id);
/// See Store::find_decision. Within a read transaction.
std::optional<Decision> read_served(const sqlite::Connection& connection, const DecisionKey& key);

/// Within a write transaction.
void insert_quarantine(const sqlite::Connection& connection, const Quarantined& quarantined);
/// What is in force and passes the filter, under this driver version, or any if there is none; oldest first.
std::vector<Quarantined> read_quarantine(const sqlite::Connection& connection, const Filter& filter,
                                         const std::optional<std::string>& driver);

/// See Store::forget. Within a write transaction.
Forgotten forget_rows(const sqlite::Connection& connection, const Filter& filter, Forget what);

/// The number of an outcome or an origin in a row. Throws Error{store_damaged} if it is none that this program knows.
Outcome read_outcome(const sqlite::Connection& connection, std::int64_t number);
Origin read_origin(const sqlite::Connection& connection, std::int64_t number);

/// JSON array, every number to the last bit: "[1021.5,998]".
std::string to_json(std::span<const double> values);
/// The reverse; nothing if the text is not what to_json writes.
std::optional<std::vector<double>> doubles_from_json(std::string_view text);

}  // namespace tuner::cache
