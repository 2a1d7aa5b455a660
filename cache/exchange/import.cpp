#include <algorithm>
#include <set>
#include <tuple>

#include "cache/exchange/exchange.hpp"
#include "cache/exchange/key_rows.hpp"
#include "cache/file/fail.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/store/record_sql.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using Connection = sqlite::Connection;

[[noreturn]] void damaged(const fs::path& from, std::string_view what) {
  fail(Errc::store_damaged,
       "{} is damaged, and nothing was imported from it: {}. Export it again, or import what `tuner recover FILE` "
       "recovers from it.",
       from.string(), what);
}

std::unique_ptr<Connection> open_source(const fs::path& database, const fs::path& from) {
  std::error_code ignored;
  if (fs::equivalent(database, from, ignored)) {
    fail(Errc::bad_usage,
         "{} is the database itself, which cannot be imported into itself: name another file, or another database with "
         "--db.",
         from.string());
  }
  const auto folder = open_folder_of(from);
  for (const char* const suffix : {"-journal", "-wal"}) {
    const std::string beside = from.filename().string() + suffix;
    if (!folder->has(beside)) continue;
    fail(Errc::store_unavailable,
         "{} is next to {}, so a process is writing the database, or was stopped while writing it, and its contents "
         "are uncertain: nothing was imported. Try again when that process has finished, or import what `tuner export` "
         "writes.",
         (folder->path() / beside).string(), from.string());
  }
  auto connection = open_database(from, Access::read_only, kCommandPatience, Durability::precious, decisions_format());
  if (const auto damage = find_damage(*connection, decisions_format())) damaged(from, *damage);
  return connection;
}

/// What makes a trial this trial, whatever database it is in.
using Identity = std::tuple<std::string, std::string, std::string, std::string, std::string, std::int64_t, std::string,
                            std::int64_t>;

Identity identity(const Trial& trial) {
  const Conditions& conditions = trial.conditions;
  return {trial.session,     trial.reuse_hash, conditions.tuner_version, conditions.toolkit,
          conditions.driver, trial.sequence,   trial.configuration,      trial.created_unix_ms};
}

std::set<Identity> known_trials(const Connection& connection, const DecisionKey& key) {
  const auto task_id = find_task(connection, key);
  std::set<Identity> known;
  if (!task_id) return known;
  sqlite::Statement select(connection,
                           "SELECT session, reuse_hash, tuner_version, toolkit, driver, sequence, configuration, "
                           "created_unix_ms FROM run JOIN trial USING (run_id) WHERE task_id = ?1");
  select.bind(*task_id);
  while (select.step()) {
    Identity trial;
    RowReader row(select);
    std::apply([&](auto&... parts) { row.read(parts...); }, trial);
    known.insert(std::move(trial));
  }
  return known;
}

/// What of a key's decisions is in the database already. What was forgotten counts: importing the same file again must
/// not bring it back.
struct KnownDecisions {
  bool has_this_one = false;
  std::optional<std::int64_t> newest;  ///< date; nothing if there is none whose date can be believed
};

/// A clock that was wrong gives dates that nothing would ever be newer than. Clocks of machines differ a little.
std::int64_t latest_believable_date() {
  constexpr std::chrono::milliseconds kSkew = std::chrono::hours(24);
  return now_unix_ms() + kSkew.count();
}

KnownDecisions known_decisions(const Connection& connection, const Decision& decision) {
  KnownDecisions known;
  const auto task_id = find_task(connection, decision.key);
  if (!task_id) return known;
  sqlite::Statement select(connection,
                           "SELECT max(created_unix_ms = ?3 AND session = ?4 AND configuration = ?5), "
                           "max(iif(created_unix_ms <= ?2, created_unix_ms, NULL)) FROM run JOIN decision USING "
                           "(run_id) WHERE task_id = ?1");
  select.bind(*task_id, latest_believable_date(), decision.created_unix_ms, decision.session, decision.configuration);
  select.step();
  known.has_this_one = select.integer(0) != 0;
  if (!select.is_null(1)) known.newest = select.integer(1);
  return known;
}

