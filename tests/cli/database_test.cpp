#include <doctest/doctest.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "cache/store/sqlite_store.hpp"
#include "tests/cli/program.hpp"

using nlohmann::json;
using tuner::test::contains;
using tuner::test::Result;
using tuner::test::User;

namespace {

namespace cache = tuner::cache;

const std::string kFast = "BLOCK=256,UNROLL=4";
const std::string kTied = "BLOCK=512,UNROLL=2";
const std::string kBaseline = "BLOCK=128,UNROLL=1";
const std::string kFailed = "BLOCK=1024,UNROLL=4";

cache::DecisionKey key(const std::string& kernel, const std::string& problem) {
  return {
      kernel, kernel + ":0123456789abcdef", problem, "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=", "cold",
      "time"};
}

cache::Trial trial(const cache::DecisionKey& of, std::int64_t sequence, const std::string& configuration,
                   double time_ns) {
  cache::Trial result;
  result.key = of;
  result.reuse_hash = "reuse";
  result.session = "session-1";
  result.sequence = sequence;
  result.configuration = configuration;
  result.time_ns = time_ns;
  result.samples_ns = {time_ns, time_ns + 10};
  result.facts.registers = 40;
  result.conditions = {"0.1.0", "13.0.88", "580.159"};
  return result;
}

void record(cache::Store& store, const std::string& kernel, const std::string& problem, std::int64_t created_unix_ms,
            const std::string& session = "session-1") {
  const cache::DecisionKey of = key(kernel, problem);
  std::vector<cache::Trial> trials{trial(of, 0, kBaseline, 2000), trial(of, 1, kFast, 1000), trial(of, 2, kTied, 1004),
                                   trial(of, 3, kFailed, 0)};
  trials.back().outcome = tuner::Outcome::launch_refused;
  trials.back().message = "Too many registers for a block of 1024 threads.";
  trials.back().time_ns.reset();
  trials.back().samples_ns.clear();
  for (cache::Trial& each : trials) each.session = session;
  store.record_trials(trials);

  cache::Decision decision;
  decision.key = of;
  decision.reuse_hash = "reuse";
  decision.session = session;
  decision.configuration = kFast;
  decision.baseline = kBaseline;
  decision.time_ns = 1000;
  decision.baseline_time_ns = 2000;
  decision.speedup = 2.0;
  decision.speedup_low = 1.99;
  decision.speedup_high = 2.01;
  decision.confidence = 0.99;
  decision.ties = {{kFast, 1.0}, {kTied, 1.004}};
  decision.race_blocks = 40;
  decision.verified = true;
  decision.counters = {{"asked", 4}};
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  decision.created_unix_ms = created_unix_ms;
  store.record_decision(decision);
}

/// Three decisions: prefetch twice, scale once; the newest is prefetch with n=2.
void fill(const User& user) {
  const auto store = cache::SqliteStore::open({.path = user.data() / "decisions.db"});
  record(*store, "prefetch", "n=1", 1740832200000);
  record(*store, "scale", "n=1", 1740832300000);
  record(*store, "prefetch", "n=2", 1740832400000);
}

}  // namespace

TEST_CASE("an empty database is an empty list, and show says how to fill it") {
  const User user;
  const Result list = user.run({"list"});
  CHECK(list.exit_code == 0);
  CHECK(list.out.empty());
  CHECK(contains(list.err, "tuner tune"));
  CHECK(json::parse(user.run({"list", "--json"}).out)["decisions"].empty());
  const Result show = user.run({"show", "prefetch"});
  CHECK(show.exit_code == 1);
  CHECK(contains(show.err, "tuner tune"));
  CHECK_MESSAGE(!std::filesystem::exists(user.data()), "reading must not create a database");
}

TEST_CASE("list shows the newest decision first, numbered from the oldest") {
  const User user;
  fill(user);
  const json decisions = json::parse(user.run({"list", "--json"}).out)["decisions"];
  REQUIRE(decisions.size() == 3);
  CHECK(decisions[0]["number"] == 3);
  CHECK(decisions[0]["kernel"] == "prefetch");
  CHECK(decisions[0]["problem"] == "n=2");
  CHECK(decisions[2]["number"] == 1);
  const Result text = user.run({"list"});
  CHECK(text.err.empty());
  CHECK(tuner::test::lines(text.out) == 4);
  CHECK(contains(text.out, "2.000x (1.990-2.010)"));
}

TEST_CASE("list --kernel keeps the numbers") {
  const User user;
  fill(user);
  const json decisions = json::parse(user.run({"list", "--kernel", "scale", "--json"}).out)["decisions"];
  REQUIRE(decisions.size() == 1);
  CHECK(decisions[0]["number"] == 2);
}

TEST_CASE("show by kernel takes the newest decision and names the others") {
  const User user;
  fill(user);
  const Result result = user.run({"show", "prefetch"});
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "Decision 3: prefetch on NVIDIA H200, cold cache"));
  CHECK(contains(result.out, "n=2"));
  CHECK(contains(result.err, "2 decisions"));
  CHECK(contains(result.err, "1."));
}

