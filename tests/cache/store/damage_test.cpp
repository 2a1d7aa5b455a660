#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "cache/schema/set_aside.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/memory_store.hpp"
#include "tests/cache/support.hpp"
#include "tests/support/length.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

/// A database with enough rows that its tables have inner pages.
class Filled {
 public:
  Filled() {
    const auto store = open_store(path());
    store->record_trials(full_trials(400));
    store->record_decision(full_decision());
  }
  fs::path path() const { return folder_ / "decisions.db"; }
  const TemporaryFolder& folder() const { return folder_; }
  void damage(const std::function<void(std::string&)>& change) const {
    std::string bytes = read_bytes(path());
    change(bytes);
    write_bytes(path(), bytes);
  }
  /// Opens the database and reads all that is in it.
  void use() const {
    const auto store = open_store(path());
    store->find_trials(some_key());
    store->list_decisions({});
    store->record_decision(full_decision());
  }

 private:
  TemporaryFolder folder_;
};

void check_starts_afresh(const Filled& database) {
  const std::string damaged = read_bytes(database.path());
  const auto aside = set_aside_damaged(database.path());
  REQUIRE(aside);
  CHECK(contains(aside->string(), database.path().string() + ".corrupt-20"));
  CHECK(read_bytes(*aside) == damaged);
  CHECK_FALSE(fs::exists(database.path()));
  database.use();
  CHECK(open_store(database.path())->find_trials(some_key()).empty());
  CHECK_FALSE(set_aside_damaged(database.path()));
}

TEST_CASE("a database that is truncated or has a zeroed page or a random header is damaged, and can be set aside") {
  const Filled database;
  SUBCASE("truncated") {
    fs::resize_file(database.path(), fs::file_size(database.path()) / 2);
  }
  SUBCASE("a zeroed page") {
    database.damage([](std::string& bytes) { bytes.replace(12 * kPage, kPage, kPage, '\0'); });
    CHECK(open_store(database.path())->damage());
  }
  SUBCASE("a random header") {
    std::mt19937 random(1);
    database.damage([&](std::string& bytes) {
      for (std::size_t i = 0; i < 100; ++i) bytes[i] = static_cast<char>(random());
    });
  }
  check_error(Errc::store_damaged, {database.path().string(), "`tuner tune` that uses it renames it"},
              [&] { database.use(); });
  check_starts_afresh(database);
}

TEST_CASE("a text file is no database, and nothing happens to it") {
  const TemporaryFolder folder;
  write_bytes(folder / "notes.db", "Dear diary, ...");
  check_error(Errc::store_damaged, {"notes.db"}, [&] { open_store(folder / "notes.db"); });
  CHECK(read_bytes(folder / "notes.db") == "Dear diary, ...");
}

TEST_CASE("samples that are no numbers are damage") {
  const Filled database;
  sql(database.path(), "UPDATE trial SET samples_ns = '[\"fast\"]' WHERE sequence = 7");
  check_error(Errc::store_damaged, {"samples_ns"}, [&] { database.use(); });
}

TEST_CASE("rows that refer to nothing are found as damage") {
  const Filled database;
  CHECK_FALSE(open_store(database.path())->damage());
  sql(database.path(), "PRAGMA foreign_keys = OFF; UPDATE trial SET run_id = 99 WHERE sequence = 7");
  const auto damage = open_store(database.path())->damage();
  REQUIRE(damage);
  CHECK(contains(*damage, "trial"));
}

TEST_CASE("no flipped byte anywhere makes the store do anything but answer or throw an Error") {
  const Filled database;
  const std::string intact = read_bytes(database.path());
  std::mt19937 random(2);
  int noticed = 0;
  const std::size_t count = tuner::test::length(40, 150);
  for (std::size_t i = 0; i < count; ++i) {
    std::string bytes = intact;
    // Half of the flips hit the first pages, where the header and the schema are.
    const std::size_t range = i % 2 == 0 ? 2 * kPage : bytes.size();
    bytes[random() % range] ^= static_cast<char>(1 + random() % 255);
    write_bytes(database.path(), bytes);
    try {
      const auto store = open_store(database.path(), Access::read_only);
      store->find_trials(some_key());
      store->list_decisions({});
      noticed += store->damage() ? 1 : 0;
    } catch (const Error&) {
      ++noticed;
    }
  }
  CHECK(noticed > 0);
}

TEST_CASE("an empty file becomes a database") {
  const TemporaryFolder folder;
  write_bytes(folder / "decisions.db", "");
  CHECK_FALSE(set_aside_damaged(folder / "decisions.db"));
  check_error(Errc::store_unavailable, {"no database"},
              [&] { open_store(folder / "decisions.db", Access::read_only); });
  open_store(folder / "decisions.db")->record_decision(full_decision());
  CHECK(open_store(folder / "decisions.db")->find_decision(some_key()));
}

