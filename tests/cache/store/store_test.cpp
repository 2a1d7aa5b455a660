#include <algorithm>
#include <limits>

#include "tests/cache/store/behind_lock.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

/// The fields that this record has in common with a fresh one.
template <class Record>
std::vector<std::string> left_fresh(const Record& record) {
  const std::vector<std::string> texts = field_texts(record), fresh = field_texts(Record());
  std::vector<std::string> same;
  for (const std::string& text : texts) {
    if (std::find(fresh.begin(), fresh.end(), text) != fresh.end()) same.push_back(text);
  }
  return same;
}

TEST_CASE("the full records of these tests differ from fresh ones in every field that a caller sets") {
  CHECK(left_fresh(full_trial()) == std::vector<std::string>{"objective = time"});
  CHECK(left_fresh(full_decision()) == std::vector<std::string>{"objective = time", "row = 0"});
}

TEST_CASE_TEMPLATE("a trial comes back with every field as it was", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  const std::vector<Trial> trials{full_trial(), bare_trial()};
  place.store().record_trials(trials);
  check_same(place.store().find_trials(some_key()), trials);
}

TEST_CASE_TEMPLATE("a decision comes back with every field as it was", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  for (const Decision& decision : {full_decision(), bare_decision()}) {
    place.store().record_decision(decision);
    check_same(place.store().find_decision(some_key()), decision);
  }
}

