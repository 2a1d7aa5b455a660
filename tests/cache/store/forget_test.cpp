#include "tests/cache/store/behind_lock.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

DecisionKey key_of(const std::string& kernel, const std::string& problem = "n=1", const std::string& mode = "cold") {
  return {kernel, kernel + ":identity", problem, "H200", mode, "time"};
}

/// A trial, a decision and a quarantined binary.
void learn(Store& store, const DecisionKey& key) {
  Trial trial = full_trial();
  trial.key = key;
  trial.origin = Origin::measured;
  store.record_trials({&trial, 1});
  Decision decision = full_decision();
  decision.key = key;
  store.record_decision(decision);
  Quarantined quarantined = full_quarantined();
  quarantined.key = key;
  store.record_quarantine(quarantined);
}

struct Known {
  bool decision, trial, quarantined;
  friend bool operator==(const Known&, const Known&) = default;
};

Known known(const Store& store, const DecisionKey& key) {
  return {store.find_decision(key).has_value(),
          !store.find_reusable({key, "", "reuse", full_trial().conditions}).empty(),
          !store.find_quarantine(key, full_quarantined().driver).empty()};
}

void check_counts(const Forgotten& forgotten, std::int64_t decisions, std::int64_t trials, std::int64_t quarantined) {
  CHECK(forgotten.decisions == decisions);
  CHECK(forgotten.trials == trials);
  CHECK(forgotten.quarantined == quarantined);
}

TEST_CASE_TEMPLATE("a quarantined binary comes back with every field as it was", Place, InMemory, InSqlite,
                   BehindLock) {
  Place place;
  place.store().record_quarantine(full_quarantined());
  check_same(place.store().find_quarantine(some_key(), full_quarantined().driver).at(0), full_quarantined());
  REQUIRE(place.database().list_quarantine({}).size() == 1);
  Quarantined undated = full_quarantined();
  undated.created_unix_ms = 0;
  place.store().record_quarantine(undated);
  CHECK(place.database().list_quarantine({})[1].created_unix_ms > 1'600'000'000'000);
}

TEST_CASE_TEMPLATE(
    "quarantine holds in every mode and for every version of the source, but for one problem, device "
    "and driver",
    Place, InMemory, InSqlite, BehindLock) {
  Place place;
  const Quarantined quarantined = full_quarantined();
  place.store().record_quarantine(quarantined);
  const auto holds = [&](std::string DecisionKey::*part) {
    DecisionKey other = quarantined.key;
    other.*part += "x";
    return !place.store().find_quarantine(other, quarantined.driver).empty();
  };
  CHECK(holds(&DecisionKey::mode));
  CHECK(holds(&DecisionKey::kernel_identity));
  CHECK_FALSE(holds(&DecisionKey::kernel_name));
  CHECK_FALSE(holds(&DecisionKey::problem));
  CHECK_FALSE(holds(&DecisionKey::device));
  CHECK(place.store().find_quarantine(quarantined.key, "590").empty());
}

TEST_CASE_TEMPLATE("what is forgotten is not served, not reused and not in force, and what comes later is", Place,
                   InMemory, InSqlite, BehindLock) {
  Place place;
  learn(place.store(), key_of("a"));
  learn(place.store(), key_of("a"));
  CHECK(known(place.store(), key_of("a")) == Known{true, true, true});
  check_counts(place.database().forget({}, Forget::everything), 1, 2, 2);
  CHECK(known(place.store(), key_of("a")) == Known{false, false, false});
  CHECK(place.store().list_decisions({}).empty());
  CHECK(place.database().list_quarantine({}).empty());
  CHECK(place.store().find_trials(key_of("a")).size() == 2);
  CHECK(place.database().forget({}, Forget::everything).nothing());
  learn(place.store(), key_of("a"));
  CHECK(known(place.store(), key_of("a")) == Known{true, true, true});
  check_counts(place.database().forget({}, Forget::everything), 1, 1, 1);
}

TEST_CASE_TEMPLATE("one kind of thing can be forgotten alone", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  learn(place.store(), key_of("a"));
  check_counts(place.database().forget({}, Forget::quarantine), 0, 0, 1);
  CHECK(known(place.store(), key_of("a")) == Known{true, true, false});
  check_counts(place.database().forget({}, Forget::decisions), 1, 0, 0);
  CHECK(known(place.store(), key_of("a")) == Known{false, true, false});
  check_counts(place.database().forget({}, Forget::trials), 0, 1, 0);
  CHECK(known(place.store(), key_of("a")) == Known{false, false, false});
}

TEST_CASE_TEMPLATE("only what passes the filter is forgotten, in every mode", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  const std::vector<DecisionKey> keys{key_of("a"), key_of("a", "n=1", "warm"), key_of("a", "n=2"), key_of("b")};
  for (const DecisionKey& key : keys) learn(place.store(), key);
  CHECK(place.store().list_keys({}) == keys);
  CHECK(place.store().list_keys({.kernel_name = "a", .problem = "n=2"}) == std::vector{keys[2]});
  CHECK(place.database().forget({.kernel_name = "A"}, Forget::everything).nothing());
  check_counts(place.database().forget({.kernel_name = "a", .problem = "n=1", .device = "H200"}, Forget::everything), 2,
               2, 2);
  CHECK(known(place.store(), keys[0]) == Known{false, false, false});
  CHECK(known(place.store(), keys[1]) == Known{false, false, false});
  CHECK(known(place.store(), keys[2]) == Known{true, true, true});
  CHECK(known(place.store(), keys[3]) == Known{true, true, true});
  CHECK(place.store().list_keys({}) == keys);
}

TEST_CASE("an earlier decision is not served in place of one that was forgotten") {
  InSqlite place;
  for (int i = 0; i < 3; ++i) place.store().record_decision(full_decision());
  check_counts(place.database().forget({}, Forget::decisions), 1, 0, 0);
  CHECK_FALSE(place.store().find_decision(some_key()));
  CHECK(sql(place.path(), "SELECT count(*) FROM v_best") == std::vector<std::string>{"0"});
}

TEST_CASE("no row leaves the file when it is forgotten, and the views tell what counts from what was") {
  InSqlite place;
  learn(place.store(), key_of("a"));
  place.database().forget({}, Forget::everything);
  learn(place.store(), key_of("b"));
  const auto count = [&](const std::string& of) { return sql(place.path(), "SELECT count(*) FROM " + of)[0]; };
  for (const char* const all : {"trial", "decision", "quarantine", "v_trials", "v_failures"}) CHECK(count(all) == "2");
  for (const char* const current : {"v_best", "v_quarantine", "forgotten"}) CHECK(count(current) == "1");
  CHECK(sql(place.path(), "SELECT kernel, class, driver, launch FROM v_quarantine") ==
        std::vector<std::string>{"b|run_timeout|580.159|grid=528x1x1 block=128x1x1 shared=65536 scratch=4096"});
}

TEST_CASE("a stale decision that was forgotten is not stale but gone") {
  InSqlite place;
  Decision decision = full_decision();
  decision.origin = Origin::measured;
  place.store().record_decision(decision);
  decision.key.problem = "rows=1";
  decision.conditions.driver = "590";
  place.store().record_decision(decision);
  const auto stale = [&] { return sql(place.path(), "SELECT count(*) FROM v_stale")[0]; };
  CHECK(stale() == "1");
  place.database().forget({.problem = some_key().problem}, Forget::decisions);
  CHECK(stale() == "0");
}

}  // namespace
}  // namespace tuner::cache::test
