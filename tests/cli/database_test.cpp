#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

const std::string kFast = "BLOCK=256,UNROLL=4";
const std::string kTied = "BLOCK=512,UNROLL=2";
const std::string kBaseline = "BLOCK=128,UNROLL=1";
const std::string kFailed = "BLOCK=1024,UNROLL=4";

/// A decision with the four trials behind it.
void record_session(cache::Store& store, const std::string& kernel, const std::string& problem,
                    std::int64_t created_unix_ms, const std::string& session = "session-1") {
  cache::Decision decision = decision_on_h200(kernel, problem, kFast);
  decision.session = session;
  store.record_trials(std::vector{trial_of(decision, kBaseline, 2000, 0), trial_of(decision, kFast, 1000, 1),
                                  trial_of(decision, kTied, 1004, 2), trial_of(decision, kFailed, std::nullopt, 3)});
  decision.baseline = kBaseline;
  decision.baseline_time_ns = 2000;
  decision.speedup = 2.0;
  decision.speedup_low = 1.99;
  decision.speedup_high = 2.01;
  decision.confidence = 0.99;
  decision.ties = {{kFast, 1.0}, {kTied, 1.004}};
  decision.race_blocks = 40;
  decision.counters = {{"asked", 4}};
  decision.created_unix_ms = created_unix_ms;
  store.record_decision(decision);
}

/// With three decisions: prefetch twice, scale once; the newest is prefetch with n=2.
struct DatabaseOwner : User {
  DatabaseOwner() {
    const auto store = open_database(*this);
    record_session(*store, "prefetch", "n=1", 1740832200000);
    record_session(*store, "scale", "n=1", 1740832300000);
    record_session(*store, "prefetch", "n=2", 1740832400000);
  }
};

json listed(const User& user, const Words& options = {}) {
  return json::parse(user.run(joined({"list", "--json"}, options)).out)["decisions"];
}
json shown(const User& user, const std::string& what) {
  return json::parse(user.run({"show", what, "--json"}).out);
}

}  // namespace

TEST_CASE("--force replaced a link such as /dev/stdout by a file; - is standard output") {
  const User user;
  record(*open_database(user), decision_on_h200("scale", "n=1"));
  user.folder().write("plain.cu", "__global__ void k(float* y) { y[threadIdx.x] = 1; }\n");
  const std::filesystem::path link = user.home() / "link.db";
  std::filesystem::create_symlink("/proc/self/fd/1", link);
  const std::vector<Words> all{{"report", "-o", "link.db"},
                               {"export", "link.db"},
                               {"export", "--t4", "link.db"},
                               {"new", "plain.cu", "--output", "link.db"}};
  for (const Words& words : all) {
    check_err(user.run(joined(words, {"--force"})), 2, {"is a symbolic link and was not changed"});
    CHECK(std::filesystem::is_symlink(link));
  }
  REQUIRE(user.run({"report", "-o", "page.html"}).exit_code == 0);
  const Result printed = user.run({"report", "-o", "-"});
  check_out(printed, 0, {"</html>"});
  CHECK(printed.err.empty());
  CHECK(printed.out.size() == read_bytes(user.home() / "page.html").size());
  check_error(user.run({"report", "-o", "-", "--force"}), 2, {"-o - prints the page"});
  check_error(user.run({"report", "-o", "-", "--json"}), 2, {"-o - prints the page"});
  CHECK(user.run({"new", "plain.cu", "--output", "-"}).out == user.run({"new", "plain.cu"}).out);
  CHECK_FALSE(std::filesystem::exists(user.home() / "-"));
}

TEST_CASE("an empty database is an empty list, and show says how to fill it") {
  const User user;
  const Result list = user.run({"list"});
  check_err(list, 0, {"tuner tune"});
  CHECK(list.out.empty());
  CHECK(listed(user).empty());
  check_err(user.run({"show", "prefetch"}), 1, {"tuner tune"});
  CHECK_MESSAGE(!std::filesystem::exists(user.data()), "reading must not create a database");
}

TEST_CASE("list shows the newest decision first, numbered from the oldest") {
  const DatabaseOwner user;
  const json decisions = listed(user);
  REQUIRE(decisions.size() == 3);
  CHECK(decisions[0]["number"] == 3);
  CHECK(decisions[0]["kernel"] == "prefetch");
  CHECK(decisions[0]["problem"] == "n=2");
  CHECK(decisions[2]["number"] == 1);
  const Result text = user.run({"list"});
  check_out(text, 0, {"2.000x (1.990-2.010)"});
  CHECK(text.err.empty());
  CHECK(lines(text.out) == 4);
}

