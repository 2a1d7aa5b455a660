#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cache/store/binary_store.hpp"
#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

/// Of a kind that `tuner doctor --json` finds.
json findings(const User& user, const std::string& what, const Words& options = {}) {
  const json report = json::parse(user.run(joined({"doctor", "--json"}, options)).out);
  json found = json::array();
  for (const json& finding : report["findings"]) {
    if (finding["what"] == what) found.push_back(finding);
  }
  return found;
}
json finding(const User& user, const std::string& what, const Words& options = {}) {
  const json found = findings(user, what, options);
  REQUIRE(found.size() == 1);
  return found[0];
}

/// A database of the site's, as `tuner pack` leaves it: a decision, and binaries beside it.
fs::path site_database(const User& user, const std::string& folder) {
  const fs::path file = user.home() / folder / "decisions.db";
  record(*cache::SqliteStore::open({.path = file}), decision_on_h200("scale", "n=1"));
  return file;
}

/// Has programs that stand in for tuner-worker and tuner-engine.
struct ScriptOwner : User {
  explicit ScriptOwner(const std::string& text) {
    for (const char* const name : {"libexec/tuner-worker", "libexec/tuner-engine"}) {
      fs::permissions(folder().write(name, text), fs::perms::owner_all);
    }
    environment["TUNER_LIBEXEC"] = home() / "libexec";
  }
};

}  // namespace

TEST_CASE("doctor has a command for every gap, and none where there is no gap") {
  User user;
  user.environment["TUNER_NVRTC"] = "/nowhere";
  user.environment["TUNER_CUPTI"] = "/nowhere";
  user.environment["TUNER_SYSTEM_DB"] = "/nowhere:";
  user.folder().write("afile", "text");
  const Result result = user.run({"doctor", "--json", "--db", "afile"});
  CHECK(result.exit_code == 4);
  const json report = json::parse(result.out);
  std::size_t gaps = 0;
  for (const json& each : report["findings"]) {
    INFO(each.dump());
    CHECK(each["found"] == !each.contains("command"));
    if (each["found"]) continue;
    CHECK_FALSE(each["command"].get<std::string>().empty());
    ++gaps;
  }
  CHECK(gaps == 7);  // toolkit, CUPTI, driver, database, replays, binaries, system
  check_has(user.run({"doctor"}).out,
            {"NO   toolkit ", "\n     do           unset TUNER_NVRTC\n", "--replay", "unset TUNER_SYSTEM_DB\n"});
}

TEST_CASE("doctor called an NVRTC found whose built-in functions are missing") {
  User user;
  const json whole = finding(user, "toolkit");
  if (whole["found"] == false) return;                         // none is installed
  std::istringstream words(whole["text"].get<std::string>());  // NVRTC 13.0.88 in FILE, headers in ...
  std::string word, version, library;
  words >> word >> version >> word >> library;
  library.pop_back();
  // What is broken on the loader's path is not looked for elsewhere. A copy, as a link leads to the folder with both.
  const fs::path builtins = user.folder().write(
      "libnvrtc-builtins.so." + version.substr(0, version.find('.', version.find('.') + 1)), "no library");
  fs::copy_file(library, builtins.parent_path() / "libnvrtc.so");
  user.environment["LD_LIBRARY_PATH"] = builtins.parent_path().string();
  user.environment["TUNER_NVRTC"] = (builtins.parent_path() / "libnvrtc.so").string();
  const json broken = finding(user, "toolkit");
  CHECK(broken["found"] == false);
  check_has(broken["text"].get<std::string>(), {"libnvrtc-builtins.so", "Install the toolkit again", "TUNER_NVRTC"});
}

TEST_CASE("doctor says which package has CUPTI, without which tuning works all the same") {
  User user;
  const int before = user.run({"doctor"}).exit_code;
  user.environment["TUNER_CUPTI"] = "/nowhere";
  const json missing = finding(user, "CUPTI");
  CHECK(missing["found"] == false);
  CHECK(missing["command"] == "unset TUNER_CUPTI");
  check_has(missing["text"], {"/nowhere", "cuda-cupti-12-8"});
  const Result result = user.run({"doctor"});
  CHECK(result.exit_code == before);
  check_has(result.out, {"NO   CUPTI ", "`tuner capture` sees no kernels"});
}

TEST_CASE("doctor starts worker and engine") {
  const User whole;
  CHECK(finding(whole, "worker")["found"] == true);
  CHECK(finding(whole, "engine")["found"] == true);

  const ScriptOwner broken("#!/bin/sh\necho a library is missing >&2\nexit 3\n");
  for (const char* const what : {"worker", "engine"}) {
    const json found = finding(broken, what);
    CHECK(found["found"] == false);
    check_has(found["text"], {"exited with status 3", "a library is missing", "libexec/tuner-"});
    CHECK(found["command"] == "unset TUNER_LIBEXEC");
  }
  CHECK(broken.run({"doctor"}).exit_code == 4);
}

