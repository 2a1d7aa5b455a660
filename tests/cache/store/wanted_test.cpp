#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "cache/file/location.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/wanted_store.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

const WantedSource kWaveSource{"wave.cu", "#include \"a.cuh\"\nvoid wave();\n", {{"a.cuh", "int a;"}, {"b.cuh", ""}}};

Wanted miss_of(const std::string& problem, std::int64_t launched = 0, const WantedSource& source = kWaveSource) {
  Wanted wanted;
  wanted.key = key_of_problem(problem);
  wanted.source = hash_of(source);
  wanted.rung = "near size";
  wanted.configuration = "BLOCK=128";
  wanted.time_ns = 2000;
  wanted.requested = 1;
  wanted.launched = launched;
  wanted.first_unix_ms = 1000;
  wanted.last_unix_ms = 1000;
  return wanted;
}

/// A folder with a list.
struct WantedList {
  TemporaryFolder folder;
  WantedStore store{folder / "decisions.db"};
  fs::path file = folder / "wanted.db";

  void add(const Wanted& wanted, const WantedSource& source = kWaveSource) {
    store.record({&wanted, 1}, [&](const Wanted&) { return source; });
  }
  std::vector<std::string> problems() {
    std::vector<std::string> all;
    for (const Wanted& wanted : store.list()) all.push_back(wanted.key.problem);
    return all;
  }
  std::string count(const std::string& table) { return sql(file, "SELECT count(*) FROM " + table).at(0); }
};

TEST_CASE("the list is a file of its own beside the decisions, with rights for its owner alone") {
  WantedList list;
  CHECK(list.store.list().empty());
  CHECK(list.store.forget_kernel("") == 0);
  CHECK_FALSE(fs::exists(list.file));
  list.add(miss_of("n=1"));
  CHECK(mode_of(list.file) == 0600);
  CHECK(sql(list.file, "PRAGMA application_id") == std::vector<std::string>{std::to_string(0x54554e57)});
  CHECK_FALSE(fs::exists(list.folder / "decisions.db"));
  CHECK(wanted_beside("/data/h200.db") == "/data/h200-wanted.db");
  check_error(Errc::bad_usage, {"wanted.db", "what they missed"}, [] { locate("/data/wanted.db"); });
  check_error(Errc::bad_usage, {"h200-wanted.db"}, [] { locate("/data/h200-wanted.db"); });
}

TEST_CASE("what was noted is found again, with its source, and counts add up over programs") {
  WantedList list;
  list.add(miss_of("n=1", 10));
  Wanted later = miss_of("n=1", 5);
  later.rung = "baseline";
  later.configuration = "BLOCK=64";
  later.time_ns.reset();
  later.first_unix_ms = later.last_unix_ms = 3000;
  list.add(later);
  const std::vector<Wanted> all = list.store.list();
  REQUIRE(all.size() == 1);
  CHECK(all[0].key == key_of_problem("n=1"));
  CHECK(all[0].rung == "baseline");
  CHECK(all[0].configuration == "BLOCK=64");
  CHECK_FALSE(all[0].time_ns);
  CHECK(all[0].requested == 2);
  CHECK(all[0].launched == 15);
  CHECK(all[0].first_unix_ms == 1000);
  CHECK(all[0].last_unix_ms == 3000);
  const auto source = list.store.find_source(all[0]);
  REQUIRE(source);
  CHECK(source->file == "wave.cu");
  CHECK(source->text == kWaveSource.text);
  REQUIRE(source->headers.size() == 2);
  CHECK(source->headers[0].name == "a.cuh");
  CHECK(source->headers[0].text == "int a;");
}

TEST_CASE("sources and headers are stored once, and go with the last entry that needs them") {
  WantedList list;
  WantedSource other = kWaveSource;
  other.text += "// another";
  for (const char* problem : {"n=1", "n=2", "n=3"}) list.add(miss_of(problem));
  list.add(miss_of("n=4", 0, other), other);
  CHECK(list.count("text") == "4");
  CHECK(list.store.forget(key_of_problem("n=4")) == 1);
  CHECK(list.count("text") == "3");
  CHECK(list.store.forget(key_of_problem("n=4")) == 0);
  CHECK(list.store.forget_kernel("other") == 0);
  CHECK(list.store.forget_kernel(some_key().kernel_name) == 3);
  CHECK(list.count("text") == "0");
  CHECK(list.problems().empty());
}

