#include "cache/store/served_store.hpp"

#include <sys/stat.h>

#include "cache/exchange/exchange.hpp"
#include "cache/file/hash.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/store/served_support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("format 1 of served.db is what it was when it was released") {
  const Started database;
  CHECK(content_hash(sql(database.served(), "SELECT sql FROM sqlite_schema").at(0)).text ==
        "2a9918b6d4ee5336339e535997429747");
  CHECK(sql(database.served(), "PRAGMA application_id") == std::vector<std::string>{std::to_string(0x54554e53)});
  CHECK(sql(database.served(), "PRAGMA user_version") == std::vector<std::string>{"1"});
}

TEST_CASE("a row is found by its source and its place, and a source by itself") {
  const Started database;
  check_found(database.find(), database.decision());
  CHECK_FALSE(database.find("place1|rows=529"));
  CHECK_FALSE(database.find(kPlace, "source1|text=abd"));
  CHECK(database.outline() == "outline of source1|text=abc");
  CHECK_FALSE(database.outline("source1|text=abd"));
}

TEST_CASE("a database that is not called decisions.db has a file of its own beside it") {
  const TemporaryFolder folder;
  for (const char* const name : {"decisions.db", "mine.db"}) {
    const auto store = open_store(folder / name);
    if (name[0] == 'm') store->record_decision(other_decision("rows=2"));
    store->record_served(served_of(store->record_decision(measured_decision())));
  }
  check_found(find_in(folder / "decisions.db"), 1);
  check_found(find_in(folder / "mine.db"), 2);
  CHECK(fs::exists(folder / "mine-served.db"));
}

