#include "cache/sqlite/sqlite.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cache/records/samples.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

using sqlite::Transaction;

/// A file with a table t (x).
class Scratch {
 public:
  explicit Scratch(const std::string& x = "x") { open().execute("CREATE TABLE t (" + x + ")"); }
  sqlite::Connection open() const {
    return {folder_ / "scratch.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, std::chrono::milliseconds(50)};
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a transaction that is not committed is rolled back") {
  const Scratch scratch;
  const sqlite::Connection connection = scratch.open();
  {
    const Transaction transaction(connection, Transaction::Kind::write);
    connection.execute("INSERT INTO t VALUES (1)");
  }
  CHECK(connection.integer("SELECT count(*) FROM t") == 0);
  {
    Transaction transaction(connection, Transaction::Kind::write);
    connection.execute("INSERT INTO t VALUES (1)");
    transaction.commit();
  }
  CHECK(connection.integer("SELECT count(*) FROM t") == 1);
}

TEST_CASE("a write that meets another one's lock gives up after a while, and says that it was locked") {
  const Scratch scratch;
  const sqlite::Connection first = scratch.open();
  const sqlite::Connection second = scratch.open();
  const Transaction transaction(first, Transaction::Kind::write);
  int attempts = 0;
  check_error(Errc::store_unavailable, {"locked by another process", second.path().string()},
              [&] { sqlite::write(second, [&] { ++attempts; }); });
  CHECK(attempts == 0);
}

TEST_CASE("a copy of a file that is locked is an error, never an empty copy") {
  const Scratch scratch;
  const sqlite::Connection writer = scratch.open();
  const sqlite::Connection reader = scratch.open();
  writer.execute("BEGIN EXCLUSIVE");
  const std::string message =
      check_error(Errc::store_unavailable, {"locked by another process", reader.path().string()},
                  [&] { sqlite::Connection::copy_in_memory(reader); });
  CHECK_FALSE(contains(message, "not an error"));
  writer.execute("COMMIT");
  CHECK(sqlite::Connection::copy_in_memory(reader)->integer("SELECT count(*) FROM t") == 0);
}

TEST_CASE("a write starts again as a whole when a lock ends it half-way") {
  const Scratch scratch;
  const sqlite::Connection connection = scratch.open();
  int attempts = 0;
  sqlite::write(connection, [&] {
    connection.execute("INSERT INTO t VALUES (1)");
    if (++attempts < sqlite::kWriteAttempts) connection.check(SQLITE_BUSY, "a lock");
  });
  CHECK(attempts == sqlite::kWriteAttempts);
  CHECK(connection.integer("SELECT count(*) FROM t") == 1);
}

TEST_CASE("a write does not start again after an error that would come again") {
  const Scratch scratch("x UNIQUE");
  const sqlite::Connection connection = scratch.open();
  int attempts = 0;
  check_error(Errc::store_damaged, {"INSERT INTO t"}, [&] {
    sqlite::write(connection, [&] {
      ++attempts;
      connection.execute("INSERT INTO t VALUES (1), (1)");
    });
  });
  CHECK(attempts == 1);
  CHECK(connection.integer("SELECT count(*) FROM t") == 0);
}

TEST_CASE("a full disk is told as what it is, and nothing is kept of the transaction") {
  const Scratch scratch;
  const sqlite::Connection connection = scratch.open();
  connection.execute("PRAGMA max_page_count = 20");  // to SQLite the same as a disk without room
  check_error(Errc::store_unavailable, {"no space on the disk", connection.path().string()}, [&] {
    sqlite::write(connection, [&] {
      for (int i = 0; i < 100; ++i) connection.execute("INSERT INTO t VALUES (zeroblob(4000))");
    });
  });
  CHECK(connection.integer("SELECT count(*) FROM t") == 0);
}

TEST_CASE("a statement that failed can be used again and holds no lock") {
  const Scratch scratch("x INTEGER PRIMARY KEY");
  const sqlite::Connection connection = scratch.open();
  sqlite::Statement insert(connection, "INSERT INTO t VALUES (?1)");
  insert.bind(1).run();
  error_of(Errc::store_damaged, [&] { insert.bind(1).run(); });
  insert.bind(2).run();
  CHECK(scratch.open().integer("SELECT count(*) FROM t") == 2);
}

TEST_CASE("where TMPDIR was full, sorting many rows was said to find no space on the database's disk") {
  const TemporaryFolder folder;
  const auto database = open_database(folder / "decisions.db", Access::read_write, std::chrono::seconds(5),
                                      Durability::precious, decisions_format());
  const std::string sorted =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT count(*) FROM "
      "(SELECT DISTINCT hex(randomblob(200)) AS x FROM n ORDER BY x)";
  CHECK(in_child([&] {
          signal(SIGXFSZ, SIG_IGN);
          const rlimit no_file{4096, 4096};
          setrlimit(RLIMIT_FSIZE, &no_file);
          if (database->integer(sorted) != 30000) _exit(1);
        }) == 0);
}

TEST_CASE("lists of numbers are written so that every bit comes back") {
  const std::vector<double> values{0, -0.0, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789012345680.0};
  CHECK(doubles_from_json(to_json(values)) == values);
  CHECK(to_json({}) == "[]");
  CHECK(to_json(std::vector<double>{1021.5, 998}) == "[1021.5,998]");
  CHECK(doubles_from_json("[]") == std::vector<double>{});
}

TEST_CASE("a list of numbers that is none is not read") {
  for (const char* const text : {"", "[", "]", "1", "[1", "1]", "[1,]", "[,1]", "[1 2]", "[1, 2]", "[1,,2]", "[nan]",
                                 "[inf]", "[1e999]", "[\"1\"]", "[[1]]", "[1];", "{}", "null"}) {
    INFO(text);
    CHECK_FALSE(doubles_from_json(text));
  }
}

}  // namespace
}  // namespace tuner::cache::test