TEST_CASE("only what is damaged is set aside") {
  const Filled database;
  CHECK_FALSE(set_aside_damaged(database.path()));
  CHECK_FALSE(set_aside_damaged(database.folder() / "missing.db"));
  const auto theirs = database.folder() / "places.db";
  sql(theirs, "CREATE TABLE places (url TEXT)");
  error_of(Errc::store_unavailable, [&] { set_aside_damaged(theirs); });
  CHECK(fs::exists(theirs));
}

TEST_CASE("nothing of a damaged database stays behind for the fresh one to trip over") {
  const Filled database;
  database.damage([](std::string& bytes) { bytes.replace(0, 100, 100, 'x'); });
  for (const char* const suffix : {"-journal", "-wal", "-shm"}) write_bytes(database.path().string() + suffix, "old");
  REQUIRE(set_aside_damaged(database.path()));
  for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
    CHECK_FALSE(fs::exists(database.path().string() + suffix));
  }
}

TEST_CASE("of several processes that meet the damage one sets it aside and all go on") {
  const Filled database;
  fs::resize_file(database.path(), fs::file_size(database.path()) / 2);
  CHECK(in_child([&] {
          for (int i = 0; i < 3; ++i) {
            if (fork() == 0) break;
          }
          const auto use = [&] { open_store(database.path())->record_decision(full_decision()); };
          try {
            open_store(database.path())->find_trials(some_key());
          } catch (const Error&) {
            set_aside_damaged(database.path());
          }
          use();
          // The grandchildren are waited for by closing ranks: each leaves a mark.
          write_bytes(database.folder() / ("done-" + std::to_string(getpid())), "");
        }) == 0);
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (const auto& entry : fs::directory_iterator(database.folder().path())) {
      found += contains(entry.path().filename().string(), part) ? 1 : 0;
    }
    return found;
  };
  for (int i = 0; i < 30'000 && count("done-") < 4; ++i) usleep(10'000);
  CHECK(count("done-") == 4);
  CHECK(count(".corrupt-") == 1);
  CHECK(sql(database.path(), "SELECT count(*) FROM decision") == std::vector<std::string>{"4"});
}

TEST_CASE("folders are created for this user alone, and so is the file, whatever the umask") {
  for (const mode_t mask : {0, 022, 077}) {
    const TemporaryFolder folder;
    CHECK(in_child([&] {
            umask(mask);
            open_store(folder / "one/two/decisions.db");
          }) == 0);
    CHECK(mode_of(folder / "one") == 0700);
    CHECK(mode_of(folder / "one/two") == 0700);
    CHECK(mode_of(folder / "one/two/decisions.db") == 0600);
  }
}

TEST_CASE("what cannot be a database file is refused with the reason") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& why, Access access = Access::read_write) {
    check_error(Errc::store_unavailable, {why}, [&] { open_store(folder / name, access); });
  };
  write_bytes(folder / "file", "");
  fs::create_directory(folder / "folder.db");
  fs::create_symlink(folder / "elsewhere.db", folder / "link.db");
  REQUIRE(mkfifo((folder / "pipe.db").c_str(), 0600) == 0);
  refused("file/decisions.db", "TUNER_DB");
  refused("file/below/decisions.db", "cannot be created");
  refused("folder.db", "is not a file");
  refused("pipe.db", "is not a file");
  refused("link.db", "symbolic link");
  CHECK_FALSE(fs::exists(folder / "elsewhere.db"));
  refused("missing.db", "no database", Access::read_only);
  refused("missing/missing.db", "missing", Access::read_only);
  CHECK_FALSE(fs::exists(folder / "missing.db"));
}

TEST_CASE("a folder that is reached through a symbolic link is fine: homes often are") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "home");
  open_store(folder / "home/tuner/decisions.db")->record_decision(full_decision());
  CHECK(open_store(folder / "real/tuner/decisions.db")->find_decision(some_key()));
}

TEST_CASE("a path that looks like a URI or an option of SQLite is only a path") {
  const TemporaryFolder folder;
  for (const char* const name : {"file:x.db?mode=memory", ":memory:", "a%20b?c#d.db", "größe.db"}) {
    open_store(folder / name)->record_decision(full_decision());
    CHECK(fs::exists(folder / name));
    CHECK(open_store(folder / name)->find_decision(some_key()));
  }
}

