// The rows from which programs start: found only where they are what the newest decision says, and sound.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "cache/exchange/exchange.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/schema.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = "source1|text=abc";
constexpr const char* kPlace = "place1|rows=528";

Served served_of(std::int64_t decision, const std::string& place = kPlace, const std::string& source = kSource) {
  Served served{source, "outline of " + source, place, decision, "launch in " + place, {}};
  for (int i = 0; i < 3000; ++i) served.binary.push_back(static_cast<std::byte>(place[i % place.size()] + i / 100));
  return served;
}

void check_same(const Served& a, const Served& b) {
  CHECK(a.source == b.source);
  CHECK(a.outline == b.outline);
  CHECK(a.place == b.place);
  CHECK(a.decision == b.decision);
  CHECK(a.launch == b.launch);
  CHECK(a.binary == b.binary);
}

Decision measured() {
  Decision decision = full_decision();
  decision.origin = Origin::measured;
  return decision;
}

Decision other_decision(const std::string& problem) {
  Decision decision = measured();
  decision.key.problem = problem;
  return decision;
}

/// A database with a decision and its row.
class Started {
 public:
  Started() {
    decision_ = store().record_decision(measured());
    store().record_served(served_of(decision_));
  }
  SqliteStore& store() { return *store_; }
  fs::path path() const { return folder_ / "decisions.db"; }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  std::int64_t decision() const { return decision_; }
  /// A program that starts.
  std::optional<Served> find(const std::string& place = kPlace, const std::string& source = kSource) const {
    return open_store(path(), Access::read_only)->find_served(source, place);
  }
  std::string rows() const { return sql(path(), "SELECT count(*) FROM served").at(0); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_ = open_store(folder_ / "decisions.db");
  std::int64_t decision_ = 0;
};

TEST_CASE("a row is found by its source and its place, and a source by itself") {
  const Started database;
  const auto found = database.find();
  REQUIRE(found);
  check_same(*found, served_of(database.decision()));
  CHECK_FALSE(database.find("place1|rows=529"));
  CHECK_FALSE(database.find(kPlace, "source1|text=abd"));
  const auto store = open_store(database.path(), Access::read_only);
  CHECK(store->find_outline(kSource) == "outline of source1|text=abc");
  CHECK_FALSE(store->find_outline("source1|text=abd"));
}

TEST_CASE("a row goes with whatever changes what is served") {
  Started database;
  const std::vector<std::pair<std::string, std::function<void()>>> changes{
      {"a decision", [&] { database.store().record_decision(measured()); }},
      {"forgetting everything", [&] { database.store().forget({}, Forget::everything); }},
      {"forgetting decisions of the kernel",
       [&] { database.store().forget({.kernel_name = some_key().kernel_name}, Forget::decisions); }},
      {"a quarantine", [&] { database.store().record_quarantine(full_quarantined()); }}};
  for (const auto& [name, change] : changes) {
    INFO(name);
    const std::int64_t row = database.store().record_decision(measured());
    database.store().record_served(served_of(row));
    CHECK(database.find());
    change();
    CHECK_FALSE(database.find());
    CHECK(database.rows() == "0");
  }
}

TEST_CASE("a row stays where something else changes") {
  Started database;
  database.store().record_decision(other_decision("rows=1"));
  database.store().forget({}, Forget::trials);
  database.store().forget({}, Forget::quarantine);
  database.store().forget({.kernel_name = "another"}, Forget::everything);
  database.store().record_trials(std::vector<Trial>{full_trial()});
  CHECK(database.find());
}

TEST_CASE("a row is written for the decision that is served, and for no other") {
  Started database;
  const std::int64_t newer = database.store().record_decision(measured());
  database.store().record_served(served_of(database.decision()));
  CHECK_FALSE(database.find());
  database.store().record_served(served_of(newer + 1));
  CHECK_FALSE(database.find());
  database.store().record_served(served_of(newer));
  CHECK(database.find());
  database.store().forget({}, Forget::decisions);
  database.store().record_served(served_of(newer));
  CHECK_FALSE(database.find());
  Decision replayed = measured();
  replayed.origin = Origin::replay;
  database.store().record_served(served_of(database.store().record_decision(replayed)));
  CHECK_FALSE(database.find());
}

TEST_CASE("a decision keeps rows of the last eight texts, and what no row is left of is no source any more") {
  Started database;
  for (int i = 0; i < 10; ++i) {
    database.store().record_served(served_of(database.decision(), kPlace, "text " + std::to_string(i)));
  }
  CHECK(database.rows() == "8");
  CHECK_FALSE(database.find(kPlace, "text 1"));
  CHECK(database.find(kPlace, "text 2"));
  CHECK(sql(database.path(), "SELECT count(*) FROM source") == std::vector<std::string>{"8"});
}

TEST_CASE("nothing is started from a file that others could have changed") {
  const Started database;
  CHECK(chmod(database.path().c_str(), 0666) == 0);
  CHECK_FALSE(database.find());
  CHECK_FALSE(open_store(database.path(), Access::read_only)->find_outline(kSource));
  CHECK(open_store(database.path(), Access::read_only)->find_decision(some_key()));
  CHECK(chmod(database.path().c_str(), 0600) == 0);
  CHECK(database.find());
}

TEST_CASE("a file of the format before has no rows, and is read as it is") {
  const TemporaryFolder folder;
  const fs::path path = folder / "decisions.db";
  Format before = decisions_format();
  before.steps = before.steps.first(3);
  open_database(path, Access::read_write, std::chrono::seconds(1), Durability::precious, before);
  const std::string bytes = read_bytes(path);
  const auto store = open_store(path, Access::read_only);
  CHECK_FALSE(store->find_outline(kSource));
  CHECK_FALSE(store->find_served(kSource, kPlace));
  CHECK_FALSE(store->find_decision(some_key()));
  CHECK(read_bytes(path) == bytes);
}

TEST_CASE("rows are exported with binaries, for the decision's new number, and never imported") {
  Started database;
  const std::int64_t newer = database.store().record_decision(measured());
  database.store().record_served(served_of(newer));
  const auto exported = [&](bool with_served) {
    export_decisions(
        {.from = database.path(), .to = database / "out.db", .overwrite = true, .with_served = with_served});
    return open_store(database / "out.db", Access::read_only)->find_served(kSource, kPlace);
  };
  CHECK_FALSE(exported(false));
  const auto found = exported(true);
  REQUIRE(found);
  check_same(*found, served_of(1));
  import_decisions(database / "here.db", database / "out.db");
  const auto here = open_store(database / "here.db", Access::read_only);
  CHECK(here->find_decision(some_key()));
  CHECK_FALSE(here->find_served(kSource, kPlace));
  CHECK(sql(database / "here.db", "SELECT count(*) FROM source") == std::vector<std::string>{"0"});
  CHECK(chmod(database.path().c_str(), 0666) == 0);
  CHECK_FALSE(exported(true));
}

TEST_CASE("where nothing more can be stored, the decision is as it was") {
  const Started database;
  const std::int64_t size = static_cast<std::int64_t>(fs::file_size(database.path()));
  CHECK(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          const rlimit limit{static_cast<rlim_t>(size), static_cast<rlim_t>(size)};
          setrlimit(RLIMIT_FSIZE, &limit);
          const auto store = open_store(database.path());
          bool failed = false;
          try {
            for (int i = 0; i < 8; ++i)
              store->record_served(served_of(database.decision(), kPlace, "text " + std::to_string(i)));
          } catch (const Error& error) {
            failed = error.code() == Errc::store_unavailable;
          }
          if (!failed) throw std::runtime_error("it was stored beyond the limit");
        }) == 0);
  const auto found = database.find();
  REQUIRE(found);
  check_same(*found, served_of(database.decision()));
  CHECK(open_store(database.path(), Access::read_only)->find_decision(some_key()));
}

