// What programs start from, after whatever may happen to it: other programs, disks, deaths.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/store/served_support.hpp"
#include "tests/support/length.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("where nothing more can be stored, rows are as they were or not there") {
  Started database;
  const std::int64_t size = static_cast<std::int64_t>(fs::file_size(database.served()));
  CHECK(in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          const rlimit limit{static_cast<rlim_t>(size), static_cast<rlim_t>(size)};
          setrlimit(RLIMIT_FSIZE, &limit);
          bool failed = false;
          try {
            for (int i = 0; i < 7; ++i)
              record_served(database.path(), served_of(database.decision(), kPlace, "text " + std::to_string(i)),
                            std::chrono::seconds(1));
          } catch (const Error& error) {
            failed = error.code() == Errc::store_unavailable;
          }
          if (!failed) throw std::runtime_error("it was stored beyond the limit");
        }) == 0);
  check_found(database.find(), database.decision());
}

TEST_CASE("what a killed writer left half-written has no rows, until the next one clears it up") {
  Started database;
  CHECK(in_child([&] {
          const sqlite::Connection connection(database.served(), SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
          connection.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE served SET row = zeroblob(100000)");
          std::raise(SIGKILL);
        }) == 128 + SIGKILL);
  CHECK(fs::exists(database / "served.db-journal"));
  const std::string bytes = read_bytes(database.served());
  CHECK_FALSE(database.find());
  CHECK(read_bytes(database.served()) == bytes);
  database.store().record_served(served_of(database.decision(), "place1|rows=2"));
  check_found(database.find(), database.decision());
}

/// Damages a sound file in one of the ways of a disk, of another program, or of somebody who moves rows.
class Damage {
 public:
  explicit Damage(const Started& database) : path_(database.served()), sound_(read_bytes(path_)) {}
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
    const char* const columns[] = {"served_id", "source_id", "decision_id", "row"};
    const char* const values[] = {"17", "'text'", "x'00ff'", "zeroblob(100000)", "''", "1e300", "NULL"};
    const std::string column = columns[random_() % std::size(columns)];
    const std::string statements[] = {
        "UPDATE OR IGNORE served SET " + column + " = " + values[random_() % std::size(values)],
        // What belongs to another row, whole or in part.
        "UPDATE OR IGNORE served SET " + column + " = (SELECT " + column +
            " FROM served AS s WHERE s.served_id <> served.served_id ORDER BY s.row LIMIT 1)",
        "CREATE TEMP TABLE ids AS SELECT served_id AS id, row_number() OVER () AS n FROM served; "
        "UPDATE served SET served_id = -served_id; "
        "UPDATE served SET served_id = (SELECT id FROM temp.ids WHERE n = 1 + (SELECT n FROM temp.ids WHERE id = "
        "-served_id) % 4)",
        "DELETE FROM served WHERE decision_id = ''", "PRAGMA user_version = 9", "PRAGMA application_id = 7",
        "ALTER TABLE served DROP COLUMN decision_id", "ALTER TABLE served RENAME TO rows"};
    const std::string statement = statements[random_() % std::size(statements)];
    write_bytes(path_, sound_);
    try {
      const sqlite::Connection other(path_, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
      other.execute("PRAGMA synchronous = OFF; " + statement);
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
  const auto find = [&] {
    try {
      return database.find();
    } catch (const Error&) {
      return std::optional<Served>();
    }
  };
  for (int i = 0; i < 5000; ++i) {
    const std::string damaged = damage.once();
    INFO(damaged);
    try {
      const auto outline = database.outline();
      if (outline) CHECK(*outline == "outline of source1|text=abc");
      if (const auto row = database.find()) {
        check_found(row, database.decision());
        ++found;
      }
    } catch (const Error& error) {
      CHECK(error.code() == Errc::store_damaged);
      CHECK(contains(error.what(), "served.db"));
      ++refused;
    }
    if (i % 50 != 0) continue;
    database.store().record_decision(measured_decision());
    CHECK_FALSE(find());
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
        const std::int64_t row = store->record_decision(measured_decision());
        store->record_served(served_of(row));
      }
    } catch (const Error&) {
      // Locked for too long, beside fifteen others.
    }
  }
}

TEST_CASE("whoever of many writers is killed, what is started from is the newest decision") {
  const Started database;
  const pid_t parent = getpid();
  std::vector<pid_t> writers;
  const auto start = [&](unsigned seed) {
    return start_child([&, seed] {
      // Nobody else would end them where this test is aborted.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) return;
      write_without_end(database.path(), seed);
    });
  };
  const std::size_t many = tuner::test::length(4, 16);
  for (unsigned i = 0; i < many; ++i) writers.push_back(start(i));
  std::mt19937 random(7);
  const std::size_t rounds = tuner::test::length(40, 150);
  int hits = 0;
  for (unsigned i = 0; i < rounds || hits < 5; ++i) {
    if (i % 4 == 0) {
      pid_t& victim = writers[random() % writers.size()];
      kill(victim, SIGKILL);
      status_of(victim);
      victim = start(100 + i);
    }
    try {
      const sqlite::Connection decisions(database.path(), SQLITE_OPEN_READWRITE, std::chrono::seconds(5));
      const auto newest = decisions.integer("SELECT max(decision_id) FROM decision");
      const auto forgotten = decisions.integer("SELECT ifnull(max(decision_id), 0) FROM forgotten");
      // What is found now is at least as new as what was committed before.
      if (const auto found = database.find()) {
        check_found(found, row_of(*found));
        CHECK(row_of(*found) >= newest);
        CHECK(row_of(*found) > forgotten);
        ++hits;
      }
    } catch (const Error&) {
      // Locked for too long, or half-written.
    }
  }
  for (const pid_t writer : writers) {
    kill(writer, SIGKILL);
    status_of(writer);
  }
  const auto decision = open_store(database.path())->find_decision(some_key());
  if (const auto served = database.find()) CHECK(decision->row == row_of(*served));
}

}  // namespace
}  // namespace tuner::cache::test