TEST_CASE("a database that may not be written is refused for writing and read all the same") {
  const Filled database;
  hand_over(database.folder().path());
  hand_over(database.path());
  SUBCASE("a read-only file") {
    fs::permissions(database.path(), fs::perms::owner_read);
  }
  SUBCASE("a read-only folder") {
    fs::permissions(database.folder().path(), fs::perms::owner_read | fs::perms::owner_exec);
  }
  CHECK(in_unprivileged_child([&] {
          check_error(Errc::store_unavailable, {"is not writable", "TUNER_DB"}, [&] { open_store(database.path()); });
          const auto reader = open_store(database.path(), Access::read_only);
          if (reader->find_trials(some_key()).size() != 400) throw std::runtime_error("wrong trials");
        }) == 0);
  fs::permissions(database.folder().path(), fs::perms::owner_all);
}

TEST_CASE("a folder that may not be entered and a file that may not be read are told as that") {
  const Filled database;
  CHECK(in_unprivileged_child([&] {
          for (const Access access : {Access::read_write, Access::read_only}) {
            if (geteuid() != 65534) break;  // not started by root: the folder is this user's own
            check_error(Errc::store_unavailable, {"Permission denied"}, [&] { open_store(database.path(), access); });
          }
        }) == 0);
  hand_over(database.folder().path());
  hand_over(database.path());
  fs::permissions(database.path(), fs::perms::none);
  CHECK(in_unprivileged_child([&] {
          check_error(Errc::store_unavailable, {database.path().string()}, [&] { open_store(database.path()); });
        }) == 0);
}

TEST_CASE("a write beyond the quota is told, keeps what was there, and a store in memory can take over") {
  const Filled database;
  CHECK(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          const auto store = open_store(database.path());
          const rlim_t size = fs::file_size(database.path());
          const rlimit limit{size, size};
          setrlimit(RLIMIT_FSIZE, &limit);
          const std::vector<Trial> trials(400, full_trial());
          check_error(Errc::store_unavailable, {"quota"}, [&] { store->record_trials(trials); });
          MemoryStore memory;
          memory.record_trials(trials);
          if (store->find_trials(some_key()).size() != 400) throw std::runtime_error("wrong trials");
        }) == 0);
  CHECK_FALSE(open_store(database.path())->damage());
}

TEST_CASE("a database that another program switched to write-ahead logging is switched back") {
  const Filled database;
  sql(database.path(), "PRAGMA journal_mode = WAL");
  CHECK(open_store(database.path())->find_trials(some_key()).size() == 400);
  CHECK(sql(database.path(), "PRAGMA journal_mode") == std::vector<std::string>{"delete"});
}

void check_is_damage(const Filled& database) {
  for (const Access access : {Access::read_only, Access::read_write}) {
    const std::string message = error_of(Errc::store_damaged, [&] {
      const auto store = open_store(database.path(), access);
      store->list_decisions({});
      if (const auto damage = store->damage()) throw Error(Errc::store_damaged, *damage);
    });
    CHECK_FALSE(contains(message, "bug"));
  }
  check_starts_afresh(database);
}

TEST_CASE("an unknown schema format, an older format than it has, or a renamed column is damage, and no bug") {
  const Filled database;
  SUBCASE("byte 47 of the header") {
    database.damage([](std::string& bytes) { bytes[47] = 9; });
  }
  SUBCASE("format 1") {
    sql(database.path(), "PRAGMA user_version = 1");
  }
  SUBCASE("format 2") {
    sql(database.path(), "PRAGMA user_version = 2");
  }
  SUBCASE("format 3") {
    sql(database.path(), "PRAGMA user_version = 3");
  }
  SUBCASE("a renamed column") {
    sql(database.path(), "PRAGMA legacy_alter_table = ON; ALTER TABLE trial RENAME COLUMN launch TO start");
  }
  check_is_damage(database);
}

TEST_CASE("a header that says that nothing may write the file is damage, not a question of permissions") {
  const Filled database;
  database.damage([](std::string& bytes) { bytes[18] = 9; });
  error_of(Errc::store_damaged, [&] { open_store(database.path()); });
  check_starts_afresh(database);
}

TEST_CASE("a column that is computed is damage, and is not computed") {
  const Filled database;
  sql(database.path(),
      "DROP VIEW v_stale; DROP VIEW v_best; ALTER TABLE decision DROP COLUMN launch; ALTER TABLE decision ADD COLUMN "
      "launch TEXT AS (hex(zeroblob(2000000000))) VIRTUAL");
  const std::string message =
      error_of(Errc::store_damaged, [&] { open_store(database.path(), Access::read_only)->list_decisions({}); });
  CHECK_FALSE(contains(message, "bug"));
  const auto damage = open_store(database.path(), Access::read_only)->damage();
  REQUIRE(damage);
  CHECK(contains(*damage, "launch"));
  CHECK(set_aside_damaged(database.path()));
}