/// Damages a sound file in one of the ways of a disk, of another program, or of somebody who moves rows.
class Damage {
 public:
  explicit Damage(const Started& database) : path_(database.path()), sound_(read_bytes(path_)) {}
  const std::string& sound() const { return sound_; }

  std::string once() {
    if (random_() % 3 == 0) return of_a_row();
    std::string bytes = sound_;
    const std::size_t at = random_() % bytes.size();
    const bool cut = random_() % 5 == 0;
    if (cut) bytes.resize(at);
    for (std::size_t i = 0; !cut && i <= random_() % 3; ++i) flip(bytes[random_() % bytes.size()]);
    write_bytes(path_, bytes);
    return (cut ? "cut at " : "flipped near ") + std::to_string(at);
  }

 private:
  void flip(char& byte) { byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << random_() % 8)); }
  std::string of_a_row() {
    const char* const columns[] = {"source_id", "place", "decision_id", "launch", "checksum", "binary"};
    const char* const values[] = {"17", "'text'", "x'00ff'", "zeroblob(100000)", "''", "1e300", "NULL"};
    const std::string column = columns[random_() % std::size(columns)];
    const std::string statements[] = {
        "UPDATE served SET " + column + " = " + values[random_() % std::size(values)],
        // What belongs to another row, whole or in part.
        "UPDATE served SET " + column + " = (SELECT " + column + " FROM served AS s WHERE s.served_id <> " +
            "served.served_id LIMIT 1)",
        "UPDATE served SET place = place || 'x'; UPDATE served SET place = '" + std::string(kPlace) +
            "' WHERE served_id = 2",
        "UPDATE source SET outline = outline || ' '", "UPDATE source SET key_text = 'x'", "DELETE FROM source",
        "UPDATE source SET checksum = (SELECT checksum FROM served LIMIT 1)",
        "UPDATE served SET source_id = 3 - source_id", "PRAGMA user_version = 3", "PRAGMA user_version = 9"};
    const std::string statement = statements[random_() % std::size(statements)];
    write_bytes(path_, sound_);
    try {
      const sqlite::Connection other(path_, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
      other.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; " + statement);
    } catch (const Error&) {
      // A rule of the table forbids it.
    }
    return statement;
  }

  fs::path path_;
  std::string sound_;
  std::mt19937 random_{5};
};

