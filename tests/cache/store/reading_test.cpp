#include <unistd.h>

#include <csignal>

#include "cache/exchange/exchange.hpp"
#include "cache/schema/set_aside.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/examples.hpp"
#include "tests/cache/half_written.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

void read_everything(const fs::path& path, Access access = Access::read_only) {
  const auto store = open_store(path, access);
  const std::vector<Trial> trials = store->find_trials(some_key());
  REQUIRE(trials.size() == 200);
  for (std::size_t i = 0; i < trials.size(); ++i) CHECK(trials[i].sequence == static_cast<std::int64_t>(i));
  CHECK(store->find_decision(some_key()));
  CHECK(store->list_decisions({}).size() == 1);
  CHECK_FALSE(store->damage());
}

TEST_CASE("reading deleted a file of the reader that the journal beside a prepared database named") {
  const HalfWritten prepared;
  write_bytes(prepared / "thesis.txt", "three years of work");
  prepared.name_super_journal(prepared / "thesis.txt");
  const auto before = prepared.listing();
  const auto check_untouched = [&](const std::function<void()>& use) {
    check_error(Errc::store_unavailable, {prepared.path().string()}, use);
    CHECK(prepared.listing() == before);
  };
  check_untouched([&] { open_store(prepared.path(), Access::read_only); });
  const TemporaryFolder own;
  check_untouched([&] { import_decisions(own / "decisions.db", prepared.path()); });
  check_untouched([&] { require_importable(own / "decisions.db", prepared.path()); });
  check_untouched([&] { export_decisions({.from = prepared.path(), .to = own / "exported.db"}); });
  // Who writes clears up, but touches no file besides the database and its journal.
  check_untouched([&] { open_store(prepared.path()); });
  check_untouched([&] { set_aside_damaged(prepared.path()); });
}

TEST_CASE("reading a half-written database shows what was there before, and changes no file") {
  const HalfWritten database;
  const auto before = database.listing();
  read_everything(database.path());
  CHECK(database.listing() == before);
  read_everything(database.path(), Access::read_write);  // who writes rolls it back
  CHECK_FALSE(fs::exists(database.journal()));
  read_everything(database.path());
}

TEST_CASE("a reader that may not write finds what was there before a killed process began to write") {
  const HalfWritten database;
  for (const fs::path& path : {database / "", database / "db", database.path(), database.journal()}) hand_over(path);
  fs::permissions(database.path(), fs::perms::owner_read);
  CHECK(in_unprivileged_child([&] {
          if (open_store(database.path(), Access::read_only)->find_trials(some_key()).size() != 200) {
            throw std::runtime_error("wrong trials");
          }
        }) == 0);
}

TEST_CASE("a reader goes on where a database is half-written, and where that was cleared up") {
  const HalfWritten database;
  const auto reader = open_store(database.path(), Access::read_only);
  CHECK(reader->find_decision(some_key())->configuration == full_decision().configuration);
  open_store(database.path())->record_decision(full_decision("newer"));
  CHECK(reader->find_decision(some_key())->configuration == "newer");
  CHECK(reader->list_decisions({}).at(0).configuration == "newer");
}

TEST_CASE("a journal that is cut off anywhere is read as SQLite reads it") {
  const HalfWritten database;
  const std::string half = read_bytes(database.path());
  const std::string journal = read_bytes(database.journal());
  const auto answer_of = [](const fs::path& path, Access access) -> std::string {
    try {
      const auto store = open_store(path, access);
      std::string answer = store->damage().has_value() ? "damaged" : "";
      for (const Trial& trial : store->find_trials(some_key())) answer += trial.message;
      return answer;
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.code()));
    }
  };
  for (std::size_t length = 0; length <= journal.size(); length += 1 + journal.size() / 40) {
    CAPTURE(length);
    write_bytes(database.path(), half);
    write_bytes(database.journal(), journal.substr(0, length));
    const std::string read = answer_of(database.path(), Access::read_only);
    CHECK(read == answer_of(database.path(), Access::read_write));
  }
}

