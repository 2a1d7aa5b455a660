#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/served.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/database.hpp"

namespace tuner::cache {

/// The row of this key in `task`: its hash finds it, its text decides.
std::optional<std::int64_t> find_task(const sqlite::Connection& connection, const DecisionKey& key);

/// The same, created if it is missing. Within a write transaction.
std::int64_t ensure_task(const sqlite::Connection& connection, const DecisionKey& key);

/// See Store::list_keys.
std::vector<DecisionKey> read_keys(const sqlite::Connection& connection, const Filter& filter);

/// The row in `run` for this, created with its task if it is missing. Within a write transaction.
std::int64_t ensure_run(const sqlite::Connection& connection, const Run& run);

/// Within a write transaction.
void insert_trials(const sqlite::Connection& connection, std::span<const Trial> trials);
std::vector<Trial> read_trials(const sqlite::Connection& connection, const DecisionKey& key);
/// The same without those that were forgotten.
std::vector<Trial> read_counting_trials(const sqlite::Connection& connection, const DecisionKey& key);
/// See Store::find_reusable.
std::vector<Trial> read_reusable_trials(const sqlite::Connection& connection, const Run& run);

/// Within a write transaction. Returns its row.
std::int64_t insert_decision(const sqlite::Connection& connection, const Decision& decision);
/// See Store::list_sites.
std::vector<Site> read_sites(const sqlite::Connection& connection, const DecisionKey& key);
std::optional<Decision> read_decision(const sqlite::Connection& connection, std::int64_t decision_id);
/// See Store::find_decision. Within a read transaction.
std::optional<Decision> read_served(const sqlite::Connection& connection, const DecisionKey& key);

/// See Store::record_texts. Within a write transaction.
void insert_texts(const sqlite::Connection& connection, std::int64_t decision_id, std::span<const DecisionText> texts);
/// See Store::find_texts.
std::vector<DecisionText> read_texts(const sqlite::Connection& connection, std::int64_t decision_id);
/// See Store::find_sizes.
std::optional<std::string> read_sizes(const sqlite::Connection& connection, const DecisionKey& key,
                                      std::string_view name);

/// Within a write transaction.
void insert_quarantine(const sqlite::Connection& connection, const Quarantined& quarantined);
/// What is in force and passes the filter, under this driver version, or any if there is none; oldest first.
std::vector<Quarantined> read_quarantine(const sqlite::Connection& connection, const Filter& filter,
                                         const std::optional<std::string>& driver);

/// See Store::forget_each. Within a write transaction.
std::vector<Forgotten> forget_rows(const sqlite::Connection& connection, const std::vector<Filter>& filters,
                                   Forget what);

}  // namespace tuner::cache