TEST_CASE("what was stored after 2262 had a date before 1970") {
  User user;
  user.preload(TUNER_LATE_CLOCK);
  REQUIRE(user.run({"tune", "--replay", data_file("scale.csv"), "--budget", "4"}).exit_code == 0);
  constexpr std::int64_t kIn2300 = 10'413'792'000'000;
  CHECK(run_sql(user.data() / "replay.db", "SELECT created_unix_ms FROM decision") > kIn2300);
  CHECK(run_sql(user.data() / "replay.db", "SELECT min(created_unix_ms) FROM trial") > kIn2300);
}

TEST_CASE("dates that no calendar has end no command") {
  for (const char* const date :
       {"9223372036854775807", "-9223372036854775808", "8640000000000001", "253402300800000"}) {
    CAPTURE(date);
    const DatabaseOwner user;
    run_sql(user.data() / "decisions.db", std::string("UPDATE decision SET created_unix_ms = ") + date +
                                              "; UPDATE trial SET created_unix_ms = " + date);
    for (const Words& words : {Words{"list"}, Words{"list", "--json"}, Words{"show", "1"}, Words{"show", "1", "--json"},
                               Words{"report", "-o", "page.html"}, Words{"export", "tuned.db"},
                               Words{"export", "--header", "tuned.hpp"}, Words{"import", "tuned.db"}, Words{"prune"},
                               Words{"export", "--t4", "tuned.json", "--kernel", "scale"}, Words{"forget", "--all"}})
      check_out(user.run(words), 0);
  }
}

TEST_CASE("list --kernel keeps the numbers") {
  const DatabaseOwner user;
  const json decisions = listed(user, {"--kernel", "scale"});
  REQUIRE(decisions.size() == 1);
  CHECK(decisions[0]["number"] == 2);
}

TEST_CASE("show by kernel takes the newest decision and names the others") {
  const DatabaseOwner user;
  const Result result = user.run({"show", "prefetch"});
  check_out(result, 0, {"Decision 3: prefetch on NVIDIA H200, cold cache", "n=2"});
  check_err(result, 0, {"2 decisions", "1."});
}

TEST_CASE("show has the interval, the tie, the failure with its reason, the trials and the conditions") {
  const DatabaseOwner user;
  check_out(user.run({"show", "2"}), 0,
            {"Decision 2: scale", "2.000x (1.990-2.010)", "tie 1.0040 BLOCK=512 UNROLL=2", "launch_refused",
             "Too many registers", "BLOCK=1024 UNROLL=4", "over the baseline's 2.000 us", "1.000 us", "toolkit 13.0.88",
             "driver 580.159", "2025-03-01 12:31 UTC", "Fastest 3 of 3"});
  check_out(user.run({"show", "2", "--trials", "1"}), 0, {"Fastest 1 of 3"});
}

TEST_CASE("show tells how thoroughly the space was searched, where that is known") {
  const User user;
  cache::Decision decision = decision_on_h200("scale", "n=1", kFast);
  open_database(user)->record_decision(decision);
  const std::string unknown = user.run({"show", "scale"}).out;
  CHECK_FALSE(contains(unknown, "searched "));
  CHECK_FALSE(contains(unknown, "stopped "));
  for (const char* const key : {"effort", "evaluated", "space_size", "stopped_because"}) {
    INFO(key);
    CHECK(shown(user, "scale")["decision"].at(key).is_null());
  }
  decision.effort = tuner::Effort::quick;
  decision.evaluated = 60;
  decision.space_size = 9921;
  decision.stopped_because = "the budget of 60 configurations is spent";
  open_database(user)->record_decision(decision);
  check_out(user.run({"show", "scale"}), 0,
            {"searched   60 of 9,921 configurations, effort quick",
             "stopped    because the budget of 60 configurations is spent"});
  const json known = shown(user, "scale")["decision"];
  CHECK(known["effort"] == "quick");
  CHECK(known["evaluated"] == 60);
  CHECK(known["space_size"] == 9921);
  CHECK(known["stopped_because"] == "the budget of 60 configurations is spent");
}

