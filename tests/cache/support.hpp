#pragma once

#include <doctest/doctest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cache/store/database.hpp"
#include "cache/store/memory_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tuner::cache::test {

using tuner::test::contains;
using tuner::test::error_of;
using tuner::test::read_bytes;
using tuner::test::TemporaryFolder;
using tuner::test::write_bytes;

constexpr std::size_t kPage = 4096;  ///< bytes of a page of a new database

DecisionKey some_key();
DecisionKey key_of_problem(const std::string& problem);
/// A trial with every field set to a value of its own.
Trial full_trial();
/// So many of them, with the sequence 0, 1, ..
std::vector<Trial> full_trials(std::size_t count);
/// A trial of which nothing but what every trial has is known.
Trial bare_trial();
Decision full_decision(const std::string& configuration = "BLOCKDIMX=512,STRATEGY=unrolled");
Decision bare_decision();
Quarantined full_quarantined();

/// Every field of the description, "time_ns = 12.5".
std::vector<std::string> field_texts(const Trial& trial);
std::vector<std::string> field_texts(const Decision& decision);
void check_same(const std::vector<Trial>& found, const std::vector<Trial>& expected);
void check_same(const std::optional<Decision>& found, const Decision& expected);
void check_same(const Quarantined& found, const Quarantined& expected);

std::unique_ptr<SqliteStore> open_store(const std::filesystem::path& path, Access access = Access::read_write);

/// The same as error_of, after checking that the message contains `parts`.
std::string check_error(Errc code, const std::vector<std::string>& parts, const std::function<void()>& action);

/// Runs `action` in a child process and returns its exit status: 0 if it returned, 1 if it threw (the message goes to
/// stderr), 128 + the signal that ended it.
int in_child(const std::function<void()>& action);
/// The same in two steps.
pid_t start_child(const std::function<void()>& action);
int status_of(pid_t child);
/// The same as a user who may not do everything: as nobody if this process is root's.
int in_unprivileged_child(const std::function<void()>& action);
/// Lets the unprivileged child into a folder.
void hand_over(const std::filesystem::path& path);

/// Runs SQL on a database file, as a user of sqlite3 would, and returns the rows: columns joined by "|".
std::vector<std::string> sql(const std::filesystem::path& path, const std::string& statements);

/// The rights of a file, as chmod takes them.
mode_t mode_of(const std::filesystem::path& path);

/// The places where rows can be kept, for tests of what holds for both.
class InMemory {
 public:
  Store& store() { return store_; }
  Database& database() { return store_; }

 private:
  MemoryStore store_;
};

class InSqlite {
 public:
  SqliteStore& store() { return *store_; }
  Database& database() { return *store_; }
  std::filesystem::path path() const { return folder_ / "decisions.db"; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_ = open_store(path());
};

}  // namespace tuner::cache::test
