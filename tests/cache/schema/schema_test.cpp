#include "cache/schema/schema.hpp"

#include <fmt/format.h>

#include <csignal>

#include "cache/file/hash.hpp"
#include "cache/schema/schema_steps.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

using Rows = std::vector<std::string>;

std::string joined(const Rows& rows) {
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

std::string schema_of(const std::filesystem::path& path) {
  return joined(sql(path, "SELECT sql FROM sqlite_schema ORDER BY rowid"));
}

/// The file as the first steps leave it.
std::filesystem::path make_format(const TemporaryFolder& folder, std::size_t version) {
  Format format = decisions_format();
  format.steps = format.steps.first(version);
  open_database(folder / "decisions.db", Access::read_write, std::chrono::seconds(1), Durability::precious, format);
  return folder / "decisions.db";
}

void check_format(const std::filesystem::path& path, const char* version, const char* schema_hash) {
  CAPTURE(path);
  CHECK(content_hash(schema_of(path)).text == schema_hash);
  CHECK(sql(path, "PRAGMA application_id") == Rows{std::to_string(0x54554e52)});
  CHECK(sql(path, "PRAGMA user_version") == Rows{version});
}

// A difference makes existing files unreadable or mixes two layouts under one number. Add a step.
TEST_CASE("formats 1 to 10 are what they were when they were released, whatever format a file began with") {
  const TemporaryFolder fresh, one, two, three, four, five, six, seven, eight, nine, from_one, from_two, from_three,
      from_four, from_five, from_six, from_seven, from_eight, from_nine;
  check_format(make_format(one, 1), "1", "e74c57cd2d144ba977f03e02c2c2fef5");
  check_format(make_format(two, 2), "2", "02209d7707bb931bbd961d1c09bcecc3");
  check_format(make_format(three, 3), "3", "aa40aa743b837c4894551deed980cdec");
  check_format(make_format(four, 4), "4", "47b4409b22090c2bb04c504ff05cae1f");
  check_format(make_format(five, 5), "5", "a81166024e7083f86ad3ff93eaf8f74c");
  check_format(make_format(six, 6), "6", "5eea3785f31c5f0b387df5d31a7ac42d");
  check_format(make_format(seven, 7), "7", "97af07ca5c2822306c74c4172a089a84");
  check_format(make_format(eight, 8), "8", "b18241905db39d7e13a62070a6a17953");
  check_format(make_format(nine, 9), "9", "b18241905db39d7e13a62070a6a17953");
  for (const auto& path :
       {fresh / "decisions.db", old_file(from_one, "decisions"), make_format(from_two, 2), make_format(from_three, 3),
        make_format(from_four, 4), make_format(from_five, 5), make_format(from_six, 6), make_format(from_seven, 7),
        make_format(from_eight, 8), make_format(from_nine, 9)}) {
    open_store(path);
    check_format(path, "10", "7d436054d0311b42c9be731a113902a3");
  }
}

TEST_CASE("a file of format 1 keeps every row when it is brought up to date") {
  const TemporaryFolder folder;
  const auto path = old_file(folder, "decisions");
  const auto rows = [&](const std::string& table) {
    const char* const of_decision =
        "decision_id, run_id, configuration, baseline, time_ns, baseline_time_ns, speedup, speedup_low, speedup_high, "
        "confidence, race_blocks, verified, noisy, binary_hash, launch, created_unix_ms";
    const char* const of_trial =
        "trial_id, run_id, sequence, configuration, outcome, message, censored, time_ns, samples_ns, registers, "
        "stack_bytes, spill_store_bytes, spill_load_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, "
        "occupancy_limiter, binary_hash, launch, duplicate_of, compile_ms, verify_ms, timing_ms, created_unix_ms";
    const std::string columns = table == "decision" ? of_decision : table == "trial" ? of_trial : "*";
    return sql(path, "SELECT " + columns + " FROM " + table);
  };
  std::map<std::string, Rows> before;
  for (const char* const table : {"task", "run", "trial", "decision", "decision_tie", "outcome", "decision_counter"}) {
    before[table] = rows(table);
  }
  REQUIRE(before["trial"].size() == 22);
  REQUIRE(before["decision"].size() == 1);
  REQUIRE(before["decision_tie"].size() > 0);
  {
    const auto store = open_store(path);
    CHECK_FALSE(store->damage());
    const std::vector<Decision> decisions = store->list_decisions({});
    REQUIRE(decisions.size() == 1);
    CHECK(decisions[0].awkward_sizes == 0);
    CHECK_FALSE(decisions[0].contended);
    CHECK(store->find_trials(decisions[0].key).size() == 22);
    store->record_decision(full_decision());
  }
  for (const auto& [table, old] : before) {
    INFO(table);
    Rows after = rows(table);
    REQUIRE(after.size() >= old.size());
    after.resize(old.size());
    CHECK(after == old);
  }
}

TEST_CASE("a reader sees an older file as if it had been brought up to date, and leaves it as it is") {
  const TemporaryFolder folder;
  const auto path = old_file(folder, "decisions");
  const std::string before = read_bytes(path);
  const auto store = open_store(path, Access::read_only);
  const std::vector<Decision> decisions = store->list_decisions({});
  REQUIRE(decisions.size() == 1);
  CHECK(store->find_trials(decisions[0].key).size() == 22);
  CHECK(store->list_quarantine({}).empty());
  CHECK_FALSE(store->damage());
  error_of(Errc::store_unavailable, [&] { store->record_decision(full_decision()); });
  CHECK(read_bytes(path) == before);
}

TEST_CASE("a program that is killed while it brings a file up to date leaves the older file") {
  const TemporaryFolder folder;
  const auto path = old_file(folder, "decisions");
  const std::string before = schema_of(path);
  CHECK(in_child([&] {
          const sqlite::Connection connection(path, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
          connection.execute("PRAGMA cache_size = 5");  // pages reach the file before the commit
          connection.execute("BEGIN IMMEDIATE");
          connection.execute(kDecisionsStep2);
          raise(SIGKILL);
        }) == 128 + SIGKILL);
  CHECK(schema_of(path) == before);
  CHECK(open_store(path)->list_decisions({}).size() == 1);
}

TEST_CASE("the numbers of outcomes and origins in a file are those of the program") {
  const InSqlite place;
  Rows outcomes;
  for (const OutcomeName& entry : kOutcomeNames) {
    outcomes.push_back(std::to_string(static_cast<int>(entry.outcome)) + "|" + std::string(entry.name));
  }
  CHECK(sql(place.path(), "SELECT outcome, name FROM outcome ORDER BY outcome") == outcomes);
  Rows origins;
  for (const Origin origin : {Origin::measured, Origin::imported, Origin::replay}) {
    origins.push_back(std::to_string(static_cast<int>(origin)) + "|" + std::string(to_string(origin)));
  }
  CHECK(sql(place.path(), "SELECT origin, name FROM origin ORDER BY origin") == origins);
}

TEST_CASE("a file of format 1 that SQL wrote is read as it was meant") {
  const TemporaryFolder folder;
  make_format(folder, 1);
  const DecisionKey key = some_key();
  sql(folder / "decisions.db",
      "INSERT INTO task VALUES (1, '" + key.hash().text + "', '" + key.text() + "', '" + key.kernel_name + "', '" +
          key.kernel_identity + "', '" + key.problem + "', '" + key.device +
          "', 'cold', 'time');"
          "INSERT INTO run VALUES (1, 1, 'session-1', 'reuse', '0.1.0', '13.0.88', '580.159', 1);"
          "INSERT INTO trial VALUES (1, 1, 17, 'BLOCKDIMX=128,STRATEGY=none', 7, 'sums[3] is 1, expected 2', 1, "
          "123456.789, '[0.1,1e300,123456.78900000001,5e-324,3.0e0]', 42, 8, 16, 24, 1024, 65536, 0.4375, 'registers', "
          "'00112233445566778899aabbccddeeff', 'grid=528x1x1 block=128x1x1 shared=65536', "
          "'BLOCKDIMX=128,STRATEGY=unrolled', 81.25, 1.5, 2.75, 1700000000123);"
          "INSERT INTO decision VALUES (1, 1, 'X=1', 'X=0', 2.5, NULL, NULL, NULL, NULL, 0.99, 3, 1, 0, 'hash', "
          "'launch', 2000);"
          "INSERT INTO decision_tie VALUES (1, 1, 'X=3', 1.25), (1, 0, 'X=1', 1);"
          "INSERT INTO decision_counter VALUES (1, 'asked', 9)");
  const auto store = open_store(folder / "decisions.db");
  Trial trial = full_trial();
  trial.gpu.clear();  // unknown
  trial.result_cost_ms.reset();
  check_same(store->find_trials(key), {trial});

  const auto decision = store->find_decision(key);
  REQUIRE(decision);
  CHECK(decision->ties.size() == 2);
  CHECK(decision->ties[1].configuration == "X=3");
  CHECK(decision->counters == std::map<std::string, std::int64_t>{{"asked", 9}});
  CHECK_FALSE(decision->speedup);
}

/// A decision as format 3 has it, with its tie and counter.
std::filesystem::path decision_of_format_3(const TemporaryFolder& folder) {
  const auto path = make_format(folder, 3);
  const DecisionKey key = some_key();
  sql(path, "INSERT INTO task VALUES (1, '" + key.hash().text + "', '" + key.text() + "', '" + key.kernel_name +
                "', '" + key.kernel_identity + "', '" + key.problem + "', '" + key.device +
                "', 'cold', 'time');"
                "INSERT INTO run VALUES (1, 1, 'session-1', 'reuse', '0.1.0', '13.0.88', '580.159', 0);"
                "INSERT INTO decision VALUES (7, 1, 'X=1', 'X=0', 2.5, NULL, NULL, NULL, NULL, 0.99, 3, 1, 5, 0, 0, "
                "'hash', 'launch', 2000);"
                "INSERT INTO decision_tie VALUES (7, 0, 'X=1', 1);"
                "INSERT INTO decision_counter VALUES (7, 'asked', 9)");
  return path;
}

TEST_CASE("how thoroughly the space of a decision of format 3 was searched is unknown, and all else is as it was") {
  const TemporaryFolder folder;
  const auto path = decision_of_format_3(folder);
  const std::string before = read_bytes(path);
  const auto check_served = [&](Access access) {
    const auto found = open_store(path, access)->find_decision(some_key());
    REQUIRE(found);
    CHECK(found->row == 7);
    CHECK(found->awkward_sizes == 5);
    CHECK(found->created_unix_ms == 2000);
    CHECK(found->ties.size() == 1);
    CHECK(found->counters == std::map<std::string, std::int64_t>{{"asked", 9}});
    CHECK_FALSE(found->effort);
    CHECK_FALSE(found->evaluated);
    CHECK_FALSE(found->space_size);
    CHECK(found->stopped_because.empty());
  };
  check_served(Access::read_only);
  CHECK(read_bytes(path) == before);
  check_served(Access::read_write);
  check_served(Access::read_only);
  CHECK_FALSE(open_store(path)->damage());
  CHECK(sql(path, "SELECT decision_id, effort, evaluated, space_size, stopped_because FROM v_best") ==
        Rows{"7|NULL|NULL|NULL|"});
}

TEST_CASE("an older file without its views is brought up to date and gets them again") {
  const TemporaryFolder folder;
  const auto path = decision_of_format_3(folder);
  sql(path, "DROP VIEW v_stale; DROP VIEW v_best");
  open_store(path);
  CHECK(sql(path, "SELECT decision_id FROM v_best") == Rows{"7"});
  CHECK(sql(path, "SELECT decision_id FROM v_stale").empty());
}

TEST_CASE("an effort that does not exist is neither stored nor read") {
  const InSqlite place;
  Decision decision = full_decision();
  decision.effort = static_cast<Effort>(9);
  error_of(Errc::internal, [&] { open_store(place.path())->record_decision(decision); });
  decision.effort = Effort::quick;
  open_store(place.path())->record_decision(decision);
  CHECK(sql(place.path(), "SELECT effort FROM decision") == Rows{"quick"});
  sql(place.path(), "PRAGMA ignore_check_constraints = ON; UPDATE decision SET effort = 'slow'");
  check_error(Errc::store_damaged, {place.path().string(), "\"slow\""},
              [&] { open_store(place.path())->find_decision(some_key()); });
}

TEST_CASE("v_best shows the served decision of each task") {
  InSqlite place;
  SqliteStore& store = place.store();
  Decision decision = full_decision();
  decision.origin = Origin::measured;
  decision.configuration = "superseded";
  store.record_decision(decision);
  decision.configuration = "X=1";
  store.record_decision(decision);
  decision.key.problem = "rows=1";
  decision.configuration = "X=2";
  store.record_decision(decision);
  CHECK(sql(place.path(),
            "SELECT kernel, problem, device, mode, objective, configuration, time_ns, baseline, baseline_time_ns, "
            "speedup, "
            "speedup_low, speedup_high, confidence, tied, verified, awkward_sizes, noisy, contended, race_blocks, "
            "effort, evaluated, space_size, stopped_because, origin, session, tuner_version, "
            "toolkit, driver, created_utc FROM v_best ORDER BY decision_id") ==
        Rows{"prefetch|row_length=65536,rows=528|NVIDIA "
             "H200|sm_90|132|cold|time|X=1|98765.4321|BLOCKDIMX=128,STRATEGY=none|"
             "200000.25|2.025|2.01|2.04|0.99|2|1|5|1|1|64|full|708|9921|the budget of 60.0 s is "
             "spent|measured|session-1|0.1.0|13.0.88|580.159|2023-11-14T22:13:20."
             "456Z",
             "prefetch|rows=1|NVIDIA H200|sm_90|132|cold|time|X=2|98765.4321|BLOCKDIMX=128,STRATEGY=none|"
             "200000.25|2.025|2.01|2.04|0.99|2|1|5|1|1|64|full|708|9921|the budget of 60.0 s is "
             "spent|measured|session-1|0.1.0|13.0.88|580.159|2023-11-14T22:13:20."
             "456Z"});
}

TEST_CASE("v_trials shows every trial with its outcome in words, and v_failures only the failed ones") {
  InSqlite place;
  SqliteStore& store = place.store();
  std::vector<Trial> trials;
  for (const OutcomeName& entry : kOutcomeNames) {
    trials.push_back(full_trial());
    trials.back().sequence = static_cast<int>(entry.outcome);
    trials.back().outcome = entry.outcome;
    trials.back().message = entry.outcome == Outcome::ok ? "" : "because " + std::string(entry.name);
  }
  store.record_trials(trials);
  const Rows all = sql(place.path(), "SELECT outcome, message FROM v_trials");
  const Rows failures = sql(place.path(), "SELECT class, message FROM v_failures");
  REQUIRE(all.size() == kOutcomeNames.size());
  CHECK(all[0] == "ok|");
  CHECK(all[7] == "wrong_result|because wrong_result");
  CHECK(failures == Rows(all.begin() + 1, all.end()));
  CHECK(sql(place.path(),
            "SELECT kernel, sequence, configuration, censored, time_ns, sample_count, registers, occupancy, origin, "
            "created_utc "
            "FROM v_trials LIMIT 1") ==
        Rows{"prefetch|0|BLOCKDIMX=128,STRATEGY=none|1|123456.789|5|42|0.4375|imported|2023-11-14T22:13:20.123Z"});
  CHECK(sql(place.path(), "SELECT value FROM v_trials, json_each(samples_ns) WHERE sequence = 0 AND key = 4") ==
        Rows{"3"});
}

TEST_CASE("v_stale shows the decisions made before the toolkit or the driver of their device changed") {
  InSqlite place;
  SqliteStore& store = place.store();
  const auto record = [&](const char* device, const char* problem, Conditions conditions,
                          Origin origin = Origin::measured) {
    Decision decision = full_decision();
    decision.key.device = device;
    decision.key.problem = problem;
    decision.conditions = std::move(conditions);
    decision.origin = origin;
    store.record_decision(decision);
  };
  const auto stale = [&] {
    return sql(
        place.path(),
        "SELECT device, problem, toolkit, newest_toolkit, driver, newest_driver FROM v_stale ORDER BY decision_id");
  };
  record("H200", "n=1", {"0.1", "13.0", "580"});
  record("H200", "n=2", {"0.1", "13.0", "580"});
  record("L4", "n=1", {"0.1", "12.4", "550"});
  CHECK(stale().empty());
  record("H200", "n=3", {"0.2", "13.0", "580"});  // a newer tuner alone makes nothing stale
  CHECK(stale().empty());
  record("H200", "n=2", {"0.1", "13.0", "590"});
  CHECK(stale() == Rows{"H200|n=1|13.0|13.0|580|590", "H200|n=3|13.0|13.0|580|590"});
  record("H200", "n=1", {"0.1", "13.1", "590"});
  CHECK(stale() == Rows{"H200|n=3|13.0|13.1|580|590", "H200|n=2|13.0|13.1|590|590"});
  record("H200", "n=2", {"0.1", "", "590"});  // nothing was compiled: says nothing about the toolkit
  record("L4", "n=2", {"0.1", "11.0", "520"},
         Origin::imported);  // measured elsewhere: does not set the standard, but meets it
  CHECK(stale() == Rows{"H200|n=3|13.0|13.1|580|590", "L4|n=2|11.0|12.4|520|550"});
}

TEST_CASE("the schema that a user reads explains itself") {
  const InSqlite place;
  for (const std::string& row :
       sql(place.path(), "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid")) {
    INFO(row);
    CHECK(contains(row, "-- "));
    if (contains(row, "CREATE TABLE")) CHECK(contains(row, "STRICT"));
  }
}

TEST_CASE("docs/database.md names every table, view and column") {
  const InSqlite place;
  const TemporaryFolder folder;
  BinaryStore::open({.path = folder / "binaries.db"});
  const std::string manual = read_bytes(TUNER_DOCS_DIR "/database.md");
  REQUIRE(manual.size() > 1000);
  for (const std::filesystem::path& file : {place.path(), folder / "binaries.db"}) {
    const std::string names = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
    for (const std::string& name :
         sql(file, names + " UNION SELECT c.name FROM (" + names + ") AS t JOIN pragma_table_info(t.name) AS c")) {
      INFO(file << ": " << name);
      CHECK(contains(manual, "`" + name + "`"));
    }
  }
}

TEST_CASE("a trial must belong to a run and have a known outcome") {
  InSqlite place;
  SqliteStore& store = place.store();
  Trial trial = full_trial();
  trial.outcome = static_cast<Outcome>(99);
  error_of(Errc::internal, [&] { store.record_trials({&trial, 1}); });
  CHECK(store.find_trials(some_key()).empty());
  CHECK(sql(place.path(), "SELECT count(*) FROM task") == Rows{"0"});
}

TEST_CASE("a file of a newer format is refused and left as it was") {
  const TemporaryFolder folder;
  open_store(folder / "decisions.db")->record_decision(full_decision());
  sql(folder / "decisions.db", fmt::format("PRAGMA user_version = {}", decisions_format().steps.size() + 1));
  const std::string before = read_bytes(folder / "decisions.db");
  for (const Access access : {Access::read_write, Access::read_only}) {
    check_error(Errc::store_newer, {(folder / "decisions.db").string(), "newer version"},
                [&] { open_store(folder / "decisions.db", access); });
  }
  CHECK(read_bytes(folder / "decisions.db") == before);
}

TEST_CASE("another program's database is refused and left as it was") {
  const TemporaryFolder folder;
  for (const char* const theirs :
       {"CREATE TABLE places (url TEXT)", "PRAGMA application_id = 12345", "PRAGMA user_version = 1",
        "PRAGMA application_id = 12345; PRAGMA user_version = 1; CREATE TABLE trial (x)"}) {
    const auto path = folder / "places.db";
    std::filesystem::remove(path);
    sql(path, theirs);
    const std::string before = read_bytes(path);
    check_error(Errc::store_unavailable, {path.string(), "application_id"}, [&] { open_store(path); });
    CHECK(read_bytes(path) == before);
  }
}

TEST_CASE("a format number below one is damage") {
  const InSqlite place;
  for (const char* const version : {"0", "-3"}) {
    sql(place.path(), std::string("PRAGMA user_version = ") + version);
    error_of(Errc::store_damaged, [&] { open_store(place.path()); });
  }
}

/// A format whose later steps stand for those that do not exist yet.
class Migrating {
 public:
  explicit Migrating(std::vector<const char*> steps) : steps_(std::move(steps)) {}
  std::unique_ptr<sqlite::Connection> open(Access access = Access::read_write) const {
    const Format format{"examples", 77, steps_};
    return open_database(folder_ / "example.db", access, std::chrono::seconds(1), Durability::precious, format);
  }
  void add(const char* step) { steps_.push_back(step); }
  void remove_last() { steps_.pop_back(); }

 private:
  TemporaryFolder folder_;
  std::vector<const char*> steps_;
};

TEST_CASE("an older file is brought up to date, step by step, and keeps its rows") {
  Migrating example({"CREATE TABLE a (x); INSERT INTO a VALUES (1);"});
  example.open();
  example.add("ALTER TABLE a ADD COLUMN y; UPDATE a SET y = 2;");
  example.add("UPDATE a SET y = y + 40;");
  CHECK(example.open()->integer("PRAGMA user_version") == 3);
  CHECK(example.open()->integer("SELECT y FROM a WHERE x = 1") == 42);
}

TEST_CASE("a step that fails leaves the older file as it was") {
  Migrating example({"CREATE TABLE a (x); INSERT INTO a VALUES (1);"});
  example.open();
  example.add("INSERT INTO a VALUES (2);");
  example.add("INSERT INTO no_such_table VALUES (3);");
  error_of(Errc::store_damaged, [&] { example.open(); });
  example.remove_last();
  example.remove_last();
  CHECK(example.open()->integer("PRAGMA user_version") == 1);
  CHECK(example.open()->integer("SELECT count(*) FROM a") == 1);
}

TEST_CASE("a reader of an older file takes the missing steps in a copy of its own") {
  Migrating example({"CREATE TABLE a (x);"});
  example.open();
  example.add("INSERT INTO a VALUES (2);");
  CHECK(example.open(Access::read_only)->integer("SELECT count(*) FROM a") == 1);
  CHECK_FALSE(example.open(Access::read_only)->may_write());
  example.remove_last();
  CHECK(example.open(Access::read_only)->integer("SELECT count(*) FROM a") == 0);
}

}  // namespace
}  // namespace tuner::cache::test