TEST_CASE("a trouble stays with an entry until its source is another one") {
  WantedList list;
  list.add(miss_of("n=1"));
  CHECK(list.store.note_trouble(key_of_problem("n=1"), "It does not compile.") == 1);
  list.add(miss_of("n=1"));
  CHECK(list.store.list().at(0).trouble == "It does not compile.");
  WantedSource repaired = kWaveSource;
  repaired.text += "// repaired";
  list.add(miss_of("n=1", 0, repaired), repaired);
  CHECK(list.store.list().at(0).trouble.empty());
}

TEST_CASE("of too many entries, those that were launched least and asked for longest ago go") {
  WantedList list;
  std::vector<Wanted> many;
  for (std::int64_t i = 0; i < kMostWanted; ++i) many.push_back(miss_of("n=" + std::to_string(i), 1 + i % 2));
  many[0].last_unix_ms = 999;
  list.store.record(many, [](const Wanted&) { return kWaveSource; });
  CHECK(list.store.list().size() == kMostWanted);
  list.add(miss_of("n=new", 3));
  const std::vector<std::string> problems = list.problems();
  CHECK(problems.size() == kMostWanted);
  CHECK(problems.front() == "n=new");
  CHECK(std::count(problems.begin(), problems.end(), "n=0") == 0);
}

TEST_CASE("of too many bytes, the sources whose entries were launched least go with their entries") {
  WantedList list;
  const auto source_of = [](char letter) {
    return WantedSource{"k.cu", std::string(kMostWantedBytes / 3, letter), {}};
  };
  for (const auto& [letter, launched] : {std::pair('a', 5), {'b', 1}, {'c', 4}}) {
    const WantedSource source = source_of(letter);
    list.add(miss_of(std::string("n=") + letter, launched, source), source);
  }
  CHECK(list.problems() == std::vector<std::string>{"n=a", "n=c", "n=b"});
  const WantedSource last = source_of('d');
  list.add(miss_of("n=d", 2, last), last);
  CHECK(list.problems() == std::vector<std::string>{"n=a", "n=c", "n=d"});
  const WantedSource large{"k.cu", std::string(kMostWantedBytes + 1, 'e'), {}};
  list.add(miss_of("n=e", 9, large), large);
  REQUIRE(list.problems().front() == "n=e");
  CHECK_FALSE(list.store.find_source(list.store.list().front()));
  CHECK(list.problems().size() == 4);
}

TEST_CASE("several programs write at once, and nothing that one of them noted is lost") {
  WantedList list;
  constexpr int kWriters = 4, kNotes = 20;
  std::vector<pid_t> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(start_child([&] {
      for (int i = 0; i < kNotes; ++i) list.add(miss_of("n=" + std::to_string(i), writer + 1));
    }));
  }
  for (const pid_t writer : writers) CHECK(status_of(writer) == 0);
  const std::vector<Wanted> all = list.store.list();
  REQUIRE(all.size() == kNotes);
  for (const Wanted& wanted : all) {
    CHECK(wanted.requested == kWriters);
    CHECK(wanted.launched == 1 + 2 + 3 + 4);
  }
}

