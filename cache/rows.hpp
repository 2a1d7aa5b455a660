#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/sqlite.hpp"
#include "cache/store.hpp"

namespace tuner::cache {

/// The row of this key in `task`: its hash finds it, its text decides.
std::optional<std::int64_t> find_task(const sqlite::Connection& connection, const DecisionKey& key);

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

/// Within a write transaction.
void insert_decision(const sqlite::Connection& connection, const Decision& decision);
Decision read_decision(const sqlite::Connection& connection, std::int64_t decision_id);

/// JSON array, every number to the last bit: "[1021.5,998]".
std::string to_json(std::span<const double> values);
/// The reverse; nothing if the text is not what to_json writes.
std::optional<std::vector<double>> doubles_from_json(std::string_view text);

}  // namespace tuner::cache
