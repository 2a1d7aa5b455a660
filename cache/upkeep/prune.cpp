#include "cache/upkeep/prune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "cache/file/fail.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/store/lease.hpp"
#include "cache/store/served_store.hpp"
#include "cache/upkeep/needless_rows.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using sqlite::Connection;
using sqlite::Statement;
using sqlite::Transaction;

/// So many tasks have their leases taken and their rows deleted together: each lease is an open file, and each
/// transaction keeps writers waiting.
constexpr std::size_t kTogether = 64;

/// What is not deleted in a dry run is left out where the rest is looked at.
struct Doomed {
  std::unordered_set<std::int64_t> decisions, trials;
};

class Pruning {
 public:
  Pruning(const Location& location, bool dry_run)
      : location_(location),
        dry_run_(dry_run),
        decisions_(open(location.decisions, Durability::precious, decisions_format())) {
    if (const auto damage = find_damage(*decisions_, decisions_format())) {
      fail(Errc::store_damaged, "The database {} is damaged, and nothing was deleted from it: {}. {}",
           location.decisions.string(), *damage, sqlite::damage_next_step(location.decisions));
    }
    if (!is_not_there_yet(location.binaries))
      binaries_ = open(location.binaries, Durability::rebuildable, binaries_format());
    for (const char* kind : {"decisions", "trials", "quarantined", "texts", "served", "binaries"})
      pruned_.kinds.push_back({.kind = kind});
  }

  Pruned run() {
    prune_tasks();
    within(*decisions_, [&] {
      prune_texts();
      if (!dry_run_) delete_empty_rows();
      const UnservedRows served = drop_unserved(*decisions_, dry_run_);
      count(kServed, served.rows, served.bytes);
      if (binaries_) needed_binaries_ = binaries_that_are_named();
    });
    if (binaries_) within(*binaries_, [&] { prune_binaries(); });
    if (dry_run_) return std::move(pruned_);
    make_smaller(*decisions_, changes(kDecisions) || changes(kTrials) || changes(kQuarantined) || changes(kTexts));
    if (binaries_) make_smaller(*binaries_, changes(kBinaries));
    return std::move(pruned_);
  }

 private:
  enum Kind : std::size_t { kDecisions, kTrials, kQuarantined, kTexts, kServed, kBinaries };

  std::unique_ptr<Connection> open(const fs::path& path, Durability durability, const Format& format) const {
    return open_database(path, dry_run_ ? Access::read_only : Access::read_write, kCommandPatience, durability, format);
  }

  /// In one transaction, which in a dry run only reads.
  template <class Work>
  void within(const Connection& connection, const Work& work) {
    // A write that meets a lock for too long starts again, and must not count twice.
    const std::vector<PrunedRows> before = pruned_.kinds;
    const auto again = [&] {
      pruned_.kinds = before;
      work();
    };
    if (!dry_run_) return sqlite::write(connection, again);
    const Transaction snapshot(connection, Transaction::Kind::read);
    again();
  }

  void count(Kind kind, std::int64_t rows, std::int64_t bytes) {
    pruned_.kinds[kind].rows += rows;
    pruned_.kinds[kind].bytes += bytes;
  }
  bool changes(Kind kind) const { return pruned_.kinds[kind].rows > 0; }

  void prune_tasks() {
    std::vector<NeedlessRows::Task> candidates;
    {
      const Transaction snapshot(*decisions_, Transaction::Kind::read);
      const NeedlessRows needless(*decisions_);
      for (const NeedlessRows::Task& task : needless.tasks()) {
        if (!needless.of(task).empty()) candidates.push_back(task);
      }
    }
    for (std::size_t first = 0; first < candidates.size(); first += kTogether) {
      std::vector<FileLock> leases;
      std::set<std::int64_t> ours;
      for (std::size_t i = first; i < std::min(first + kTogether, candidates.size()); ++i) {
        if (dry_run_ || take_lease(candidates[i].key, leases)) ours.insert(candidates[i].id);
      }
      within(*decisions_, [&] { prune_some(ours); });
    }
  }

  /// A session's trials and what it goes on from are its own.
  bool take_lease(const DecisionKey& key, std::vector<FileLock>& leases) {
    FileLock lease = lease_on(key, location_.decisions);
    if (!lease.try_take("tuner prune, " + this_process())) {
      pruned_.left_out.push_back({key, lease.holder()});
      return false;
    }
    leases.push_back(std::move(lease));
    return true;
  }

  void prune_some(const std::set<std::int64_t>& tasks) {
    const NeedlessRows needless(*decisions_);  // sessions that ended since may have changed it
    for (const NeedlessRows::Task& task : needless.tasks()) {
      if (!tasks.contains(task.id)) continue;
      const RowsOfTask rows = needless.of(task);
      remove(kDecisions, "DELETE FROM decision WHERE decision_id = ?1", rows.decisions);
      remove(kTrials, "DELETE FROM trial WHERE trial_id = ?1", rows.trials);
      remove(kQuarantined, "DELETE FROM quarantine WHERE quarantine_id = ?1", rows.quarantined);
      doomed_.decisions.insert(rows.decisions.numbers.begin(), rows.decisions.numbers.end());
      doomed_.trials.insert(rows.trials.numbers.begin(), rows.trials.numbers.end());
    }
  }

