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
  check_is_not_touched(user, "may not be written");
  fs::permissions(user.data(), fs::perms::owner_all);
}

TEST_CASE("a full disk costs a warning, keeps what was there, and the winner is printed") {
  Replayer user;
  user.tune();
  const rlim_t size = fs::file_size(user.database());
  user.before_start = [size] {
    const rlimit limit{size, size};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const json report = user.tune();
  CHECK(report["stored_in"].is_null());
  CHECK(report["warnings"].size() == 1);
  user.before_start = nullptr;
  CHECK(user.listed() == 1);
  CHECK(user.tune()["warnings"].empty());
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