TEST_CASE("what doctor says to do to a damaged database, saves it") {
  const User user;
  record(*open_database(user), decision_on_h200("scale", "n=1"));
  std::string bytes = read_bytes(user.data() / "decisions.db");
  std::fill(bytes.begin(), bytes.begin() + 100, 'x');
  write_bytes(user.data() / "decisions.db", bytes);
  const std::string command = finding(user, "database")["command"];
  CHECK(contains(command, "tuner recover "));
  CHECK(user.in_shell(shell_word(TUNER_PROGRAM) + command.substr(command.find(' ')) + " >out 2>&1") == 0);
  const json saved =
      json::parse(user.run({"list", "--json", "--db", (user.data() / "decisions-recovered.db").string()}).out);
  CHECK(saved["decisions"].size() == 1);
}

TEST_CASE("doctor and prune say to delete damaged binaries, which are compiled again") {
  const User user;
  record(*open_database(user), decision_on_h200("scale", "n=1"));
  const fs::path binaries = user.data() / "binaries.db";
  SUBCASE("no database") {
    write_bytes(binaries, std::string(20'000, 'x'));
  }
  SUBCASE("a database that lacks a table") {
    cache::BinaryStore::open({.path = binaries});
    run_sql(binaries, "DROP TABLE binary");
  }
  const json found = finding(user, "binaries", {"--db", user.data()});
  CHECK(found["found"] == false);
  check_has(found["text"], {"is damaged", "what it holds is compiled again"});
  check_error(user.run({"prune", "--db", user.data()}), 5, {"or delete it: what it holds is compiled again."});
  CHECK(user.in_shell(found["command"]) == 0);
  CHECK(finding(user, "binaries", {"--db", user.data()})["found"] == true);
}

TEST_CASE("doctor reads the databases that programs find besides the user's") {
  User user;
  CHECK(finding(user, "system")["found"] == true);
  check_has(finding(user, "system")["text"], {"TUNER_SYSTEM_DB", "/etc/tuner/decisions.db", "share/tuner/system.db"});

  const fs::path first = site_database(user, "first");
  user.environment["TUNER_SYSTEM_DB"] = "first:" + (user.home() / "second").string();
  const json two = findings(user, "system");
  REQUIRE(two.size() == 2);
  CHECK(two[0]["found"] == true);
  check_has(two[0]["text"], {"first/decisions.db with 1 decision"});
  CHECK(two[1]["found"] == false);
  check_has(two[1]["text"], {"second/decisions.db", "does not exist"});

  user.environment["TUNER_SYSTEM_DB"] = first;
  std::string bytes = read_bytes(first);
  std::fill(bytes.begin() + 4096, bytes.end(), 'x');
  write_bytes(first, bytes);
  check_has(finding(user, "system")["text"], {"damaged"});
  CHECK(read_bytes(first) == bytes);
}

TEST_CASE("doctor names binaries of the site that others could have changed, and its command makes them trusted") {
  User user;
  user.environment["TUNER_SYSTEM_DB"] = site_database(user, "our site; $(false)");
  const fs::path binaries = user.folder().write("our site; $(false)/binaries.db", "anything");
  fs::permissions(binaries, fs::perms::others_write, fs::perm_options::add);
  const json distrusted = finding(user, "system");
  CHECK(distrusted["found"] == false);
  check_has(distrusted["text"], {"another user could have changed", binaries});
  CHECK(user.run({"doctor"}).exit_code != 0);
  CHECK(user.in_shell(distrusted["command"]) == 0);
  CHECK(finding(user, "system")["found"] == true);
}

TEST_CASE("doctor finds the database of the installed tree that it is in") {
  const User user;
  for (const char* const folder : {"tree/bin", "tree/share/tuner"}) fs::create_directories(user.home() / folder);
  record(*cache::SqliteStore::open({.path = user.home() / "tree/share/tuner/system.db"}),
         decision_on_h200("scale", "n=1"));
  // A second name of the program, or, where the folders are on different disks, a copy.
  const std::string program = shell_word(TUNER_PROGRAM);
  REQUIRE(user.in_shell("ln " + program + " tree/bin/tuner 2>ignored || cp " + program + " tree/bin/tuner") == 0);
  user.in_shell("tree/bin/tuner doctor >out 2>&1");
  check_has(read_bytes(user.home() / "out"), {"ok   system ", "tree/share/tuner/system.db with 1 decision"});
}

TEST_CASE("without /proc the tuner was told to be incomplete, and to be unpacked into a folder without a name") {
  const User user;
  const auto without_proc = [&](const std::string& command) {
    user.in_shell("PROGRAM=" + shell_word(TUNER_PROGRAM) +
                  " unshare -m sh -c 'mount -t tmpfs none /proc && exec env -i HOME=. \"$PROGRAM\" " + command +
                  "' > said 2>&1");
    return read_bytes(user.home() / "said");
  };
  if (user.in_shell("unshare -m mount -t tmpfs none /proc 2> /dev/null") != 0) {
    MESSAGE("this user may not hide /proc");
    return;
  }
  const std::string said = without_proc("doctor");
  check_has(said, {"without /proc nothing says where this program is: mount it, or set TUNER_LIBEXEC",
                   "sudo mount -t proc proc /proc"});
  CHECK_FALSE(contains(said, "-C ''"));
  user.folder().write("scale.cu", read_bytes(data_file("scale.cu")));
  check_has(without_proc("describe scale.cu"), {"#pragma tuner kernel(scale)"});
}
