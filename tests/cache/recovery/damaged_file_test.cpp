#include "cache/recovery/damaged_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include "cache/recovery/recover.hpp"
#include "tests/cache/half_written.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

std::string read_as_text(const fs::path& file) {
  const std::vector<std::byte> bytes = read_damaged_file(file).bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_CASE("recovering a half-written database lost rows that the journal held, and kept rows never committed") {
  const HalfWritten database;
  const auto before = database.listing();
  // As it is set aside, and met by a path of any kind.
  fs::create_directory(database / "aside");
  const fs::path aside = database / "aside/decisions.db.corrupt-1";
  fs::copy(database.path(), aside);
  fs::copy(database.journal(), aside.string() + "-journal");
  fs::create_symlink(aside, database / "link.db");
  for (const fs::path& from : {database.path(), aside, database / "link.db"}) {
    INFO(from);
    const DamagedFile damaged = read_damaged_file(from);
    CHECK(read_as_text(from) == database.sound());
    REQUIRE(damaged.warnings.size() == 1);
    CHECK(contains(damaged.warnings[0], "-journal is next to the database"));
    CHECK(contains(damaged.warnings[0], "as the journal records it"));
    fs::remove(database / "out.db");
    const Recovered recovered = recover(from, database / "out.db");
    CHECK(recovered.all());
    CHECK(recovered.warnings == damaged.warnings);
    CHECK(open_store(database / "out.db")->find_trials(some_key()).size() == 200);
    CHECK(sql(database / "out.db", "SELECT count(*) FROM trial WHERE sequence < 0").at(0) == "0");
    CHECK(sql(database / "out.db", "SELECT count(*) FROM decision").at(0) == "1");
  }
  for (const auto& [path, bytes] : before) CHECK(database.listing().at(path) == bytes);
}

TEST_CASE("a journal that is a link, names other files or says nothing is not undone, and the report says so") {
  const HalfWritten database;
  const std::string half = read_bytes(database.path());
  const std::string journal = read_bytes(database.journal());
  const auto check_unused = [&] {
    const DamagedFile damaged = read_damaged_file(database.path());
    CHECK(read_as_text(database.path()) == half);
    REQUIRE(damaged.warnings.size() == 1);
    CHECK(contains(damaged.warnings[0], "was not used"));
    fs::remove(database.journal());
  };
  database.name_super_journal(database / "thesis.txt");
  check_unused();
  write_bytes(database / "elsewhere", journal);
  fs::create_symlink(database / "elsewhere", database.journal());
  check_unused();
  fs::create_directory(database.journal());
  check_unused();
  // The number of pages in the header is all that this one has: SQLite had not begun to write the database.
  write_bytes(database.journal(), journal.substr(0, 512 + 100));
  check_unused();
  write_bytes(database.journal(), std::string(512, '\0') + journal.substr(512));
  CHECK(read_damaged_file(database.path()).warnings.empty());
  CHECK(read_as_text(database.path()) == half);
}

TEST_CASE("a file that fills no memory but its own address space is refused before it is read") {
  const TemporaryFolder folder;
  write_bytes(folder / "huge.db", "SQLite format 3");
  fs::resize_file(folder / "huge.db", 200ULL << 30);
  CHECK(in_child([&] {
          const rlimit limit{3ULL << 30, 3ULL << 30};
          if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
          check_error(Errc::store_unavailable, {"at most 1073741824", "head -c 1G"},
                      [&] { recover(folder / "huge.db", folder / "out.db"); });
        }) == 0);
  CHECK_FALSE(fs::exists(folder / "out.db"));
}

TEST_CASE("a database that is locked for too long is said to be written by another process") {
  const HalfWritten database;
  const UniqueHandle<int, close, -1> writer(open(database.path().c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_start = 0x40000002;
  lock.l_len = 510;
  REQUIRE(fcntl(writer.get(), F_OFD_SETLK, &lock) == 0);
  check_error(Errc::store_unavailable, {"Another process is writing " + database.path().string(), "Try again"},
              [&] { read_damaged_file(database.path()); });
}

}  // namespace
}  // namespace tuner::cache::test