TEST_CASE("show says which source is stored with the decision, if there is one") {
  const DatabaseOwner user;
  CHECK(user.run({"show", "2"}).out.find("stored  ") == std::string::npos);
  std::vector<cache::DecisionText> texts{{cache::TextKind::source,
                                          "sc\x1b"
                                          "ale.cu",
                                          "// source"},
                                         {cache::TextKind::samples, kFast, "[1]"}};
  open_database(user)->record_texts(2, texts);
  check_out(user.run({"show", "2"}), 0, {"  stored     the source sc\\x1bale.cu\n"});
  texts = {{cache::TextKind::header, "a.cuh", ""}, {cache::TextKind::header, "b.cuh", ""}};
  open_database(user)->record_texts(2, texts);
  check_out(user.run({"show", "2"}), 0, {"ale.cu and 2 headers\n"});
}

TEST_CASE("show --json has every trial with its samples") {
  const DatabaseOwner user;
  const json object = shown(user, "2");
  CHECK(object["format"] == 1);
  CHECK(object["decision"]["configuration"] == kFast);
  REQUIRE(object["trials"].size() == 4);
  CHECK(object["trials"][1]["samples_us"] == json::array({1.0, 1.01}));
  CHECK(object["trials"][3]["outcome"] == "launch_refused");
  CHECK(object["trials"][3]["time_us"].is_null());
}

TEST_CASE("an unknown kernel is answered with the nearest one, an unknown number with where to look") {
  const DatabaseOwner user;
  check_err(user.run({"show", "prefech"}), 1, {"Did you mean `prefetch`?"});
  check_err(user.run({"show", "17"}), 1, {"tuner list"});
}

TEST_CASE("--db names a folder or a file, before or after the command") {
  const DatabaseOwner user;
  User other;
  const std::string folder = user.data().string();
  for (const Words& words : {Words{"list", "--json", "--db", folder},
                             {"--db", folder + "/decisions.db", "--json", "list"},
                             {"--db", folder + "/decisions.db/", "--json", "list"}}) {
    CAPTURE(words[1]);
    CHECK(json::parse(other.run(words).out)["decisions"].size() == 3);
  }
  other.environment["TUNER_DB"] = folder;
  CHECK(listed(other).size() == 3);
}

TEST_CASE("a damaged database ends list, show and doctor with exit code 5 and is left as it is") {
  User user;
  const std::string damage = "SQLite format 3" + std::string(1, '\0') + std::string(5000, 'x');
  const std::filesystem::path file = user.folder().write(".local/share/tuner/decisions.db", damage);
  for (const Words& words : {Words{"list"}, {"show", "prefetch"}}) {
    check_error(user.run(words), 5,
                {file.string(), "damaged", "`tuner tune` that uses it renames it and starts a fresh one"});
  }
  check_err(user.run({"forget", "--all"}), 5, {"renames it and starts a fresh one"});
  const Result doctor = user.run({"doctor"});
  CHECK(contains(doctor.out, "NO   database"));
  CHECK_FALSE(contains(doctor.out, "not be stored"));
  CHECK((contains(doctor.out, "starts a fresh database") || contains(doctor.out, "replaced by a fresh one")));
  CHECK(read_bytes(file) == damage);
}

TEST_CASE("a database without a byte is as good as none") {
  const User user;
  const std::filesystem::path file = user.folder().write(".local/share/tuner/decisions.db", "");
  CHECK(user.run({"list"}).exit_code == 0);
  check_err(user.run({"show", "prefetch"}), 1, {"tuner tune"});
  CHECK(contains(user.run({"doctor"}).out, "ok   database"));
  CHECK(std::filesystem::file_size(file) == 0);
}

TEST_CASE("where only replays have left something, list and show say how to see it") {
  const User user;
  const std::string replays = (user.data() / "replay.db").string();
  record_session(*open_database(user, "replay.db"), "prefetch", "n=1", 1740832200000);
  check_err(user.run({"list"}), 0, {"`tuner list --db " + replays + "`"});
  check_err(user.run({"show", "prefetch"}), 1, {"`tuner show prefetch --db " + replays + "`"});
  CHECK(user.run({"list", "--db", replays}).err.empty());
  CHECK(contains(user.run({"doctor"}).out, replays + " with 1 decision"));
}

