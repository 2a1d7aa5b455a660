// What a report says of where a session's rows are.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>

#include "cache/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/engine/workplace/session_stores.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

/// A session that stored two trials and its decision.
struct Stored {
  /// `database`: in the session's folder, in which there is a file named "file".
  explicit Stored(const std::string& name = "decisions.db") {
    folder.write("file", "no folder");
    database = folder.path() / name;
    stores = open_for_session(database);
    cache::Trial trial;
    trial.key = {"kernel", "kernel:0", "n=1", "gpu", "cold"};
    trial.session = "this session";
    trial.configuration = "X=1";
    stores.store->record_trials(std::vector(2, trial));
    report.session = trial.session;
    report.decision.key = trial.key;
    report.decision.session = report.session;
    report.decision.configuration = "X=1";
    stores.store->record_decision(report.decision);
    report.stored = {.trials = 2, .of_trials = 2, .decision = true, .has_decision = true};
  }

  test::TemporaryFolder folder;
  fs::path database;
  SessionStores stores;
  TuneReport report;
};

TEST_CASE("what is in the database is said to be there") {
  Stored session;
  CHECK_FALSE(say_what_is_stored(session.stores, session.report));
  CHECK(session.report.stored_in == session.database);
  CHECK(session.report.stored.everything());
}

TEST_CASE("rows in a database that was deleted, renamed or replaced in mid-session were said to be stored in it") {
  const auto check = [](const std::function<void(const fs::path&)>& disturb) {
    Stored session;
    disturb(session.database);
    const auto warning = say_what_is_stored(session.stores, session.report);
    REQUIRE(warning);
    CHECK(warning->find("deleted, renamed or replaced") != std::string::npos);
    CHECK(warning->find("0 of its 2 trials are in the one that has the name now") != std::string::npos);
    CHECK_FALSE(session.report.stored.anything());
    CHECK_FALSE(session.report.stored.everything());
  };
  check([](const fs::path& path) { fs::remove(path); });
  check([](const fs::path& path) { fs::rename(path, path.string() + ".old"); });
  check([](const fs::path& path) {
    const std::string other = path.string() + ".new.db";
    cache::SqliteStore::open({.path = other});
    fs::rename(other, path);
  });
}

TEST_CASE("trials that were cut off with the end of the file were said to be stored") {
  Stored session;
  fs::resize_file(session.database, 4096);
  session.report.stored.of_trials = 3;  // the next one met the damage
  CHECK_FALSE(say_what_is_stored(session.stores, session.report));
  CHECK_FALSE(session.report.stored.anything());
}

TEST_CASE("where a disk ran full, what is there is counted") {
  Stored session;
  session.report.stored = {.trials = 2, .of_trials = 5, .decision = false, .has_decision = true};
  CHECK_FALSE(say_what_is_stored(session.stores, session.report));
  CHECK(session.report.stored.trials == 2);
  CHECK(session.report.stored.decision);  // it was found there after all
  CHECK_FALSE(session.report.stored.everything());
}

TEST_CASE("nothing is said to be stored where there is only memory") {
  Stored session("file/decisions.db");
  CHECK_FALSE(say_what_is_stored(session.stores, session.report));
  CHECK(session.report.stored_in.empty());
}

}  // namespace
}  // namespace tuner::engine