TEST_CASE_TEMPLATE("text comes back whatever it contains", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  const std::vector<std::string> odd{
      "",         "'; DROP TABLE trial; --", "?1 \"quoted\" 'text'", "two\nlines\r\n\t",
      "größe 矩", "invalid \xff\xfe UTF-8",  std::string("a\0b", 3), std::string(100'000, 'x')};
  for (const std::string& text : odd) {
    Trial trial = full_trial();
    trial.key.problem = trial.message = trial.configuration = trial.session = text;
    trial.reuse_hash = trial.launch = trial.conditions.driver = text;
    place.store().record_trials({&trial, 1});
    check_same(place.store().find_trials(trial.key), {trial});

    Decision decision = full_decision(text);
    decision.key.problem = decision.ties[0].configuration = text;
    decision.counters[text] = -5;
    place.store().record_decision(decision);
    check_same(place.store().find_decision(decision.key), decision);
  }
  CHECK(place.store().list_decisions({}).size() == odd.size());
}

TEST_CASE_TEMPLATE("every outcome and every origin comes back", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  std::vector<Trial> trials;
  for (const OutcomeName& entry : kOutcomeNames) {
    for (const Origin origin : {Origin::measured, Origin::imported, Origin::replay}) {
      trials.push_back(full_trial());
      trials.back().outcome = entry.outcome;
      trials.back().origin = origin;
    }
  }
  place.store().record_trials(trials);
  check_same(place.store().find_trials(some_key()), trials);
}

TEST_CASE_TEMPLATE("trials are found in the order recorded, over batches and sessions", Place, InMemory, InSqlite,
                   BehindLock) {
  Place place;
  for (const int first : {30, 10, 20}) {
    std::vector<Trial> batch;
    for (int i = 0; i < 3; ++i) {
      batch.push_back(full_trial());
      batch.back().sequence = first + i;
      batch.back().session = i == 1 ? "session-2" : "session-1";
    }
    place.store().record_trials(batch);
  }
  std::vector<std::int64_t> sequence;
  for (const Trial& trial : place.store().find_trials(some_key())) sequence.push_back(trial.sequence);
  CHECK(sequence == std::vector<std::int64_t>{30, 31, 32, 10, 11, 12, 20, 21, 22});
}

TEST_CASE_TEMPLATE("a batch may hold trials of several keys, each found under its own", Place, InMemory, InSqlite,
                   BehindLock) {
  Place place;
  std::vector<Trial> batch = full_trials(4);
  batch[1].key.problem = batch[3].key.problem = "rows=1";
  place.store().record_trials(batch);
  check_same(place.store().find_trials(batch[0].key), {batch[0], batch[2]});
  check_same(place.store().find_trials(batch[1].key), {batch[1], batch[3]});
}

TEST_CASE_TEMPLATE("what was never recorded is found nowhere", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  CHECK(place.store().find_trials(some_key()).empty());
  CHECK_FALSE(place.store().find_decision(some_key()));
  CHECK(place.store().list_decisions({}).empty());
  place.store().record_trials({});
  const Trial trial = full_trial();
  place.store().record_trials({&trial, 1});
  CHECK_FALSE(place.store().find_decision(some_key()));
}

TEST_CASE_TEMPLATE("a key that differs in one part is another key", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  place.store().record_decision(full_decision());
  for (std::string DecisionKey::*part :
       {&DecisionKey::kernel_name, &DecisionKey::kernel_identity, &DecisionKey::problem, &DecisionKey::device,
        &DecisionKey::mode, &DecisionKey::objective}) {
    DecisionKey other = some_key();
    other.*part += "x";
    CHECK_FALSE(place.store().find_decision(other));
    CHECK(place.store().find_trials(other).empty());
  }
}

TEST_CASE_TEMPLATE("the decision recorded last is the one that is found, whatever its date", Place, InMemory,
                   InSqlite) {
  Place place;
  Decision first = full_decision();
  first.created_unix_ms = 2'000;
  Decision second = full_decision("another");
  second.created_unix_ms = 1'000;
  place.store().record_decision(first);
  place.store().record_decision(second);
  CHECK(place.store().find_decision(some_key())->configuration == "another");
  CHECK(place.store().list_decisions({}).size() == 1);
}

TEST_CASE_TEMPLATE("a listing shows the newest decision of each key that passes the filter, newest first", Place,
                   InMemory, InSqlite, BehindLock) {
  Place place;
  const auto record = [&](const char* kernel, const char* problem, const char* device, const char* configuration) {
    Decision decision = full_decision(configuration);
    decision.key.kernel_name = kernel;
    decision.key.problem = problem;
    decision.key.device = device;
    place.store().record_decision(decision);
  };
  record("a", "n=1", "H200", "first");
  record("b", "n=1", "H200", "second");
  record("a", "n=2", "H200", "third");
  record("a", "n=1", "L4", "fourth");
  record("a", "n=1", "H200", "fifth");
  const auto listed = [&](const Filter& filter) {
    std::vector<std::string> names;
    for (const Decision& decision : place.store().list_decisions(filter)) names.push_back(decision.configuration);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(listed({}) == Names{"fifth", "fourth", "third", "second"});
  CHECK(listed({.kernel_name = "a"}) == Names{"fifth", "fourth", "third"});
  CHECK(listed({.kernel_name = "a", .problem = "n=1"}) == Names{"fifth", "fourth"});
  CHECK(listed({.device = "L4"}) == Names{"fourth"});
  CHECK(listed({.kernel_name = "b", .problem = "n=2"}) == Names{});
  CHECK(listed({.kernel_name = "A"}) == Names{});
}

TEST_CASE_TEMPLATE("recording a decision returns its row, which every look-up names and which finds it again", Place,
                   InMemory, InSqlite, BehindLock) {
  Place place;
  const std::int64_t first = place.store().record_decision(full_decision());
  const std::int64_t second = place.store().record_decision(full_decision("another"));
  CHECK(first > 0);
  CHECK(second > first);
  CHECK(place.store().find_decision(some_key())->row == second);
  CHECK(place.store().list_decisions({}).at(0).row == second);
  check_same(place.store().find_decision(first), full_decision());
  CHECK(place.store().find_decision(first)->row == first);
  for (const std::int64_t none : {std::int64_t{-1}, std::int64_t{0}, second + 1}) {
    CHECK_FALSE(place.store().find_decision(none));
  }
}

TEST_CASE_TEMPLATE("a kernel's sites are what is served for it on every problem and device, newest first", Place,
                   InMemory, InSqlite, BehindLock) {
  Place place;
  const auto record = [&](const char* problem, const char* device, const char* configuration, Origin origin) {
    Decision decision = full_decision(configuration);
    decision.key.problem = problem;
    decision.key.device = device;
    decision.origin = origin;
    return place.store().record_decision(decision);
  };
  record("rows=1", "H200", "superseded", Origin::measured);
  record("rows=1", "L4", "imported", Origin::imported);
  record("rows=2", "H200", "forgotten", Origin::measured);
  place.database().forget({.problem = "rows=2"}, Forget::decisions);
  const std::int64_t newest = record("rows=1", "H200", "served", Origin::measured);
  record("rows=3", "H200", "replayed", Origin::replay);
  Decision other = full_decision();
  for (std::string DecisionKey::*part : {&DecisionKey::kernel_identity, &DecisionKey::mode, &DecisionKey::objective}) {
    other.key = some_key();
    other.key.*part += "x";
    other.origin = Origin::measured;
    place.store().record_decision(other);
  }

  const DecisionKey key = some_key();
  const std::vector<Site> sites = place.store().list_sites(key);
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].kernel_name == key.kernel_name);
  CHECK(sites[0].problem == "rows=1");
  CHECK(sites[0].device == "H200");
  CHECK(sites[0].configuration == "served");
  CHECK(sites[0].time_ns == full_decision().time_ns);
  CHECK(sites[0].awkward_sizes == full_decision().awkward_sizes);
  CHECK(sites[0].created_unix_ms == full_decision().created_unix_ms);
  CHECK(sites[0].row == newest);
  CHECK(sites[1].configuration == "imported");
  DecisionKey unknown = key;
  unknown.kernel_identity = "no such kernel";
  CHECK(place.store().list_sites(unknown).empty());
}

TEST_CASE_TEMPLATE("a row without a date gets the present one", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  Trial trial = full_trial();
  trial.created_unix_ms = 0;
  place.store().record_trials({&trial, 1});
  Decision decision = full_decision();
  decision.created_unix_ms = 0;
  place.store().record_decision(decision);
  CHECK(place.store().find_trials(some_key())[0].created_unix_ms > 1'600'000'000'000);
  CHECK(place.store().find_decision(some_key())->created_unix_ms > 1'600'000'000'000);
}

TEST_CASE_TEMPLATE("a number that is none is refused with the whole batch", Place, InMemory, InSqlite, BehindLock) {
  Place place;
  std::vector<Trial> batch(3, full_trial());
  batch[2].samples_ns[1] = std::numeric_limits<double>::quiet_NaN();
  check_error(Errc::internal, {"samples_ns", batch[2].configuration}, [&] { place.store().record_trials(batch); });
  CHECK(place.store().find_trials(some_key()).empty());

  Decision decision = full_decision();
  decision.speedup_high = std::numeric_limits<double>::infinity();
  check_error(Errc::internal, {"speedup_high"}, [&] { place.store().record_decision(decision); });
  CHECK_FALSE(place.store().find_decision(some_key()));
}

TEST_CASE("what one store recorded another one on the same file finds, at once and after reopening") {
  const TemporaryFolder folder;
  const auto writer = open_store(folder / "decisions.db");
  const auto reader = open_store(folder / "decisions.db", Access::read_only);
  const Trial trial = full_trial();
  writer->record_trials({&trial, 1});
  writer->record_decision(full_decision());
  CHECK(reader->find_trials(some_key()).size() == 1);
  CHECK(reader->find_decision(some_key()));
  check_same(open_store(folder / "decisions.db")->find_decision(some_key()), full_decision());
}

TEST_CASE("superseded decisions stay in the database") {
  InSqlite place;
  for (int i = 0; i < 3; ++i) place.store().record_decision(full_decision());
  CHECK(sql(place.path(), "SELECT count(*) FROM decision") == std::vector<std::string>{"3"});
  CHECK(sql(place.path(), "SELECT count(*) FROM v_best") == std::vector<std::string>{"1"});
}

TEST_CASE("two keys with the same hash are told apart by their text") {
  InSqlite place;
  place.store().record_decision(full_decision());
  const DecisionKey other = key_of_problem("rows=1");
  // A collision cannot be constructed, but what it would leave behind can: the other key's hash beside this key's text.
  sql(place.path(), "UPDATE task SET key_hash = '" + other.hash().text + "'");
  CHECK_FALSE(place.store().find_decision(other));
  Decision decision = full_decision();
  decision.key = other;
  place.store().record_decision(decision);
  check_same(place.store().find_decision(other), decision);
  CHECK(place.store().list_decisions({}).size() == 2);
}

TEST_CASE("a store that was opened for reading refuses to record") {
  const InSqlite place;
  const auto reader = open_store(place.path(), Access::read_only);
  check_error(Errc::store_unavailable, {place.path().string()}, [&] { reader->record_decision(full_decision()); });
}

}  // namespace
}  // namespace tuner::cache::test
