#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "cache/store/sqlite_store.hpp"
#include "tests/cli/program.hpp"

namespace tuner::test {

namespace cache = tuner::cache;

/// One of the user's databases, created where it is missing.
inline std::unique_ptr<cache::SqliteStore> open_database(const User& user, const std::string& name = "decisions.db") {
  return cache::SqliteStore::open({.path = user.data() / name});
}

/// A verified winner on an H200 that takes a microsecond.
inline cache::Decision decision_on_h200(const std::string& kernel, const std::string& problem,
                                        const std::string& winner = "BLOCK=256") {
  cache::Decision decision;
  decision.key = {
      kernel, kernel + ":0123456789abcdef", problem, "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=", "cold",
      "time"};
  decision.reuse_hash = "reuse";
  decision.session = "session-1";
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  decision.configuration = winner;
  decision.time_ns = 1000;
  decision.verified = true;
  return decision;
}

/// A trial of the same session; one without a time was refused at its launch.
inline cache::Trial trial_of(const cache::Run& run, const std::string& configuration, std::optional<double> time_ns,
                             std::int64_t sequence = 0) {
  cache::Trial trial;
  static_cast<cache::Run&>(trial) = run;
  trial.sequence = sequence;
  trial.configuration = configuration;
  trial.time_ns = time_ns;
  trial.facts.registers = 40;
  if (time_ns) {
    trial.samples_ns = {*time_ns, *time_ns + 10};
  } else {
    trial.outcome = Outcome::launch_refused;
    trial.message = "Too many registers for a block of 1024 threads.";
  }
  return trial;
}

/// Records a decision and the trial of its winner.
inline void record(cache::Store& store, const cache::Decision& decision) {
  const cache::Trial trial = trial_of(decision, decision.configuration, decision.time_ns);
  store.record_trials({&trial, 1});
  store.record_decision(decision);
}

/// Runs SQL as a user of sqlite3 would; the last number that it returns.
inline std::int64_t run_sql(const std::filesystem::path& path, const std::string& statements) {
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

}  // namespace tuner::test
