#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cache/store/rows.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

bool same_run(const Trial& a, const Trial& b) {
  return a.key == b.key && a.session == b.session && a.reuse_hash == b.reuse_hash && a.conditions == b.conditions &&
         a.origin == b.origin;
}

std::vector<double> read_samples(const sqlite::Connection& connection, const std::string& text) {
  if (auto samples = doubles_from_json(text)) return *std::move(samples);
  throw Error(Errc::store_damaged,
              fmt::format("The database {} is damaged: a trial's samples_ns is \"{}\", which is not a list of numbers.",
                          connection.path().string(), text));
}

constexpr const char* kSelect =
    "SELECT reuse_hash, session, sequence, configuration, outcome, message, censored, time_ns, samples_ns, registers, "
    "stack_bytes, spill_store_bytes, spill_load_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, "
    "occupancy_limiter, binary_hash, launch, duplicate_of, compile_ms, verify_ms, timing_ms, tuner_version, toolkit, "
    "driver, origin, created_unix_ms FROM trial JOIN run USING (run_id)";

/// Every row of a statement that begins with kSelect.
std::vector<Trial> read_rows(const sqlite::Connection& connection, sqlite::Statement& select, const DecisionKey& key) {
  std::vector<Trial> trials;
  while (select.step()) {
    sqlite::Columns column(select);
    Trial& trial = trials.emplace_back();
    trial.key = key;
    trial.reuse_hash = column.text();
    trial.session = column.text();
    trial.sequence = column.integer();
    trial.configuration = column.text();
    trial.outcome = read_outcome(connection, column.integer());
    trial.message = column.text();
    trial.censored = column.flag();
    trial.time_ns = column.maybe_real();
    trial.samples_ns = read_samples(connection, column.text());
    trial.facts.registers = column.maybe_int();
    trial.facts.stack_bytes = column.maybe_int();
    trial.facts.spill_store_bytes = column.maybe_int();
    trial.facts.spill_load_bytes = column.maybe_int();
    trial.facts.static_shared_bytes = column.maybe_int();
    trial.facts.dynamic_shared_bytes = column.maybe_int();
    trial.facts.occupancy = column.maybe_real();
    trial.facts.occupancy_limiter = column.text();
    trial.facts.binary_hash = column.text();
    trial.launch = column.text();
    trial.duplicate_of = column.text();
    trial.compile_ms = column.real();
    trial.verify_ms = column.real();
    trial.timing_ms = column.real();
    trial.conditions.tuner_version = column.text();
    trial.conditions.toolkit = column.text();
    trial.conditions.driver = column.text();
    trial.origin = read_origin(connection, column.integer());
    trial.created_unix_ms = column.integer();
  }
  return trials;
}

}  // namespace

std::string to_json(std::span<const double> values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::optional<std::vector<double>> doubles_from_json(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<double> values;
  const char* next = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (next != end) {
    double value = 0;
    const auto [after, error] = std::from_chars(next, end, value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    values.push_back(value);
    if (after == end) break;
    if (*after != ',' || after + 1 == end) return std::nullopt;
    next = after + 1;
  }
  return values;
}

void insert_trials(const sqlite::Connection& connection, std::span<const Trial> trials) {
  sqlite::Statement insert(
      connection,
      "INSERT INTO trial (run_id, sequence, configuration, outcome, message, censored, time_ns, "
      "samples_ns, registers, stack_bytes, spill_store_bytes, spill_load_bytes, static_shared_bytes, "
      "dynamic_shared_bytes, occupancy, occupancy_limiter, binary_hash, launch, duplicate_of, "
      "compile_ms, verify_ms, timing_ms, created_unix_ms) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
      "?20, ?21, ?22, ?23)");
  std::int64_t run_id = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    if (i == 0 || !same_run(trial, trials[i - 1])) {
      run_id = ensure_run(connection, {trial.key, trial.session, trial.reuse_hash, trial.conditions, trial.origin});
    }
    const ResourceFacts& facts = trial.facts;
    insert
        .bind(run_id, trial.sequence, trial.configuration, trial.outcome, trial.message, trial.censored, trial.time_ns,
              to_json(trial.samples_ns), facts.registers, facts.stack_bytes, facts.spill_store_bytes,
              facts.spill_load_bytes, facts.static_shared_bytes, facts.dynamic_shared_bytes, facts.occupancy,
              facts.occupancy_limiter, facts.binary_hash, trial.launch, trial.duplicate_of, trial.compile_ms,
              trial.verify_ms, trial.timing_ms, stamp(trial.created_unix_ms))
        .run();
  }
}

std::vector<Trial> read_trials(const sqlite::Connection& connection, const DecisionKey& key) {
  const auto task_id = find_task(connection, key);
  if (!task_id) return {};
  sqlite::Statement select(connection, std::string(kSelect) + " WHERE task_id = ?1 ORDER BY trial_id");
  return read_rows(connection, select.bind(*task_id), key);
}

std::vector<Trial> read_counting_trials(const sqlite::Connection& connection, const DecisionKey& key) {
  const auto task_id = find_task(connection, key);
  if (!task_id) return {};
  sqlite::Statement select(connection,
                           std::string(kSelect) +
                               " WHERE task_id = ?1 AND trial_id > (SELECT ifnull(max(forgotten.trial_id), 0) "
                               "FROM forgotten WHERE forgotten.task_id = ?1) ORDER BY trial_id");
  return read_rows(connection, select.bind(*task_id), key);
}

std::vector<Trial> read_reusable_trials(const sqlite::Connection& connection, const DecisionKey& key,
                                        const std::string& reuse_hash, const Conditions& conditions) {
  const auto task_id = find_task(connection, key);
  if (!task_id) return {};
  // The inner query looks at no more of a row than its configuration; samples are read for the rows that are returned.
  sqlite::Statement select(
      connection, std::string(kSelect) +
                      " WHERE trial_id IN (SELECT max(trial_id) FROM run JOIN trial USING (run_id) "
                      "WHERE task_id = ?1 AND reuse_hash = ?2 AND tuner_version = ?3 AND toolkit = ?4 AND driver = ?5 "
                      "AND origin = ?6 AND trial_id > (SELECT ifnull(max(forgotten.trial_id), 0) FROM forgotten "
                      "WHERE forgotten.task_id = ?1) GROUP BY configuration) ORDER BY trial_id");
  select.bind(*task_id, reuse_hash, conditions.tuner_version, conditions.toolkit, conditions.driver, Origin::measured);
  return read_rows(connection, select, key);
}

}  // namespace tuner::cache
