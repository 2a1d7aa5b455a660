#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cache/file/access.hpp"
#include "cache/store/database.hpp"

namespace tuner::cache {

namespace sqlite {
class Connection;
}

struct SqliteStoreOptions {
  std::filesystem::path path;  ///< created if it is missing, with its folders, unless `access` is read_only
  Access access = Access::read_write;
  /// How long a call waits for other processes. A writer waits up to three times as long, since it starts again; the
  /// time of a lock is that of a commit, some milliseconds. Lower it where a caller would rather have no answer than
  /// wait.
  std::chrono::milliseconds busy_timeout{5000};
};

/// Trials and decisions in an SQLite file (docs/database.md). Several processes may use one file at the same moment;
/// any of them may be killed at any moment. An instance is used from one thread at a time and never carried over a
/// fork.
class SqliteStore final : public Database {
 public:
  /// Throws Error: store_unavailable (missing and read_only, permissions, disk, lock, another program's file),
  /// store_damaged (see set_aside_damaged) or store_newer, each naming the file and the next step.
  static std::unique_ptr<SqliteStore> open(const SqliteStoreOptions& options);
  ~SqliteStore() override;

  void record_trials(std::span<const Trial> trials) override;
  std::int64_t record_decision(const Decision& decision) override;
  void record_served(const Served& served) override;
  void record_texts(std::int64_t decision, std::span<const DecisionText> texts) override;
  std::vector<DecisionText> find_texts(std::int64_t decision) const override;
  std::optional<std::string> find_sizes(const DecisionKey& key, std::string_view name) const override;
  std::optional<Decision> find_decision(const DecisionKey& key) const override;
  std::optional<Decision> find_decision(std::int64_t row) const override;
  std::vector<Site> list_sites(const DecisionKey& key) const override;
  std::vector<Decision> list_decisions(const Filter& filter) const override;
  std::vector<Trial> find_trials(const DecisionKey& key) const override;
  std::vector<Trial> find_reusable(const Run& run) const override;
  void record_quarantine(const Quarantined& quarantined) override;
  std::vector<Quarantined> find_quarantine(const DecisionKey& key, const std::string& driver) const override;
  std::vector<Quarantined> list_quarantine(const Filter& filter) const override;
  std::vector<DecisionKey> list_keys(const Filter& filter) const override;
  std::vector<Forgotten> forget_each(const std::vector<Filter>& filters, Forget what) override;

  /// Reads the whole file and looks for damage: nothing, or what was found first.
  std::optional<std::string> damage() const;

 private:
  explicit SqliteStore(SqliteStoreOptions options);
  const sqlite::Connection& connection() const;
  /// Lets go of a file in whose place there is another one, that is, or was, half-written, or that changed since it was
  /// copied.
  void renew() const;
  /// What `work` finds by SQL in one state of the database.
  template <class Work>
  auto read(const Work& work) const;

  SqliteStoreOptions options_;
  mutable std::unique_ptr<sqlite::Connection> connection_;  ///< null while there is none
};

}  // namespace tuner::cache