TEST_CASE("import refuses a database beside a journal") {
  const HalfWritten database;
  const auto before = database.listing();
  const TemporaryFolder own;
  check_error(Errc::store_unavailable, {database.journal().string(), "nothing was imported"},
              [&] { import_decisions(own / "decisions.db", database.path()); });
  CHECK(database.listing() == before);
  CHECK_FALSE(fs::exists(own / "decisions.db"));
}

TEST_CASE("reading a database that another program switched to write-ahead logging creates no file beside it") {
  const TemporaryFolder folder;
  open_store(folder / "decisions.db")->record_decision(full_decision());
  sql(folder / "decisions.db", "PRAGMA journal_mode = WAL");
  const auto count = [&] { return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}); };
  REQUIRE(count() == 1);
  const auto store = open_store(folder / "decisions.db", Access::read_only);
  CHECK(store->list_decisions({}).size() == 1);
  CHECK(count() == 1);
}

TEST_CASE("a write-ahead log with rows in it is left to those who write, with a sentence") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision());
  REQUIRE(in_child([&] {
            sql(path, "PRAGMA journal_mode = WAL");
            sqlite3* handle = nullptr;
            sqlite3_open(path.c_str(), &handle);
            sqlite3_exec(handle, "UPDATE decision SET configuration = 'in the log'", nullptr, nullptr, nullptr);
            raise(SIGKILL);
          }) == 128 + SIGKILL);
  REQUIRE(fs::file_size(path.string() + "-wal") > 0);
  const std::string log = read_bytes(path.string() + "-wal");
  check_error(Errc::store_unavailable, {"decisions.db-wal"}, [&] { open_store(path, Access::read_only); });
  CHECK(read_bytes(path.string() + "-wal") == log);
  CHECK(open_store(path)->list_decisions({}).at(0).configuration == "in the log");
  CHECK(open_store(path, Access::read_only)->list_decisions({}).at(0).configuration == "in the log");
}

TEST_CASE("a view without end in the place of a table is damage, not an endless look") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision());
  sql(path,
      "PRAGMA legacy_alter_table = ON; ALTER TABLE forgotten RENAME TO was; CREATE VIEW forgotten AS WITH RECURSIVE "
      "n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS task_id, x AS decision_id FROM n");
  const auto store = open_store(path, Access::read_only);
  error_of(Errc::store_damaged, [&] { store->list_decisions({}); });
}

TEST_CASE("a trigger of the file deleted every trial when one decision was forgotten") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  const auto store = open_store(path);
  store->record_trials(std::vector{full_trial()});
  store->record_decision(full_decision());
  sql(path, "CREATE TRIGGER t AFTER INSERT ON forgotten BEGIN DELETE FROM trial; END");
  CHECK(store->forget({}, Forget::decisions).decisions == 1);
  CHECK(store->find_trials(full_trial().key).size() == 1);
}

TEST_CASE("a trigger without end kept every session that wrote to the file") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path);
  sql(path,
      "CREATE TRIGGER t AFTER INSERT ON trial BEGIN SELECT count(*) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL "
      "SELECT x + 1 FROM n) SELECT x FROM n); END");
  open_store(path)->record_trials(std::vector{full_trial()});
  CHECK(open_store(path)->find_trials(full_trial().key).size() == 1);
}

TEST_CASE("a view without end in the place of an older file's table is damage before anything reads it") {
  const TemporaryFolder folder;
  const auto path = old_file(folder, "decisions");
  sql(path,
      "PRAGMA legacy_alter_table = ON; ALTER TABLE decision RENAME TO real; CREATE VIEW Decision AS WITH RECURSIVE "
      "n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT real.* FROM n, real");
  for (const Access access : {Access::read_only, Access::read_write}) {
    check_error(Errc::store_damaged, {"table decision"}, [&] { open_store(path, access); });
  }
}

}  // namespace
}  // namespace tuner::cache::test