TEST_CASE("numbers of outcomes and origins that do not exist are damage, wherever they are read") {
  const auto check = [](const std::string& change, const std::function<void(SqliteStore&)>& read) {
    const Filled database;
    open_store(database.path())->record_quarantine(full_quarantined());
    sql(database.path(), "PRAGMA foreign_keys = OFF; INSERT INTO outcome VALUES (99, 'x'); " + change);
    for (const Access access : {Access::read_only, Access::read_write}) {
      const auto store = open_store(database.path(), access);
      check_error(Errc::store_damaged, {"99"}, [&] { read(*store); });
      CHECK(store->damage());
    }
    CHECK(set_aside_damaged(database.path()));
  };
  check("UPDATE trial SET outcome = 99 WHERE sequence = 7", [](SqliteStore& store) { store.find_trials(some_key()); });
  check("UPDATE quarantine SET outcome = 99", [](SqliteStore& store) { store.list_quarantine({}); });
  check("UPDATE quarantine SET outcome = 99", [](SqliteStore& store) { store.find_quarantine(some_key(), "580.159"); });
  check("UPDATE run SET origin = run_id + 990", [](SqliteStore& store) { store.find_trials(some_key()); });
  check("UPDATE run SET origin = run_id + 990", [](SqliteStore& store) { store.find_decision(some_key()); });
  check("UPDATE run SET origin = run_id + 990", [](SqliteStore& store) { store.find_decision(1); });
  check("UPDATE run SET origin = run_id + 990", [](SqliteStore& store) { store.list_decisions({}); });
  check("UPDATE run SET origin = run_id + 990", [](SqliteStore& store) { store.list_sites(some_key()); });
}

TEST_CASE("dropped views and indexes are made again, and nothing is set aside for them") {
  const Filled database;
  const std::string schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
  const auto before = sql(database.path(), schema);
  sql(database.path(), "DROP VIEW v_best; DROP VIEW v_trials; DROP INDEX trial_by_run; DROP INDEX task_by_kernel");
  const auto reader = open_store(database.path(), Access::read_only);
  CHECK_FALSE(reader->damage());
  CHECK(reader->find_decision(some_key()));
  CHECK_FALSE(set_aside_damaged(database.path()));
  CHECK_FALSE(open_store(database.path())->damage());
  CHECK(sql(database.path(), schema) == before);
  CHECK(sql(database.path(), "SELECT count(*) FROM v_trials") == std::vector<std::string>{"400"});
}

TEST_CASE("what a user added to a database does no harm") {
  const Filled database;
  sql(database.path(),
      "CREATE TABLE notes (text TEXT); CREATE VIEW mine AS SELECT * FROM v_best; ALTER TABLE trial ADD "
      "COLUMN note TEXT");
  CHECK_FALSE(open_store(database.path())->damage());
  database.use();
  CHECK_FALSE(set_aside_damaged(database.path()));
}

TEST_CASE("a database that was deleted, renamed or replaced while it was open is told as that") {
  const Filled database;
  const auto store = open_store(database.path());
  const std::string other = database.path().string() + ".other";
  SUBCASE("deleted") {
    fs::remove(database.path());
  }
  SUBCASE("renamed") {
    fs::rename(database.path(), other);
  }
  SUBCASE("replaced") {
    fs::copy_file(database.path(), other);
    fs::rename(other, database.path());
  }
  const std::string message = check_error(Errc::store_unavailable, {"deleted, renamed or replaced"},
                                          [&] { store->record_decision(full_decision()); });
  CHECK_FALSE(contains(message, "writable for this user"));
}

TEST_CASE("whatever a byte of the header or the format says, a database is read, refused or set aside, never a bug") {
  const Filled database;
  const std::string intact = read_bytes(database.path());
  std::mt19937 random(3);
  const std::size_t count = tuner::test::length(50, 200);
  for (std::size_t i = 0; i < count; ++i) {
    std::string bytes = intact;
    bytes[i % 100] = static_cast<char>(random());
    write_bytes(database.path(), bytes);
    INFO("byte " << i % 100 << " is " << int(bytes[i % 100]));
    for (const Access access : {Access::read_only, Access::read_write}) {
      bool damaged = false;
      try {
        const auto store = open_store(database.path(), access);
        store->find_trials(some_key());
        store->list_decisions({});
        if (access == Access::read_write) store->record_decision(full_decision());
        damaged = store->damage().has_value();
      } catch (const Error& error) {
        CHECK_MESSAGE(error.code() != Errc::internal, error.what());
        damaged = error.code() == Errc::store_damaged;
      }
      if (access == Access::read_only || !damaged) continue;
      const auto aside = set_aside_damaged(database.path());
      CHECK(aside);
      if (aside) fs::remove(*aside);
      for (const char* const suffix : {"-journal", "-wal", "-shm"}) fs::remove(database.path().string() + suffix);
    }
  }
}

}  // namespace
}  // namespace tuner::cache::test