TEST_CASE("a row goes with whatever changes what is served") {
  Started database;
  const std::vector<std::pair<std::string, std::function<void()>>> changes{
      {"a decision", [&] { database.store().record_decision(measured_decision()); }},
      {"forgetting everything", [&] { database.store().forget({}, Forget::everything); }},
      {"forgetting decisions of the kernel",
       [&] { database.store().forget({.kernel_name = some_key().kernel_name}, Forget::decisions); }},
      {"a quarantine", [&] { database.store().record_quarantine(full_quarantined()); }}};
  for (const auto& [name, change] : changes) {
    INFO(name);
    const std::int64_t row = database.store().record_decision(measured_decision());
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
  const std::int64_t newer = database.store().record_decision(measured_decision());
  database.store().record_served(served_of(database.decision()));
  CHECK_FALSE(database.find());
  database.store().record_served(served_of(newer + 1));
  CHECK_FALSE(database.find());
  database.store().record_served(served_of(newer));
  CHECK(database.find());
  database.store().forget({}, Forget::decisions);
  database.store().record_served(served_of(newer));
  CHECK_FALSE(database.find());
  Decision replayed = measured_decision();
  replayed.origin = Origin::replay;
  database.store().record_served(served_of(database.store().record_decision(replayed)));
  CHECK_FALSE(database.find());
}

TEST_CASE("a row is not written while somebody else may be deciding") {
  Started database;
  const std::int64_t newer = database.store().record_decision(measured_decision());
  const sqlite::Connection other(database.path(), SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
  const sqlite::Transaction decides(other, sqlite::Transaction::Kind::write);
  CHECK_THROWS_AS(record_served(database.path(), served_of(newer), std::chrono::milliseconds(0)), Error);
  CHECK_FALSE(database.find());
}

TEST_CASE("what an older program decided is noticed when the next row is written") {
  Started database;
  const std::int64_t other = database.store().record_decision(other_decision("rows=2"));
  sql(database.path(), "INSERT INTO forgotten SELECT NULL, task_id, 1, 0, 0, 0 FROM run LIMIT 1");
  database.store().record_served(served_of(other, "place1|rows=2"));
  CHECK_FALSE(database.find());
  CHECK(database.find("place1|rows=2"));
}

TEST_CASE("writing a row changes nothing in the database, and an older one is not brought up to date") {
  Started database;
  const std::int64_t newer = database.store().record_decision(measured_decision());
  const std::string bytes = read_bytes(database.path());
  database.store().record_served(served_of(newer));
  CHECK(database.find());
  CHECK(read_bytes(database.path()) == bytes);
  sql(database.path(), "PRAGMA user_version = 2");
  const std::string older = read_bytes(database.path());
  record_served(database.path(), served_of(newer, "place1|rows=2"), std::chrono::seconds(1));
  CHECK(read_bytes(database.path()) == older);
  CHECK_FALSE(database.find("place1|rows=2"));
}

TEST_CASE("a decision keeps rows of eight texts, and a source without a row is not known any more") {
  Started database;
  for (int i = 0; i < 10; ++i) {
    database.store().record_served(served_of(database.decision(), kPlace, "text " + std::to_string(i)));
    CHECK(database.find(kPlace, "text " + std::to_string(i)));
    CHECK(std::stoi(database.rows()) <= 8);
  }
  CHECK_FALSE(database.find(kPlace, "text 1"));
  CHECK_FALSE(database.outline("text 1"));
}

TEST_CASE("nothing is started from a file that others could have changed, and nothing is written there") {
  Started database;
  CHECK(chmod(database.served().c_str(), 0666) == 0);
  CHECK_FALSE(database.find());
  CHECK_FALSE(database.outline());
  database.store().record_served(served_of(database.decision(), "place1|rows=2"));
  CHECK(chmod(database.served().c_str(), 0600) == 0);
  CHECK(database.find());
  CHECK_FALSE(database.find("place1|rows=2"));
}

TEST_CASE("rows say nothing of another file that takes the name of the decisions") {
  Started database;
  fs::rename(database.path(), database / "before.db");
  CHECK_FALSE(database.find());
  const auto store = open_store(database.path());
  store->record_decision(measured_decision());
  CHECK_FALSE(database.find());
  fs::rename(database / "before.db", database.path());
  CHECK_FALSE(database.find());  // they went with that decision
  record_served(database.path(), served_of(database.decision()), std::chrono::seconds(1));
  CHECK(database.find());
}

TEST_CASE(
    "a row was written for the decision that has the same number in the file that replaced the one it was read from") {
  Started database;
  const Served old = served_of(database.decision());
  Decision other = other_decision("rows=2");
  other.created_unix_ms += 1;
  REQUIRE(open_store(database / "new.db")->record_decision(other) == database.decision());
  fs::rename(database / "new.db", database.path());
  record_served(database.path(), old, std::chrono::seconds(1));
  CHECK_FALSE(database.find());
}

TEST_CASE("rows of an export outlived what was decided in the file that replaced its decisions") {
  Started database;
  fs::create_directories(database / "out");
  export_decisions({.from = database.path(), .to = database / "out/decisions.db", .with_served = true});
  CHECK(find_in(database / "out/decisions.db"));
  fs::remove(database / "out/decisions.db");
  const auto replaced = open_store(database / "out/decisions.db");
  replaced->record_decision(other_decision("rows=2"));
  CHECK_FALSE(find_in(database / "out/decisions.db"));
}

TEST_CASE("a decision could not be stored beside a served.db that cannot be read, or that is no file") {
  for (const bool is_link : {false, true}) {
    Started database;
    fs::remove(database.served());
    if (is_link) fs::create_symlink("/dev/null", database.served());
    if (!is_link) {
      write_bytes(database.served(), "text");
      CHECK(chmod(database.served().c_str(), 0) == 0);
    }
    const std::int64_t newer = database.store().record_decision(measured_decision());
    CHECK_FALSE(database.find());
    CHECK(newer > database.decision());
    CHECK(fs::is_symlink(database.served()) == is_link);
  }
}

TEST_CASE("a reader goes on with the file that has the name now") {
  Started database;
  ServedStore reader(database.path(), std::chrono::seconds(1));
  CHECK(reader.find(kSource, kPlace));
  fs::remove(database.served());
  CHECK_FALSE(reader.find(kSource, kPlace));
  database.store().record_served(served_of(database.decision()));
  CHECK(reader.find(kSource, kPlace));
}

TEST_CASE("a file that is of no use is made anew, unless it is another program's") {
  for (const char* const damage : {"DROP TABLE served", "ALTER TABLE served DROP COLUMN source_id"}) {
    INFO(damage);
    Started database;
    sql(database.served(), damage);
    database.store().record_served(served_of(database.decision()));
    CHECK(database.find());
    sql(database.served(), damage);
    const std::int64_t newer = database.store().record_decision(measured_decision());
    CHECK_FALSE(database.find());
    database.store().record_served(served_of(newer));
    check_found(database.find(), newer);
  }
  Started text;
  write_bytes(text.served(), "text");
  text.store().record_served(served_of(text.decision()));
  CHECK(text.find());
  bool is_kept = false;
  for (const auto& entry : fs::directory_iterator(text.path().parent_path()))
    is_kept = is_kept || read_bytes(entry.path()) == "text";
  CHECK(is_kept);
  for (const char* const foreign : {"PRAGMA application_id = 7; CREATE TABLE t (x)", "PRAGMA user_version = 9"}) {
    Started database;
    if (foreign[7] == 'a') fs::remove(database.served());
    sql(database.served(), foreign);
    const std::string bytes = read_bytes(database.served());
    CHECK_THROWS_AS(database.store().record_served(served_of(database.decision())), Error);
    if (foreign[7] == 'u') continue;
    database.store().record_decision(measured_decision());
    CHECK(read_bytes(database.served()) == bytes);
  }
}

TEST_CASE("rows are exported with binaries, for the decision's new number, and never imported") {
  Started database;
  const std::int64_t newer = database.store().record_decision(measured_decision());
  database.store().record_served(served_of(newer));
  fs::create_directories(database / "out");
  const auto exported = [&](bool with_served) {
    export_decisions(
        {.from = database.path(), .to = database / "out/decisions.db", .overwrite = true, .with_served = with_served});
    return find_in(database / "out/decisions.db");
  };
  CHECK_FALSE(exported(false));
  check_found(exported(true), 1);
  fs::create_directories(database / "copy");
  for (const char* const name : {"decisions.db", "served.db"})
    fs::copy_file(database / "out" / name, database / "copy" / name);
  check_found(find_in(database / "copy/decisions.db"), 1);
  fs::create_directories(database / "in");
  import_decisions(database / "in/decisions.db", database / "out/decisions.db");
  CHECK(open_store(database / "in/decisions.db")->find_decision(some_key()));
  CHECK_FALSE(fs::exists(database / "in/served.db"));
  CHECK(chmod(database.served().c_str(), 0666) == 0);
  CHECK_FALSE(exported(true));
  CHECK_FALSE(fs::exists(database / "out/served.db"));
}

TEST_CASE("an export deleted whatever had the name of the file beside it") {
  Started database;
  const fs::path source = database / "x-served.db";
  fs::copy_file(database.path(), source);
  CHECK_THROWS_AS(export_decisions({.from = source, .to = database / "x.db"}), Error);
  CHECK(open_store(source)->find_decision(some_key()));
  write_bytes(database / "y-served.db", "text");
  CHECK_THROWS_AS(export_decisions({.from = database.path(), .to = database / "y.db"}), Error);
  CHECK(read_bytes(database / "y-served.db") == "text");
}

TEST_CASE("damage of what programs start from ended an export") {
  Started database;
  write_bytes(database.served(), std::string(20000, 'x'));
  CHECK(chmod(database.served().c_str(), 0600) == 0);
  CHECK(export_decisions({.from = database.path(), .to = database / "x.db", .with_served = true}).keys.size() == 1);
}

}  // namespace
}  // namespace tuner::cache::test