  void remove(Kind kind, const char* sql, const NumberedRows& rows) {
    count(kind, static_cast<std::int64_t>(rows.numbers.size()), rows.bytes);
    if (dry_run_ || rows.numbers.empty()) return;
    Statement erase(*decisions_, sql);
    for (const std::int64_t number : rows.numbers) erase.bind(number).run();
  }

  void prune_texts() {
    std::unordered_set<std::int64_t> needed;
    Statement named(*decisions_, "SELECT decision_id, text_id FROM decision_text");
    while (named.step()) {
      if (!doomed_.decisions.contains(named.integer(0))) needed.insert(named.integer(1));
    }
    NumberedRows needless;
    Statement texts(*decisions_, "SELECT text_id, length(CAST(text AS BLOB)) FROM text ORDER BY text_id");
    while (texts.step()) {
      if (needed.contains(texts.integer(0))) continue;
      needless.numbers.push_back(texts.integer(0));
      needless.bytes += texts.integer(1);
    }
    remove(kTexts, "DELETE FROM text WHERE text_id = ?1", needless);
  }

  /// What says something only of rows that are gone. The last runs on a kind of GPU say which driver and toolkit are
  /// the newest there.
  void delete_empty_rows() const {
    decisions_->execute(
        "DELETE FROM forgotten WHERE NOT EXISTS (SELECT 1 FROM run JOIN decision AS d USING (run_id) "
        "WHERE run.task_id = forgotten.task_id AND d.decision_id <= forgotten.decision_id) "
        "AND NOT EXISTS (SELECT 1 FROM run JOIN trial AS t USING (run_id) "
        "WHERE run.task_id = forgotten.task_id AND t.trial_id <= forgotten.trial_id) "
        "AND NOT EXISTS (SELECT 1 FROM quarantine AS q "
        "WHERE q.task_id = forgotten.task_id AND q.quarantine_id <= forgotten.quarantine_id)");
    decisions_->execute(
        "DELETE FROM run WHERE NOT EXISTS (SELECT 1 FROM trial WHERE trial.run_id = run.run_id) "
        "AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.run_id = run.run_id) AND run_id NOT IN "
        "(SELECT max(r.run_id) FROM run AS r JOIN task USING (task_id) WHERE r.toolkit <> '' GROUP BY device UNION ALL "
        "SELECT max(r.run_id) FROM run AS r JOIN task USING (task_id) WHERE r.driver <> '' GROUP BY device)");
    decisions_->execute(
        "DELETE FROM task WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.task_id = task.task_id) "
        "AND NOT EXISTS (SELECT 1 FROM quarantine WHERE quarantine.task_id = task.task_id) "
        "AND NOT EXISTS (SELECT 1 FROM forgotten WHERE forgotten.task_id = task.task_id)");
  }

  std::set<std::string> binaries_that_are_named() const {
    std::set<std::string> named;
    const auto add = [&](const char* sql, const std::unordered_set<std::int64_t>& doomed) {
      Statement select(*decisions_, sql);
      while (select.step()) {
        if (!doomed.contains(select.integer(0))) named.insert(select.text(1));
      }
    };
    add("SELECT decision_id, binary_hash FROM decision", doomed_.decisions);
    add("SELECT trial_id, binary_hash FROM trial", doomed_.trials);
    return named;
  }

  void prune_binaries() {
    std::vector<std::int64_t> needless;
    Statement all(*binaries_,
                  "SELECT binary_id, hash, byte_count + (SELECT ifnull(sum(build.byte_count), 0) FROM build WHERE "
                  "build.binary_id = binary.binary_id) FROM binary ORDER BY binary_id");
    while (all.step()) {
      if (needed_binaries_.contains(all.text(1))) continue;
      needless.push_back(all.integer(0));
      count(kBinaries, 1, all.integer(2));
    }
    if (dry_run_) return;
    Statement erase(*binaries_, "DELETE FROM binary WHERE binary_id = ?1");
    for (const std::int64_t number : needless) erase.bind(number).run();
  }

  /// Gives the room of deleted rows back. Where that cannot be done, later rows use it.
  void make_smaller(const Connection& connection, bool has_changed) {
    if (!has_changed) return;
    PrunedFile& file = pruned_.files.emplace_back();
    file.path = connection.path();
    file.bytes_before = fs::file_size(file.path);
    try {
      // The rows are written anew to a file of SQLite's own in TMPDIR, and the old pages to the journal.
      const std::uintmax_t free = fs::space(file.path.parent_path()).available;
      if (free < 2 * file.bytes_before) {
        fail(Errc::store_unavailable, "{} bytes are free on its disk, and twice its size is needed: free some.", free);
      }
      connection.vacuum();
    } catch (const Error& error) {
      file.why_not_smaller = fmt::format(
          "{} Its rows also need room in the folder for temporary files, which TMPDIR names.", error.what());
    }
    file.bytes_after = fs::file_size(file.path);
  }

  const Location location_;
  const bool dry_run_;
  const std::unique_ptr<Connection> decisions_;
  std::unique_ptr<Connection> binaries_;  ///< null where there are none
  Doomed doomed_;
  std::set<std::string> needed_binaries_;
  Pruned pruned_;
};

}  // namespace

bool Pruned::nothing() const {
  return std::all_of(kinds.begin(), kinds.end(), [](const PrunedRows& rows) { return rows.rows == 0; });
}

Pruned prune(const Location& location, bool dry_run) {
  return Pruning(location, dry_run).run();
}

}  // namespace tuner::cache