TEST_CASE("show has the interval, the tie, the failure with its reason, the trials and the conditions") {
  const User user;
  fill(user);
  const Result result = user.run({"show", "2"});
  CHECK(result.exit_code == 0);
  for (const char* part :
       {"Decision 2: scale", "2.000x (1.990-2.010)", "tie 1.0040 BLOCK=512 UNROLL=2", "launch_refused",
        "Too many registers", "BLOCK=1024 UNROLL=4", "over the baseline's 2.000 us", "1.000 us", "toolkit 13.0.88",
        "driver 580.159", "2025-03-01 12:31 UTC", "Fastest 3 of 3"}) {
    CHECK_MESSAGE(contains(result.out, part), part);
  }
  CHECK(contains(user.run({"show", "2", "--trials", "1"}).out, "Fastest 1 of 3"));
}

TEST_CASE("show --json has every trial with its samples") {
  const User user;
  fill(user);
  const json object = json::parse(user.run({"show", "2", "--json"}).out);
  CHECK(object["format"] == 1);
  CHECK(object["decision"]["configuration"] == kFast);
  REQUIRE(object["trials"].size() == 4);
  CHECK(object["trials"][1]["samples_us"] == json::array({1.0, 1.01}));
  CHECK(object["trials"][3]["outcome"] == "launch_refused");
  CHECK(object["trials"][3]["time_us"].is_null());
}

TEST_CASE("an unknown kernel is answered with the nearest one, an unknown number with where to look") {
  const User user;
  fill(user);
  const Result kernel = user.run({"show", "prefech"});
  CHECK(kernel.exit_code == 1);
  CHECK(contains(kernel.err, "Did you mean `prefetch`?"));
  const Result number = user.run({"show", "17"});
  CHECK(number.exit_code == 1);
  CHECK(contains(number.err, "tuner list"));
}

TEST_CASE("--db names a folder or a file, before or after the command") {
  const User user;
  fill(user);
  User other;
  const std::string folder = user.data().string();
  CHECK(json::parse(other.run({"list", "--json", "--db", folder}).out)["decisions"].size() == 3);
  CHECK(json::parse(other.run({"--db", folder + "/decisions.db", "--json", "list"}).out)["decisions"].size() == 3);
  CHECK(json::parse(other.run({"--db", folder + "/decisions.db/", "--json", "list"}).out)["decisions"].size() == 3);
  other.environment["TUNER_DB"] = folder;
  CHECK(json::parse(other.run({"list", "--json"}).out)["decisions"].size() == 3);
}

TEST_CASE("a damaged database ends list, show and doctor with exit code 5 and is left as it is") {
  User user;
  const std::string damage = "SQLite format 3" + std::string(1, '\0') + std::string(5000, 'x');
  const std::filesystem::path file = user.folder().write(".local/share/tuner/decisions.db", damage);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"}, {"show", "prefetch"}}) {
    const Result result = user.run(words);
    CHECK(result.exit_code == 5);
    CHECK(tuner::test::lines(result.err) == 1);
    CHECK(contains(result.err, file.string()));
    CHECK(contains(result.err, "damaged"));
    CHECK(contains(result.err, "`tuner tune` that uses it renames it and starts a fresh one"));
  }
  CHECK(contains(user.run({"forget", "--all"}).err, "renames it and starts a fresh one"));
  const Result doctor = user.run({"doctor"});
  CHECK(contains(doctor.out, "NO   database"));
  CHECK_FALSE(contains(doctor.out, "not be stored"));
  CHECK((contains(doctor.out, "starts a fresh database") || contains(doctor.out, "replaced by a fresh one")));
  CHECK(tuner::test::read_file(file) == damage);
}

TEST_CASE("a database without a byte is as good as none") {
  const User user;
  const std::filesystem::path file = user.folder().write(".local/share/tuner/decisions.db", "");
  CHECK(user.run({"list"}).exit_code == 0);
  const Result show = user.run({"show", "prefetch"});
  CHECK(show.exit_code == 1);
  CHECK(contains(show.err, "tuner tune"));
  CHECK(contains(user.run({"doctor"}).out, "ok   database"));
  CHECK(std::filesystem::file_size(file) == 0);
}

TEST_CASE("where only replays have left something, list and show say how to see it") {
  const User user;
  const std::string replays = (user.data() / "replay.db").string();
  record(*cache::SqliteStore::open({.path = replays}), "prefetch", "n=1", 1740832200000);
  const Result list = user.run({"list"});
  CHECK(list.exit_code == 0);
  CHECK(contains(list.err, "`tuner list --db " + replays + "`"));
  const Result show = user.run({"show", "prefetch"});
  CHECK(show.exit_code == 1);
  CHECK(contains(show.err, "`tuner show prefetch --db " + replays + "`"));
  CHECK(user.run({"list", "--db", replays}).err.empty());
  CHECK(contains(user.run({"doctor"}).out, replays + " with 1 decision"));
}