/// Adds those texts of a decision that is in the database already which it lacks there, such as what was explained
/// after the last export; none to what was forgotten. The source of a decision that was measured here is compiled when
/// it is explained, so that no source or header comes to it from elsewhere.
void add_missing_texts(const Connection& to, const Decision& decision, std::vector<DecisionText> texts) {
  const auto task_id = find_task(to, decision.key);
  if (!task_id || texts.empty()) return;
  sqlite::Statement select(to,
                           "SELECT decision_id FROM run JOIN decision USING (run_id) WHERE task_id = ?1 AND "
                           "created_unix_ms = ?2 AND session = ?3 AND configuration = ?4 AND decision_id > (SELECT "
                           "ifnull(max(decision_id), 0) FROM forgotten WHERE task_id = ?1) ORDER BY 1 DESC LIMIT 1");
  if (!select.bind(*task_id, decision.created_unix_ms, decision.session, decision.configuration).step()) return;
  const std::int64_t row = select.integer(0);
  const std::optional<Decision> here = read_decision(to, row);
  const bool may_have_source = here && here->origin == Origin::imported;
  const std::vector<DecisionText> known = read_texts(to, row);
  std::erase_if(texts, [&](const DecisionText& text) {
    const bool is_source = text.kind == TextKind::source || text.kind == TextKind::header;
    return (is_source && !may_have_source) || std::any_of(known.begin(), known.end(), [&](const DecisionText& other) {
             return other.kind == text.kind && other.name == text.name;
           });
  });
  insert_texts(to, row, texts);
}

/// What is known over sizes is made anew where a kernel is tuned, so it is taken only where nothing is.
void leave_out_known_sizes(const Connection& to, const DecisionKey& key, std::vector<DecisionText>& texts) {
  std::erase_if(texts, [&](const DecisionText& text) {
    return text.kind == TextKind::sizes && read_sizes(to, key, kAllSizes).has_value();
  });
}

template <class Row>
void take_in(Row& row) {
  row.origin = Origin::imported;
  require_storable(row);
}

std::optional<ImportedKey> import_key(const Connection& to, KeyRows rows) {
  auto& [key, decision, texts, trials] = rows;
  if (trials.empty() && !decision) return std::nullopt;

  ImportedKey imported{.key = key};
  const std::set<Identity> known = known_trials(to, key);
  imported.trials_known = static_cast<std::int64_t>(
      std::erase_if(trials, [&](const Trial& trial) { return known.contains(identity(trial)); }));
  for (Trial& trial : trials) take_in(trial);
  insert_trials(to, trials);
  imported.trials_kept = static_cast<std::int64_t>(trials.size());
  if (!decision) return imported;

  // The row that is added last is served: adding an older one would replace a newer one.
  const KnownDecisions here = known_decisions(to, *decision);
  imported.decision = ImportedKey::Decision::older;
  leave_out_known_sizes(to, key, texts);
  if (here.has_this_one) {
    add_missing_texts(to, *decision, std::move(texts));
  } else if (!here.newest || *here.newest < decision->created_unix_ms) {
    take_in(*decision);
    insert_texts(to, insert_decision(to, *decision), texts);
    imported.decision = ImportedKey::Decision::kept;
  } else {
    // Nothing is added, but what session it was: who asks for what is not known yet is not to be given it again.
    decision->origin = Origin::imported;
    ensure_run(to, *decision);
  }
  return imported;
}

/// `for_each` calls what it is given with the rows of each key; several times, if others write the database.
template <class ForEach>
std::vector<ImportedKey> import_all(const fs::path& database, const ForEach& for_each) {
  const auto to =
      open_database(database, Access::read_write, kCommandPatience, Durability::precious, decisions_format());
  // Without this SQLite would shut readers out as soon as it has more than it likes to keep in memory.
  to->execute("PRAGMA cache_spill = OFF");
  std::vector<ImportedKey> imported;
  sqlite::write(*to, [&] {
    imported.clear();
    for_each([&](KeyRows rows) {
      if (auto done = import_key(*to, std::move(rows))) imported.push_back(*std::move(done));
    });
  });
  return imported;
}

}  // namespace

void require_importable(const fs::path& database, const fs::path& from) {
  open_source(database, from);
}

std::vector<ImportedKey> import_decisions(const fs::path& database, const fs::path& from) try {
  const auto source = open_source(database, from);
  return import_all(database, [&](const auto& import) {
    const sqlite::Transaction snapshot(*source, sqlite::Transaction::Kind::read);
    for (const DecisionKey& key : read_keys(*source, {})) import(key_rows_now(*source, key));
  });
} catch (const Error& error) {
  // What this program writes can be stored: numbers that are none, or an outcome that does not exist, are not its.
  if (error.code() == Errc::internal) damaged(from, error.what());
  throw;
}

std::vector<ImportedKey> import_rows(const fs::path& database, std::span<const KeyRows> rows) {
  for (const KeyRows& each : rows) require_storable(each);
  return import_all(database, [&](const auto& import) {
    for (KeyRows each : rows) {
      leave_out_replayed(each);
      import(std::move(each));
    }
  });
}

}  // namespace tuner::cache