TEST_CASE("nothing was said to be stored in a device, and nothing in what is no folder") {
  User user;
  user.folder().write("file.txt", "text");
  for (const char* place : {"/dev/zero", "/dev/zero/", "/dev/zero/decisions.db", "file.txt/below", "file.txt/a.db"}) {
    CAPTURE(place);
    for (const Words& words :
         {Words{"list"}, Words{"show", "scale"}, Words{"forget", "--all"}, Words{"prune"}, Words{"export", "out.db"},
          Words{"wanted"}, Words{"sizes"}, Words{"report", "-o", "-"}}) {
      check_error(user.run(joined(words, {"--db", place})), 5, {"--db or TUNER_DB"});
    }
    user.environment["TUNER_DB"] = place;
    check_error(user.run({"list"}), 5, {"--db or TUNER_DB"});
    user.environment.erase("TUNER_DB");
  }
}

TEST_CASE("--db with a file that is no database's name, or without a value, is refused") {
  const User user;
  user.folder().write("afile", "text");
  check_err(user.run({"list", "--db", "afile"}), 5, {"afile is not a folder"});
  check_err(user.run({"list", "--db", ""}), 2, {"--db needs a value"});
  check_err(user.run({"--db"}), 2, {"`tuner --help`"});
}

TEST_CASE("a database that lacks a table is damaged, not a bug of the program") {
  const DatabaseOwner user;
  run_sql(user.data() / "decisions.db", "DROP TABLE decision_tie");
  check_err(user.run({"list"}), 5, {"is damaged", "decision_tie"});
  CHECK(contains(user.run({"doctor"}).out, "NO   database"));
}

TEST_CASE("show has the latest trial of each configuration only") {
  const DatabaseOwner user;
  record_session(*open_database(user), "scale", "n=1", 1740832500000, "session-2");
  const json trials = shown(user, "scale")["trials"];
  REQUIRE(trials.size() == 4);
  for (const json& each : trials) CHECK(each["session"] == "session-2");
}

TEST_CASE("show has the trials that a session took over from an earlier one") {
  const User user;
  const auto store = open_database(user);
  cache::Decision decision = decision_on_h200("scale", "n=1", kBaseline);
  decision.baseline = kBaseline;
  decision.time_ns = 2000;
  decision.baseline_time_ns = 2000;
  cache::Run earlier = decision;
  earlier.session = "interrupted";
  store->record_trials(std::vector{trial_of(earlier, kBaseline, 2000, 0), trial_of(earlier, kFailed, std::nullopt, 1)});
  earlier.conditions.driver = "590.1";  // so that it is not taken over
  store->record_trials(std::vector{trial_of(earlier, kTied, 2000)});
  decision.session = "resumed";
  store->record_decision(decision);
  const json trials = shown(user, "scale")["trials"];
  REQUIRE(trials.size() == 2);
  CHECK(trials[0]["session"] == "interrupted");
  check_out(user.run({"show", "scale"}), 0,
            {"Fastest 1 of 1", "Too many registers", "none: the baseline itself is the fastest"});
  store->forget({}, cache::Forget::trials);
  CHECK(shown(user, "scale")["trials"].empty());
}

TEST_CASE("where no decision is stored but trials are, list and show say so") {
  const User user;
  const cache::Run run = decision_on_h200("scale", "n=1");
  open_database(user)->record_trials(std::vector{trial_of(run, kBaseline, 2000, 0), trial_of(run, kFast, 1000, 1)});
  check_err(user.run({"list"}), 0, {"No decision is stored in", "it contains 2 trials"});
  check_err(user.run({"show", "scale"}), 1, {"No decision is stored for a kernel `scale`", "it contains 2 trials"});
  check_err(user.run({"list", "--kernel", "prefetch"}), 0, {"Nothing is stored for a kernel `prefetch`"});
}

TEST_CASE("after everything was forgotten, list and show say that it is history") {
  const DatabaseOwner user;
  user.run({"forget", "--all"});
  check_err(user.run({"list"}), 0, {"history"});
  check_err(user.run({"show", "prefetch"}), 1, {"history"});
}

TEST_CASE("a list for another program has one line a decision, however long the problem is") {
  const User user;
  std::string problem = "a=1";
  for (int i = 0; i < 60; ++i) problem += ",property" + std::to_string(i) + "=1";
  record_session(*open_database(user), "prefetch", problem, 1740832200000);
  const Result result = user.run({"list"});
  check_out(result, 0, {problem});
  CHECK(lines(result.out) == 2);
}
