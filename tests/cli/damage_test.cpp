// Databases that are damaged or cannot be used, met by the program itself. A replay stands for every session: it opens
// its database as one on a GPU does.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDatabasePage = 4096;
constexpr uid_t kNobody = 65534;

class Replayer : public User {
 public:
  Replayer() { fs::create_directories(data()); }
  fs::path database() const { return data() / "replay.db"; }

  /// Tunes by replay: the winner must be printed whatever the database is like.
  json tune() const {
    const Result result = run({"tune", "--replay", data_file("scale.csv"), "--json"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    const json report = json::parse(result.out)["reports"][0];
    CHECK(report["winner"]["configuration"] == "BLOCK=256,LAYOUT=strided,UNROLL=4");
    return report;
  }
  Result list() const { return run({"list", "--json", "--db", database()}); }
  std::size_t listed() const { return json::parse(list().out)["decisions"].size(); }

  void damage(const std::function<void(std::string&)>& change) const {
    std::string bytes = read_bytes(database());
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

/// Who has tuned once.
struct ReplayOwner : Replayer {
  ReplayOwner() { tune(); }
};

void check_is_set_aside(const Replayer& user) {
  const std::string damaged = read_bytes(user.database());
  check_err(user.list(), 5, {"damaged"});
  CHECK(read_bytes(user.database()) == damaged);
  CHECK(user.run({"show", "scale", "--db", user.database()}).exit_code == 5);

  const json report = user.tune();
  CHECK(report["stored_in"] == user.database().string());
  REQUIRE(report["warnings"].size() == 1);
  const fs::path aside = user.aside();
  REQUIRE(!aside.empty());
  CHECK(contains(report["warnings"][0], "`tuner recover '" + aside.string() + "'`"));
  CHECK(read_bytes(aside) == damaged);
  CHECK(user.listed() == 1);
  CHECK(user.tune()["warnings"].empty());
}

void check_is_not_touched(const Replayer& user, const std::string& reason) {
  const std::string before = read_bytes(user.database());
  const json report = user.tune();
  CHECK(report["stored_in"].is_null());
  REQUIRE(report["warnings"].size() == 1);
  CHECK_MESSAGE(contains(report["warnings"][0], reason), report["warnings"][0]);
  CHECK(read_bytes(user.database()) == before);
  CHECK(user.aside().empty());
}

}  // namespace

TEST_CASE("a damaged database is set aside by tune and refused by the others") {
  const ReplayOwner user;
  SUBCASE("truncated") {
    user.damage([](std::string& bytes) { bytes.resize(bytes.size() / 2); });
  }
  SUBCASE("with zeroed pages") {
    user.damage([](std::string& bytes) { std::fill(bytes.begin() + 3 * kDatabasePage, bytes.end(), '\0'); });
  }
  SUBCASE("with a random header") {
    std::mt19937 random(1);
    user.damage([&](std::string& bytes) {
      std::generate(bytes.begin(), bytes.begin() + 100, [&] { return static_cast<char>(random()); });
    });
  }
  SUBCASE("without one of its tables") {
    run_sql(user.database(), "DROP TABLE decision_tie");
  }
  check_is_set_aside(user);
}

TEST_CASE("one zeroed page that a listing need not read is found by tune all the same") {
  const ReplayOwner user;
  user.damage([](std::string& bytes) { std::fill(bytes.end() - kDatabasePage, bytes.end(), '\0'); });
  CHECK(user.tune()["warnings"].size() == 1);
  CHECK(!user.aside().empty());
}

TEST_CASE("a database whose creator was killed was refused until somebody wrote it, and doctor advised against it") {
  Replayer user;
  user.preload(TUNER_NAME_CHANGES);
  user.environment["TUNER_TEST_KILLED_CHANGE"] = "1";  // the journal of the first transaction
  CHECK(user.run({"tune", "--replay", data_file("scale.csv")}).exit_code == 128 + SIGKILL);
  user.environment.erase("TUNER_TEST_KILLED_CHANGE");
  const fs::path journal = user.database().string() + "-journal";
  REQUIRE(fs::file_size(user.database()) > 0);
  REQUIRE(fs::exists(journal));
  const std::string before = read_bytes(user.database());
  CHECK(user.listed() == 0);
  const std::string database = user.database().string();
  check_err(user.run({"show", "scale", "--db", database}), 1, {"Nothing is stored"});
  check_has(user.run({"doctor", "--db", database}).out, {database + " with 0 decisions"});
  CHECK(read_bytes(user.database()) == before);
  CHECK(fs::exists(journal));
  CHECK(user.tune()["warnings"].empty());
  CHECK(user.list().exit_code == 0);
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
  fs::copy_file(data_file("decisions-format-1.sqlite"), user.database());
  const std::string before = read_bytes(user.database());
  const json old = json::parse(user.list().out)["decisions"];
  REQUIRE(old.size() == 1);
  CHECK(user.run({"show", "scale", "--db", user.database()}).exit_code == 0);
  CHECK(read_bytes(user.database()) == before);
  CHECK(user.tune()["warnings"].empty());
  const json shown = json::parse(user.run({"show", "scale", "--json", "--db", user.database()}).out);
  CHECK(shown["decision"]["session"] != old[0]["session"]);
  CHECK(read_bytes(user.database()) != before);
}

TEST_CASE("a file of a newer format is left alone, and the winner is printed all the same") {
  const ReplayOwner user;
  run_sql(user.database(), "PRAGMA user_version = 99");
  CHECK(user.list().exit_code == 5);
  check_is_not_touched(user, "newer version");
}

TEST_CASE("a folder that may not be written costs a warning; what is there can be read") {
  ReplayOwner user;
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
  ReplayOwner user;
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
  ReplayOwner user;
  const rlim_t size = fs::file_size(user.database());
  const std::string before = read_bytes(user.database());
  for (rlim_t room = 0; room < 6 * kDatabasePage; room += kDatabasePage) {
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
    const json count = run_sql(user.database(), "SELECT count(*) FROM run JOIN trial USING (run_id) WHERE session = '" +
                                                    report["session"].get<std::string>() + "'");
    CHECK(report["stored"]["trials"] == count);
    if (!is_served) CHECK(report["warnings"].size() == 1);
  }
}

TEST_CASE("trials that were stored do not let a decision that was not appear as stored") {
  const ReplayOwner user;
  run_sql(user.database(), "CREATE UNIQUE INDEX full ON decision (baseline)");
  const json report = user.tune();
  CHECK(report["stored_in"].is_null());
  CHECK(report["stored"] == json{{"trials", 22}, {"of_trials", 22}, {"decision", false}});
  CHECK(report["warnings"].size() == 1);
  const Result text = user.run({"tune", "--replay", data_file("scale.csv")});
  check_out(text, 0, {"Not stored in full: 22 of 22 trials, without the decision, in " + user.database().string()});
  CHECK(!contains(text.out, "Stored in"));
}

TEST_CASE("recover writes everything or nothing when it is killed, and can be repeated") {
  ReplayOwner user;
  user.preload(TUNER_NAME_CHANGES);
  const std::string damaged = read_bytes(user.database());
  const Words command{"recover", user.database(), "saved.db"};
  int exit_code = -1;
  for (int killed = 1; exit_code != 0 && killed < 100; ++killed) {
    user.environment["TUNER_TEST_KILLED_CHANGE"] = std::to_string(killed);
    exit_code = user.run(command).exit_code;
    user.environment.erase("TUNER_TEST_KILLED_CHANGE");
    CHECK(read_bytes(user.database()) == damaged);
    CHECK(fs::exists(user.home() / "saved.db") == (exit_code == 0));
  }
  CHECK(json::parse(user.run({"list", "--json", "--db", "saved.db"}).out)["decisions"].size() == 1);
}

TEST_CASE("tune sets aside whatever ended in 70 once, and the other commands call it damage") {
  const ReplayOwner user;
  SUBCASE("a byte of the header") {
    user.damage([](std::string& bytes) { bytes[47] = 9; });
  }
  SUBCASE("format 1") {
    run_sql(user.database(), "PRAGMA user_version = 1");
  }
  SUBCASE("format 2") {
    run_sql(user.database(), "PRAGMA user_version = 2");
  }
  SUBCASE("an outcome that does not exist") {
    run_sql(user.database(), "PRAGMA foreign_keys = OFF; UPDATE trial SET outcome = 99 WHERE trial_id = 3");
  }
  const std::string file = user.database();
  for (const Words& words : {Words{"list", "--db", file},
                             {"doctor", "--json"},
                             {"export", "--db", file, "out.db"},
                             {"import", file, "--db", user.home() / "other.db"}}) {
    const Result result = user.run(words);
    INFO(result.command << ": " << result.out << result.err);
    CHECK((result.exit_code == 5 || words[0] == "doctor" || (words[0] == "list" && result.exit_code == 0)));
    CHECK(contains(result.out + result.err, "damaged") != (result.exit_code == 0));
  }
  CHECK(user.tune()["stored_in"] == file);
  REQUIRE(!user.aside().empty());
  // What was set aside comes back as the warning said.
  check_out(user.run({"recover", user.aside(), "back.db", "--json"}), 0);
  CHECK(json::parse(user.run({"list", "--json", "--db", "back.db"}).out)["decisions"].size() == 1);
}

TEST_CASE("recover says what came back, and leaves alone what is there") {
  const ReplayOwner user;
  user.damage([](std::string& bytes) { std::fill(bytes.begin(), bytes.begin() + 100, 'x'); });
  CHECK(user.list().exit_code == 5);
  check_out(user.run({"recover", user.database()}), 0,
            {user.database().string() + ".recovered.db", "Nothing is known to be lost. `tuner import"});
  check_err(user.run({"recover", user.database()}), 2, {"already exists"});
  CHECK(user.run({"recover"}).exit_code == 2);
  CHECK(user.run({"recover", "missing.db"}).exit_code == 2);
  user.folder().write("notes.db", "Dear diary, ...");
  check_err(user.run({"recover", "notes.db"}), 1, {"nothing was written"});
  CHECK(!fs::exists(user.home() / "notes.db.recovered.db"));
}

TEST_CASE("a file system without locks is named at once, and the winner is printed") {
  ReplayOwner user;
  user.preload(TUNER_NO_LOCKS);
  check_is_not_touched(user, "no file locks");
  check_err(user.list(), 5, {"no file locks"});
}
