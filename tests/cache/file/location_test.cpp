#include "cache/file/location.hpp"

#include <cstdlib>

#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

/// Sets the variables that locate() looks at, and puts back what was there.
class Environment {
 public:
  Environment(const char* tuner_db, const char* data, const char* cache, const char* home) {
    set("TUNER_DB", tuner_db);
    set("XDG_DATA_HOME", data);
    set("XDG_CACHE_HOME", cache);
    set("HOME", home);
  }
  ~Environment() {
    for (const auto& [name, value] : before_) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }

 private:
  void set(const char* name, const char* value) {
    const char* const old = std::getenv(name);
    before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

void check_location(const Location& location, const char* decisions, const char* binaries) {
  CHECK(location.decisions == decisions);
  CHECK(location.binaries == binaries);
}

TEST_CASE("without any choice the databases are below the home folder") {
  const Environment environment(nullptr, nullptr, nullptr, "/home/ada");
  check_location(locate(), "/home/ada/.local/share/tuner/decisions.db", "/home/ada/.cache/tuner/binaries.db");
}

TEST_CASE("the XDG folders come before the home folder") {
  const Environment environment(nullptr, "/data", "/scratch/cache", "/home/ada");
  check_location(locate(), "/data/tuner/decisions.db", "/scratch/cache/tuner/binaries.db");
}

TEST_CASE("empty and relative XDG folders are ignored") {
  const Environment environment("", "", "relative/cache", "/home/ada");
  check_location(locate(), "/home/ada/.local/share/tuner/decisions.db", "/home/ada/.cache/tuner/binaries.db");
}

TEST_CASE("TUNER_DB names a folder for both databases") {
  const Environment environment("/project/tuning", "/data", "/cache", "/home/ada");
  check_location(locate(), "/project/tuning/decisions.db", "/project/tuning/binaries.db");
}

TEST_CASE("TUNER_DB that ends in .db names the file of the decisions") {
  const Environment environment("/project/h200.db", nullptr, nullptr, nullptr);
  check_location(locate(), "/project/h200.db", "/project/binaries.db");
}

TEST_CASE("a choice comes before TUNER_DB and may be relative") {
  const Environment environment("/project/h200.db", nullptr, nullptr, nullptr);
  check_location(locate("here"), "here/decisions.db", "here/binaries.db");
  check_location(locate("mine.db"), "mine.db", "binaries.db");
  check_location(locate("folder.db/"), "folder.db/decisions.db", "folder.db/binaries.db");
}

TEST_CASE("a slash after the name of a file makes no folder of it") {
  const TemporaryFolder folder;
  write_bytes(folder / "mine.db", "");
  check_location(locate((folder / "mine.db").string() + "/"), (folder / "mine.db").c_str(),
                 (folder / "binaries.db").c_str());
}

TEST_CASE("the file of the binaries cannot be chosen for the decisions") {
  check_error(Errc::bad_usage, {"/project/binaries.db"}, [] { locate("/project/binaries.db"); });
}

TEST_CASE("without a choice and without a home folder there is no location") {
  const Environment environment(nullptr, nullptr, "/cache", nullptr);
  check_error(Errc::store_unavailable, {"TUNER_DB"}, [] { locate(); });
}

TEST_CASE("without a home folder both XDG folders are enough") {
  const Environment environment(nullptr, "/data", "/cache", nullptr);
  check_location(locate(), "/data/tuner/decisions.db", "/cache/tuner/binaries.db");
}

TEST_CASE("replayed rows go to a file beside the decisions") {
  CHECK(replay_database(locate("/project")) == "/project/replay.db");
  CHECK(replay_database(locate("/project/h200.db")) == "/project/replay.db");
}

}  // namespace
}  // namespace tuner::cache::test
