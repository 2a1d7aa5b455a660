#include "cache/store/sqlite_store.hpp"

#include <fmt/format.h>

#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/served_store.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {

using sqlite::Transaction;

namespace {

Error half_a_decision(const sqlite::Connection& connection, std::int64_t decision_id) {
  return Error(Errc::store_damaged,
               fmt::format("The database {} is damaged: decision {} lacks the run or the task that it belongs to. {}",
                           connection.path().string(), decision_id, sqlite::damage_next_step(connection.path())));
}

std::vector<Decision> read_decisions(const sqlite::Connection& connection, const Filter& filter) {
  sqlite::Statement newest(
      connection,
      "SELECT max(decision_id) AS newest FROM decision JOIN run USING (run_id) "
      "JOIN task USING (task_id) WHERE (?1 = '' OR kernel_name = ?1) AND (?2 = '' OR problem = ?2) "
      "AND (?3 = '' OR device = ?3) AND decision_id > (SELECT ifnull(max(forgotten.decision_id), 0) FROM forgotten "
      "WHERE forgotten.task_id = run.task_id) GROUP BY task_id ORDER BY newest DESC");
  newest.bind(filter.kernel_name, filter.problem, filter.device);
  std::vector<Decision> decisions;
  while (newest.step()) {
    auto decision = read_decision(connection, newest.integer(0));
    if (!decision) throw half_a_decision(connection, newest.integer(0));
    decisions.push_back(*std::move(decision));
  }
  return decisions;
}

}  // namespace

std::unique_ptr<SqliteStore> SqliteStore::open(const SqliteStoreOptions& options) {
  return std::unique_ptr<SqliteStore>(new SqliteStore(options));
}

SqliteStore::SqliteStore(SqliteStoreOptions options) : options_(std::move(options)) {
  options_.path = connection().path();  // absolute, for when it is opened again
}

const sqlite::Connection& SqliteStore::connection() const {
  if (!connection_) {
    connection_ =
        open_database(options_.path, options_.access, options_.busy_timeout, Durability::precious, decisions_format());
  }
  return *connection_;
}

void SqliteStore::renew() const {
  if (options_.access == Access::read_only && connection_ && connection_->is_outdated()) connection_.reset();
}

template <class Work>
auto SqliteStore::read(const Work& work) const {
  return sqlite::read([&] { renew(); },
                      [&] {
                        const Transaction snapshot(connection(), Transaction::Kind::read);
                        return work();
                      });
}

SqliteStore::~SqliteStore() = default;

void SqliteStore::record_trials(std::span<const Trial> trials) {
  for (const Trial& trial : trials) require_storable(trial);
  if (trials.empty()) return;
  sqlite::write(connection(), [&] { insert_trials(connection(), trials); });
}

std::int64_t SqliteStore::record_decision(const Decision& decision) {
  require_storable(decision);
  std::int64_t row = 0;
  sqlite::write(connection(), [&] { row = insert_decision(connection(), decision); });
  return row;
}

void SqliteStore::record_served(const Served& served) {
  cache::record_served(options_.path, served, options_.busy_timeout);
}

void SqliteStore::record_texts(std::int64_t decision, std::span<const DecisionText> texts) {
  if (texts.empty()) return;
  sqlite::write(connection(), [&] { insert_texts(connection(), decision, texts); });
}

std::vector<DecisionText> SqliteStore::find_texts(std::int64_t decision) const {
  return read([&] { return read_texts(connection(), decision); });
}

std::optional<std::string> SqliteStore::find_sizes(const DecisionKey& key, std::string_view name) const {
  return read([&] { return read_sizes(connection(), key, name); });
}

std::optional<Decision> SqliteStore::find_decision(const DecisionKey& key) const {
  return read([&] { return read_served(connection(), key); });
}

std::optional<Decision> SqliteStore::find_decision(std::int64_t row) const {
  return read([&] { return read_decision(connection(), row); });
}

std::vector<Site> SqliteStore::list_sites(const DecisionKey& key) const {
  return read([&] { return read_sites(connection(), key); });
}

std::vector<Decision> SqliteStore::list_decisions(const Filter& filter) const {
  return read([&] { return read_decisions(connection(), filter); });
}

std::vector<Trial> SqliteStore::find_trials(const DecisionKey& key) const {
  return read([&] { return read_trials(connection(), key); });
}

std::vector<Trial> SqliteStore::find_reusable(const Run& run) const {
  return read([&] { return read_reusable_trials(connection(), run); });
}

void SqliteStore::record_quarantine(const Quarantined& quarantined) {
  sqlite::write(connection(), [&] { insert_quarantine(connection(), quarantined); });
}

std::vector<Quarantined> SqliteStore::find_quarantine(const DecisionKey& key, const std::string& driver) const {
  return read([&] { return read_quarantine(connection(), {key.kernel_name, key.problem, key.device}, driver); });
}

std::vector<Quarantined> SqliteStore::list_quarantine(const Filter& filter) const {
  return read([&] { return read_quarantine(connection(), filter, std::nullopt); });
}

std::vector<DecisionKey> SqliteStore::list_keys(const Filter& filter) const {
  return read([&] { return read_keys(connection(), filter); });
}

std::vector<Forgotten> SqliteStore::forget_each(const std::vector<Filter>& filters, Forget what) {
  std::vector<Forgotten> forgotten;
  sqlite::write(connection(), [&] { forgotten = forget_rows(connection(), filters, what); });
  return forgotten;
}

std::optional<std::string> SqliteStore::damage() const {
  return read([&] { return find_damage(connection(), decisions_format()); });
}

}  // namespace tuner::cache
