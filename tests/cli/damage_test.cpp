// Databases that are damaged or cannot be used, met by the program itself. A replay stands for every session: it opens
// its database as one on a GPU does.
#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/cli/program.hpp"

using nlohmann::json;
using tuner::test::contains;
using tuner::test::Result;
using tuner::test::User;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4096;
constexpr uid_t kNobody = 65534;

class Replayer : public User {
 public:
  Replayer() { fs::create_directories(data()); }
  fs::path database() const { return data() / "replay.db"; }

  /// Tunes by replay: the winner must be printed whatever the database is like.
  json tune() const {
    const Result result = run({"tune", "--replay", tuner::test::data_file("scale.csv"), "--json"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    const json report = json::parse(result.out)["reports"][0];
    CHECK(report["winner"]["configuration"] == "BLOCK=256,LAYOUT=strided,UNROLL=4");
    return report;
  }
  Result list() const { return run({"list", "--json", "--db", database()}); }
  std::size_t listed() const { return json::parse(list().out)["decisions"].size(); }

  void damage(const std::function<void(std::string&)>& change) const {
    std::string bytes = tuner::test::read_file(database());
    change(bytes);
    folder().write(fs::relative(database(), home()), bytes);
  }
  /// The file that damaged ones are renamed to; empty if there is none.
  fs::path aside() const {
    for (const auto& entry : fs::directory_iterator(data())) {
      if (contains(entry.path().filename(), "replay.db.corrupt-")) return entry.path();
    }
    return {};
  }
};

/// Runs SQL as a user of sqlite3 would; the last number that it returns.
std::int64_t sql(const fs::path& path, const std::string& statements) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  std::int64_t number = 0;
  const auto keep = [](void* to, int, char** values, char**) {
    if (values[0] != nullptr) *static_cast<std::int64_t*>(to) = std::atoll(values[0]);
    return 0;
  };
  CHECK(sqlite3_exec(handle, statements.c_str(), keep, &number, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
  return number;
}

void check_is_set_aside(const Replayer& user) {
  const std::string damaged = tuner::test::read_file(user.database());
  const Result list = user.list();
  CHECK(list.exit_code == 5);
  CHECK(contains(list.err, "damaged"));
  CHECK(tuner::test::read_file(user.database()) == damaged);
  CHECK(user.run({"show", "scale", "--db", user.database()}).exit_code == 5);

  const json report = user.tune();
  CHECK(report["stored_in"] == user.database().string());
  REQUIRE(report["warnings"].size() == 1);
  const fs::path aside = user.aside();
  REQUIRE(!aside.empty());
  CHECK(contains(report["warnings"][0], "`tuner recover '" + aside.string() + "'`"));
  CHECK(tuner::test::read_file(aside) == damaged);
  CHECK(user.listed() == 1);
  CHECK(user.tune()["warnings"].empty());
}

void check_is_not_touched(const Replayer& user, const std::string& reason) {
  const std::string before = tuner::test::read_file(user.database());
  const json report = user.tune();
  CHECK(report["stored_in"].is_null());
  REQUIRE(report["warnings"].size() == 1);
  CHECK_MESSAGE(contains(report["warnings"][0], reason), report["warnings"][0]);
  CHECK(tuner::test::read_file(user.database()) == before);
  CHECK(user.aside().empty());
}

}  // namespace

TEST_CASE("a truncated database is set aside by tune and refused by the others") {
  const Replayer user;
  user.tune();
  user.damage([](std::string& bytes) { bytes.resize(bytes.size() / 2); });
  check_is_set_aside(user);
}

TEST_CASE("a database with zeroed pages is set aside by tune and refused by the others") {
  const Replayer user;
  user.tune();
  user.damage([](std::string& bytes) { std::fill(bytes.begin() + 3 * kPage, bytes.end(), '\0'); });
  check_is_set_aside(user);
}

TEST_CASE("one zeroed page that a listing need not read is found by tune all the same") {
  const Replayer user;
  user.tune();
  user.damage([](std::string& bytes) { std::fill(bytes.end() - kPage, bytes.end(), '\0'); });
  CHECK(user.tune()["warnings"].size() == 1);
  CHECK(!user.aside().empty());
}

TEST_CASE("a database with a random header is set aside by tune and refused by the others") {
  const Replayer user;
  user.tune();
  std::mt19937 random(1);
  user.damage([&](std::string& bytes) {
    std::generate(bytes.begin(), bytes.begin() + 100, [&] { return static_cast<char>(random()); });
  });
  check_is_set_aside(user);
}

TEST_CASE("a database that lacks a table is set aside by tune and refused by the others") {
  const Replayer user;
  user.tune();
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(user.database().c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, "DROP TABLE decision_tie", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
  check_is_set_aside(user);
}

TEST_CASE("an empty file becomes a database") {
  const Replayer user;
  user.folder().write(".local/share/tuner/replay.db", "");
  CHECK(user.listed() == 0);
  CHECK(user.tune()["warnings"].empty());
  CHECK(user.listed() == 1);
}

TEST_CASE("a file of an older format is read as it is, brought up to date by tune, and keeps its rows") {
  const Replayer user;
  fs::copy_file(tuner::test::data_file("decisions-format-1.sqlite"), user.database());
  const std::string before = tuner::test::read_file(user.database());
  const json old = json::parse(user.list().out)["decisions"];
  REQUIRE(old.size() == 1);
  CHECK(user.run({"show", "scale", "--db", user.database()}).exit_code == 0);
  CHECK(tuner::test::read_file(user.database()) == before);
  CHECK(user.tune()["warnings"].empty());
  const json shown = json::parse(user.run({"show", "scale", "--json", "--db", user.database()}).out);
  CHECK(shown["decision"]["session"] != old[0]["session"]);
  CHECK(tuner::test::read_file(user.database()) != before);
}

TEST_CASE("a file of a newer format is left alone, and the winner is printed all the same") {
  const Replayer user;
  user.tune();
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(user.database().c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, "PRAGMA user_version = 99", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
  CHECK(user.list().exit_code == 5);
  check_is_not_touched(user, "newer version");
}

TEST_CASE("a folder that may not be written costs a warning; what is there can be read") {
  Replayer user;
  user.tune();
  // Whoever started the tests, the program runs as a user who may read everything here and write nothing.
  fs::permissions(user.home(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  for (const auto& entry : fs::recursive_directory_iterator(user.home())) {
    fs::permissions(entry.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  }
  if (geteuid() != 0) fs::permissions(user.data(), fs::perms::owner_read | fs::perms::owner_exec);
  user.before_start = [] {
    if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(126);
  };
  if (user.run({"--version"}).exit_code != 0) {
    MESSAGE("the program cannot be started by another user from where it was built");
    return;
  }
  CHECK(user.listed() == 1);
  check_is_not_touched(user, "is not writable");
  fs::permissions(user.data(), fs::perms::owner_all);
}

TEST_CASE("a full disk costs a warning, keeps what was there, and the winner is printed") {
  Replayer user;
  user.tune();
  const rlim_t size = fs::file_size(user.database());
  user.before_start = [size] {
    const rlimit limit{size, size};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const json report = user.tune();
  CHECK(report["stored_in"].is_null());
  CHECK(report["warnings"].size() == 1);
  user.before_start = nullptr;
  CHECK(user.listed() == 1);
  CHECK(user.tune()["warnings"].empty());
}

TEST_CASE("a decision that a full disk kept out is not said to be stored") {
  Replayer user;
  user.tune();
  const rlim_t size = fs::file_size(user.database());
  const std::string before = tuner::test::read_file(user.database());
  for (rlim_t room = 0; room < 6 * kPage; room += kPage) {
    user.damage([&](std::string& bytes) { bytes = before; });
    user.before_start = [limit = size + room] {
      const rlimit limits{limit, limit};
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &limits);
    };
    const json report = user.tune();
    user.before_start = nullptr;
    const json listed = json::parse(user.list().out)["decisions"];
    const bool is_served = listed.at(0)["session"] == report["session"];
    CHECK(report["stored_in"].is_null() != is_served);
    CHECK(report["stored"]["decision"] == is_served);
    CHECK(report["stored"]["of_trials"] == 22);
    const json count = sql(user.database(), "SELECT count(*) FROM run JOIN trial USING (run_id) WHERE session = '" +
                                                report["session"].get<std::string>() + "'");
    CHECK(report["stored"]["trials"] == count);
    if (!is_served) CHECK(report["warnings"].size() == 1);
  }
}

TEST_CASE("trials that were stored do not let a decision that was not appear as stored") {
  const Replayer user;
  user.tune();
  sql(user.database(), "CREATE UNIQUE INDEX full ON decision (baseline)");
  const json report = user.tune();
  CHECK(report["stored_in"].is_null());
  CHECK(report["stored"] == json{{"trials", 22}, {"of_trials", 22}, {"decision", false}});
  CHECK(report["warnings"].size() == 1);
  const Result text = user.run({"tune", "--replay", tuner::test::data_file("scale.csv")});
  CHECK(text.exit_code == 0);
  CHECK(!contains(text.out, "Stored in"));
  CHECK(
      contains(text.out, "Not stored in full: 22 of 22 trials, without the decision, in " + user.database().string()));
}

TEST_CASE("tune sets aside whatever ended in 70 once, and the other commands call it damage") {
  const auto check = [](const std::function<void(const Replayer&)>& damage) {
    const Replayer user;
    user.tune();
    damage(user);
    for (const char* const command : {"list", "doctor", "export", "import"}) {
      std::vector<std::string> words{command, "--db", user.database()};
      if (words[0] == "export") words.push_back("out.db");
      if (words[0] == "import") words = {"import", user.database(), "--db", user.home() / "other.db"};
      if (words[0] == "doctor") words = {"doctor", "--json"};
      const Result result = user.run(words);
      INFO(command << ": " << result.out << result.err);
      CHECK((result.exit_code == 5 || words[0] == "doctor" || (words[0] == "list" && result.exit_code == 0)));
      CHECK(contains(result.out + result.err, "damaged") != (result.exit_code == 0));
    }
    CHECK(user.tune()["stored_in"] == user.database().string());
    CHECK(!user.aside().empty());
    // What was set aside comes back as the warning said.
    const Result recovered = user.run({"recover", user.aside(), "back.db", "--json"});
    CHECK_MESSAGE(recovered.exit_code == 0, recovered.err);
    const Result shown = user.run({"list", "--json", "--db", "back.db"});
    CHECK(json::parse(shown.out)["decisions"].size() == 1);
  };
  check([](const Replayer& user) { user.damage([](std::string& bytes) { bytes[47] = 9; }); });
  check([](const Replayer& user) { sql(user.database(), "PRAGMA user_version = 1"); });
  check([](const Replayer& user) { sql(user.database(), "PRAGMA user_version = 2"); });
  check([](const Replayer& user) {
    sql(user.database(), "PRAGMA foreign_keys = OFF; UPDATE trial SET outcome = 99 WHERE trial_id = 3");
  });
}

TEST_CASE("recover says what came back, and leaves alone what is there") {
  const Replayer user;
  user.tune();
  user.damage([](std::string& bytes) { std::fill(bytes.begin(), bytes.begin() + 100, 'x'); });
  CHECK(user.list().exit_code == 5);
  const Result result = user.run({"recover", user.database()});
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, user.database().string() + ".recovered.db"));
  CHECK(contains(result.out, "Nothing is known to be lost. `tuner import"));
  const Result again = user.run({"recover", user.database()});
  CHECK(again.exit_code == 2);
  CHECK(contains(again.err, "already exists"));
  CHECK(user.run({"recover"}).exit_code == 2);
  CHECK(user.run({"recover", "missing.db"}).exit_code == 2);
  user.folder().write("notes.db", "Dear diary, ...");
  const Result none = user.run({"recover", "notes.db"});
  CHECK(none.exit_code == 1);
  CHECK(contains(none.err, "nothing was written"));
  CHECK(!fs::exists(user.home() / "notes.db.recovered.db"));
}

TEST_CASE("a file system without locks is named at once, and the winner is printed") {
  Replayer user;
  user.tune();
  // A space ends the name of what is preloaded, and the build folder may have one.
  fs::create_symlink(TUNER_NO_LOCKS, user.home() / "no_locks.so");
  user.environment["LD_PRELOAD"] = "./no_locks.so";
  user.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
  check_is_not_touched(user, "no file locks");
  const Result list = user.list();
  CHECK(list.exit_code == 5);
  CHECK(contains(list.err, "no file locks"));
}