TEST_CASE("whatever became of the file, what is found is the row or nothing, and the reason is one sentence") {
  Started database;
  const std::int64_t second = database.store().record_decision(other_decision("rows=2"));
  database.store().record_served(served_of(second, "place1|rows=2", "source1|text=def"));
  Damage damage(database);
  int found = 0, refused = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string damaged = damage.once();
    INFO(damaged);
    try {
      const auto store = open_store(database.path(), Access::read_only);
      const auto outline = store->find_outline(kSource);
      if (outline) CHECK(*outline == "outline of source1|text=abc");
      if (const auto row = store->find_served(kSource, kPlace)) {
        check_same(*row, served_of(database.decision()));
        ++found;
      }
    } catch (const Error& error) {
      CHECK(error.code() != Errc::internal);
      CHECK(contains(error.what(), "decisions.db"));
      ++refused;
    }
  }
  CHECK(found > 500);
  CHECK(refused > 500);
}

/// Decides, forgets and keeps rows without end. Each decision's row says which it is.
[[noreturn]] void write_without_end(const fs::path& path, unsigned seed) {
  std::mt19937 random(seed);
  for (;;) {
    try {
      const auto store = open_store(path);
      for (;;) {
        if (random() % 8 == 0) store->forget({}, Forget::decisions);
        const std::int64_t row = store->record_decision(measured());
        store->record_served(served_of(row));
      }
    } catch (const Error&) {
      // Locked for too long, beside fifteen others.
    }
  }
}

TEST_CASE("whoever of sixteen writers is killed, what is started from is the newest decision") {
  const Started database;
  std::vector<pid_t> writers;
  const auto start = [&](unsigned seed) {
    const pid_t child = fork();
    if (child == 0) write_without_end(database.path(), seed);
    return child;
  };
  for (unsigned i = 0; i < 16; ++i) writers.push_back(start(i));
  std::mt19937 random(7);
  int hits = 0;
  for (unsigned i = 0; i < 150 || hits < 5; ++i) {
    if (i % 4 == 0) {
      pid_t& victim = writers[random() % writers.size()];
      kill(victim, SIGKILL);
      waitpid(victim, nullptr, 0);
      victim = start(100 + i);
    }
    try {
      // One state of the database.
      const sqlite::Connection connection(database.path(), SQLITE_OPEN_READWRITE, std::chrono::seconds(5));
      sqlite::Statement rows(connection,
                             "SELECT served.decision_id, (SELECT max(decision_id) FROM decision), (SELECT "
                             "ifnull(max(decision_id), 0) FROM forgotten) FROM served");
      while (rows.step()) {
        CHECK(rows.integer(0) == rows.integer(1));
        CHECK(rows.integer(0) > rows.integer(2));
        ++hits;
      }
      const auto found = database.find();
      if (found) check_same(*found, served_of(found->decision));
    } catch (const Error&) {
      // Locked for too long.
    }
  }
  for (const pid_t writer : writers) {
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
  }
  const auto store = open_store(database.path());
  const auto served = store->find_served(kSource, kPlace);
  const auto decision = store->find_decision(some_key());
  if (served) CHECK(decision->row == served->decision);
}

}  // namespace
}  // namespace tuner::cache::test
