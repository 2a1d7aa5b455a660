// What a report says of where a session's rows are.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "cache/store/sqlite_store.hpp"
#include "tuner/engine/session/session_stores.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tuner-stored-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path database() const { return path_ / "decisions.db"; }

 private:
  fs::path path_;
};

cache::Trial some_trial() {
  cache::Trial trial;
  trial.key = {"kernel", "kernel:0", "n=1", "gpu", "cold"};
  trial.session = "this session";
  trial.configuration = "X=1";
  return trial;
}

/// A session that stored two trials and its decision.
TuneReport store_in(const SessionStores& stores) {
  TuneReport report;
  const std::vector<cache::Trial> trials(2, some_trial());
  stores.store->record_trials(trials);
  report.session = trials[0].session;
  report.decision.key = trials[0].key;
  report.decision.session = report.session;
  report.decision.configuration = "X=1";
  stores.store->record_decision(report.decision);
  report.stored = {.trials = 2, .of_trials = 2, .decision = true, .has_decision = true};
  return report;
}

TEST_CASE("what is in the database is said to be there") {
  const Folder folder;
  const SessionStores stores = open_for_session(folder.database());
  TuneReport report = store_in(stores);
  CHECK_FALSE(say_what_is_stored(stores, report));
  CHECK(report.stored_in == folder.database());
  CHECK(report.stored.everything());
}

TEST_CASE("rows in a database that was deleted, renamed or replaced in mid-session were said to be stored in it") {
  const auto check = [](const std::function<void(const fs::path&)>& disturb) {
    const Folder folder;
    const SessionStores stores = open_for_session(folder.database());
    TuneReport report = store_in(stores);
    disturb(folder.database());
    const auto warning = say_what_is_stored(stores, report);
    REQUIRE(warning);
    CHECK(warning->find("deleted, renamed or replaced") != std::string::npos);
    CHECK(warning->find("0 of its 2 trials are in the one that has the name now") != std::string::npos);
    CHECK_FALSE(report.stored.anything());
    CHECK_FALSE(report.stored.everything());
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
  const Folder folder;
  const SessionStores stores = open_for_session(folder.database());
  TuneReport report = store_in(stores);
  fs::resize_file(folder.database(), 4096);
  report.stored.of_trials = 3;  // the next one met the damage
  CHECK_FALSE(say_what_is_stored(stores, report));
  CHECK_FALSE(report.stored.anything());
}

TEST_CASE("where a disk ran full, what is there is counted") {
  const Folder folder;
  const SessionStores stores = open_for_session(folder.database());
  TuneReport report = store_in(stores);
  report.stored = {.trials = 2, .of_trials = 5, .decision = false, .has_decision = true};
  CHECK_FALSE(say_what_is_stored(stores, report));
  CHECK(report.stored.trials == 2);
  CHECK(report.stored.decision);  // it was found there after all
  CHECK_FALSE(report.stored.everything());
}

TEST_CASE("nothing is said to be stored where there is only memory") {
  const Folder folder;
  std::ofstream(folder.database().parent_path() / "file") << "no folder";
  const SessionStores stores = open_for_session(folder.database().parent_path() / "file" / "decisions.db");
  TuneReport report = store_in(stores);
  CHECK_FALSE(say_what_is_stored(stores, report));
  CHECK(report.stored_in.empty());
}

}  // namespace
}  // namespace tuner::engine