TEST_CASE("--db with a file that is no database's name, or without a value, is refused") {
  const User user;
  user.folder().write("afile", "text");
  const Result file = user.run({"list", "--db", "afile"});
  CHECK(file.exit_code == 5);
  CHECK(contains(file.err, "afile is a file"));
  const Result nothing = user.run({"list", "--db", ""});
  CHECK(nothing.exit_code == 2);
  CHECK(contains(nothing.err, "--db needs a value"));
  const Result alone = user.run({"--db"});
  CHECK(alone.exit_code == 2);
  CHECK(contains(alone.err, "`tuner --help`"));
}

TEST_CASE("a database that lacks a table is damaged, not a bug of the program") {
  const User user;
  fill(user);
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open((user.data() / "decisions.db").c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, "DROP TABLE decision_tie", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
  const Result list = user.run({"list"});
  CHECK(list.exit_code == 5);
  CHECK(contains(list.err, "is damaged"));
  CHECK(contains(list.err, "decision_tie"));
  CHECK(contains(user.run({"doctor"}).out, "NO   database"));
}

TEST_CASE("show has the latest trial of each configuration only") {
  const User user;
  fill(user);
  record(*cache::SqliteStore::open({.path = user.data() / "decisions.db"}), "scale", "n=1", 1740832500000, "session-2");
  const json object = json::parse(user.run({"show", "scale", "--json"}).out);
  REQUIRE(object["trials"].size() == 4);
  for (const json& each : object["trials"]) CHECK(each["session"] == "session-2");
}

TEST_CASE("show has the trials that a session took over from an earlier one") {
  const User user;
  const auto store = cache::SqliteStore::open({.path = user.data() / "decisions.db"});
  std::vector<cache::Trial> trials{trial(key("scale", "n=1"), 0, kBaseline, 2000),
                                   trial(key("scale", "n=1"), 1, kFailed, 0)};
  trials.back().outcome = tuner::Outcome::launch_refused;
  trials.back().message = "Too many registers.";
  trials.back().time_ns.reset();
  for (cache::Trial& each : trials) each.session = "interrupted";
  store->record_trials(trials);
  // Made under other conditions, so that it was not taken over.
  trials[0].configuration = kTied;
  trials[0].conditions.driver = "590.1";
  store->record_trials({trials.data(), 1});
  cache::Decision decision;
  decision.key = key("scale", "n=1");
  decision.reuse_hash = "reuse";
  decision.session = "resumed";
  decision.configuration = decision.baseline = kBaseline;
  decision.time_ns = 2000;
  decision.baseline_time_ns = 2000;
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  store->record_decision(decision);
  const json object = json::parse(user.run({"show", "scale", "--json"}).out);
  REQUIRE(object["trials"].size() == 2);
  CHECK(object["trials"][0]["session"] == "interrupted");
  const Result text = user.run({"show", "scale"});
  for (const char* part : {"Fastest 1 of 1", "Too many registers.", "none: the baseline itself is the fastest"}) {
    CHECK_MESSAGE(contains(text.out, part), part);
  }
  store->forget({}, cache::Forget::trials);
  CHECK(json::parse(user.run({"show", "scale", "--json"}).out)["trials"].empty());
}

TEST_CASE("where no decision is stored but trials are, list and show say so") {
  const User user;
  const auto store = cache::SqliteStore::open({.path = user.data() / "decisions.db"});
  const std::vector<cache::Trial> trials{trial(key("scale", "n=1"), 0, kBaseline, 2000),
                                         trial(key("scale", "n=1"), 1, kFast, 1000)};
  store->record_trials(trials);
  const Result list = user.run({"list"});
  CHECK(list.exit_code == 0);
  CHECK(contains(list.err, "No decision is stored in"));
  CHECK(contains(list.err, "it contains 2 trials"));
  const Result show = user.run({"show", "scale"});
  CHECK(show.exit_code == 1);
  CHECK(contains(show.err, "No decision is stored for a kernel `scale`"));
  CHECK(contains(show.err, "it contains 2 trials"));
  CHECK(contains(user.run({"list", "--kernel", "prefetch"}).err, "Nothing is stored for a kernel `prefetch`"));
}

TEST_CASE("after everything was forgotten, list and show say that it is history") {
  const User user;
  fill(user);
  user.run({"forget", "--all"});
  CHECK(contains(user.run({"list"}).err, "history"));
  CHECK(contains(user.run({"show", "prefetch"}).err, "history"));
}

TEST_CASE("a list for another program has one line a decision, however long the problem is") {
  const User user;
  std::string problem = "a=1";
  for (int i = 0; i < 60; ++i) problem += ",property" + std::to_string(i) + "=1";
  record(*cache::SqliteStore::open({.path = user.data() / "decisions.db"}), "prefetch", problem, 1740832200000);
  const Result result = user.run({"list"});
  CHECK(tuner::test::lines(result.out) == 2);
  CHECK(contains(result.out, problem));
}