TEST_CASE("a writer that is killed leaves the list as it was before or after") {
  WantedList list;
  list.add(miss_of("n=1"));
  CHECK(in_child([&] {
          const sqlite::Connection file(list.file, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
          file.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE text SET text = zeroblob(100000) || text");
          std::raise(SIGKILL);
        }) == 128 + SIGKILL);
  CHECK(list.problems() == std::vector<std::string>{"n=1"});
  list.add(miss_of("n=2"));
  CHECK(list.problems() == std::vector<std::string>{"n=1", "n=2"});
  CHECK(list.store.find_source(list.store.list()[0])->text == kWaveSource.text);
}

TEST_CASE("a list that is locked, newer, of another program or no file is one sentence, and no decision waits for it") {
  WantedList list;
  const WantedStore impatient(list.folder / "decisions.db", std::chrono::milliseconds(0));
  list.add(miss_of("n=1"));
  const Wanted wanted = miss_of("n=2");
  const auto record = [&] { impatient.record({&wanted, 1}, [](const Wanted&) { return kWaveSource; }); };
  {
    const sqlite::Connection held(list.file, SQLITE_OPEN_READWRITE, std::chrono::milliseconds(0));
    held.execute("BEGIN EXCLUSIVE");
    check_error(Errc::store_unavailable, {"wanted.db"}, record);
    const auto decisions = open_store(list.folder / "decisions.db");
    CHECK(decisions->record_decision(full_decision()) == 1);
    held.execute("ROLLBACK");
  }
  sql(list.file, "PRAGMA user_version = 9");
  check_error(Errc::store_newer, {"wanted.db", "newer version"}, [&] { impatient.list(); });
  check_error(Errc::store_newer, {"wanted.db", "newer version"}, record);
  sql(list.file, "PRAGMA application_id = 7");
  check_error(Errc::store_unavailable, {"wanted.db", "not one of this program's with what programs missed"}, record);
  fs::remove(list.file);
  fs::create_directory(list.file);
  check_error(Errc::store_unavailable, {"wanted.db is not a file"}, record);
}

TEST_CASE("a damaged list is one sentence that says what to do, and its file stays as it is") {
  const std::vector<std::string> damages{
      "UPDATE wanted SET launched = -1",
      "UPDATE wanted SET time_ns = 9e999",
      "DROP TABLE wanted",
      "PRAGMA user_version = -1",
      "DROP TABLE wanted; CREATE VIEW wanted AS SELECT 1 AS kernel_name",
  };
  for (const std::string& damage : damages) {
    CAPTURE(damage);
    WantedList list;
    list.add(miss_of("n=1"));
    sql(list.file, damage);
    const std::string before = read_bytes(list.file);
    check_error(Errc::store_damaged, {"wanted.db", "Delete it: nothing but the list is lost."},
                [&] { list.store.list(); });
    CHECK(read_bytes(list.file) == before);
  }
  WantedList list;
  list.add(miss_of("n=1", INT64_MAX));
  check_error(Errc::store_damaged, {"rules of its format"}, [&] { list.add(miss_of("n=1", 1)); });
  write_bytes(list.file, "SQLite format 3 but not really" + std::string(5000, 'x'));
  CHECK(contains(error_of([&] { list.store.list(); }), "wanted.db"));
}

TEST_CASE("columns of the wrong type, sources that were exchanged and absurd sizes are refused, not believed") {
  WantedList list;
  list.add(miss_of("n=1"));
  const Wanted wanted = list.store.list().at(0);
  sql(list.file, "UPDATE source_text SET name = '../../evil.cuh' WHERE position = 1");
  check_error(Errc::store_damaged, {"not what it was when it was noted"}, [&] { list.store.find_source(wanted); });
  sql(list.file, "UPDATE text SET text = 'x'");
  check_error(Errc::store_damaged, {"not what it was when it was noted"}, [&] { list.store.find_source(wanted); });
  // One text many times would be more than there is memory for.
  sql(list.file,
      "UPDATE text SET text = hex(zeroblob(1000000)); WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n "
      "WHERE i < 5000) INSERT INTO source_text SELECT source, i, 'h' || i, text_id FROM source_text, n WHERE position "
      "= 0");
  check_error(Errc::store_damaged, {"larger than all of them may be"}, [&] { list.store.find_source(wanted); });
  sql(list.file,
      "CREATE TABLE loose AS SELECT * FROM wanted; DROP TABLE wanted; ALTER TABLE loose RENAME TO wanted; "
      "UPDATE wanted SET launched = 'many', requested = x'00', time_ns = 'soon', problem = 7");
  check_error(Errc::store_damaged, {"a time or a count that cannot be"}, [&] { list.store.list(); });
  fs::resize_file(list.file, std::uintmax_t{1} << 31);
  check_error(Errc::store_damaged, {"2147483648 bytes are more than a list has"}, [&] { list.store.list(); });
}

TEST_CASE("nothing is written where other users could change it") {
  WantedList list;
  list.add(miss_of("n=1"));
  CHECK(chmod(list.file.c_str(), 0666) == 0);
  check_error(Errc::store_unavailable, {"wanted.db", "others could change"}, [&] { list.add(miss_of("n=2")); });
  CHECK(chmod(list.file.c_str(), 0600) == 0);
  CHECK(list.problems() == std::vector<std::string>{"n=1"});
  fs::rename(list.file, list.folder / "elsewhere.db");
  fs::create_symlink(list.folder / "elsewhere.db", list.file);
  const std::string before = read_bytes(list.folder / "elsewhere.db");
  CHECK_FALSE(error_of([&] { list.add(miss_of("n=2")); }).empty());
  CHECK(read_bytes(list.folder / "elsewhere.db") == before);
}

}  // namespace
}  // namespace tuner::cache::test
