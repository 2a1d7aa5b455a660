#include "cache/store/rows.hpp"
#include "tests/cache/store/behind_lock.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

const Conditions kConditions{"0.2.0", "13.0.88", "580.159"};

/// The statements under "Some examples" in the manual.
std::vector<std::string> questions_of_the_manual() {
  const std::string manual = read_bytes(TUNER_DOCS_DIR "/database.md");
  const std::size_t begin = manual.find("\n", manual.find("Some examples:"));
  std::string block = manual.substr(begin, manual.find("\nThe results of replays", begin) - begin);
  std::vector<std::string> questions;
  for (std::size_t end; (end = block.find(';')) != std::string::npos; block.erase(0, end + 1)) {
    questions.push_back(block.substr(0, end));
  }
  return questions;
}

Trial measured(const std::string& configuration, const std::string& session = "session-1", std::int64_t sequence = 0) {
  Trial trial = full_trial();
  trial.configuration = configuration;
  trial.session = session;
  trial.sequence = sequence;
  trial.conditions = kConditions;
  trial.origin = Origin::measured;
  return trial;
}

std::vector<std::string> reusable(const Store& store, const Conditions& conditions = kConditions) {
  std::vector<std::string> found;
  for (const Trial& trial : store.find_reusable({some_key(), "", "reuse", conditions})) {
    found.push_back(trial.configuration + " of " + trial.session);
  }
  return found;
}

using Names = std::vector<std::string>;

TEST_CASE_TEMPLATE("a trial that may be used again comes back with every field as it was", Place, InMemory, InSqlite,
                   BehindLock) {
  Place place;
  const Trial trial = measured("X=1");
  place.store().record_trials({&trial, 1});
  check_same(place.store().find_reusable({some_key(), "", "reuse", kConditions}), {trial});
}

TEST_CASE_TEMPLATE("of each configuration the latest trial may be used again, in the order recorded", Place, InMemory,
                   InSqlite) {
  Place place;
  for (const Trial& trial : {measured("X=1", "first"), measured("X=2", "first"), measured("X=3", "second"),
                             measured("X=1", "second"), measured("X=2", "first")}) {
    place.store().record_trials({&trial, 1});
  }
  CHECK(reusable(place.store()) == Names{"X=3 of second", "X=1 of second", "X=2 of first"});
}

TEST_CASE_TEMPLATE("what was measured otherwise, elsewhere or not at all may not be used again", Place, InMemory,
                   InSqlite) {
  Place place;
  std::vector<Trial> trials(9, measured("X=0"));
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].configuration = "X=" + std::to_string(i);
  trials[1].reuse_hash = "other";
  trials[2].conditions.driver = "590";
  trials[3].conditions.toolkit = "13.1";
  trials[4].conditions.tuner_version = "0.3";
  trials[5].origin = Origin::imported;
  trials[6].origin = Origin::replay;
  trials[7].key.mode = "warm";
  trials[8].key.kernel_identity += "x";
  place.store().record_trials(trials);
  CHECK(reusable(place.store()) == Names{"X=0 of session-1"});
  CHECK(place.store().find_reusable({some_key(), "", "", kConditions}).empty());
  CHECK(reusable(place.store(), {}).empty());
}

TEST_CASE_TEMPLATE("a later trial under other conditions does not hide one that may be used again", Place, InMemory,
                   InSqlite) {
  Place place;
  Trial later = measured("X=1", "later");
  later.conditions.driver = "590";
  const std::vector<Trial> trials{measured("X=1"), later};
  place.store().record_trials(trials);
  CHECK(reusable(place.store()) == Names{"X=1 of session-1"});
}

TEST_CASE("what was recorded between trials that may be used again does not come with them") {
  InSqlite place;
  std::vector<Trial> trials;
  Names expected;
  for (int i = 0; i < 12; ++i) {
    trials.push_back(measured("X=" + std::to_string(i)));
    if (i % 4 == 3) {
      trials.back().key.problem = "rows=other";
    } else {
      expected.push_back(trials.back().configuration + " of session-1");
    }
  }
  place.store().record_trials(trials);
  CHECK(reusable(place.store()) == expected);
}

TEST_CASE("what may be used again is found without reading the rest of the database") {
  InSqlite place;
  constexpr int kConfigurations = 700;
  std::vector<Trial> trials;
  for (int other = 0; other < 20; ++other) {
    for (int i = 0; i < kConfigurations; ++i) {
      trials.push_back(measured("X=" + std::to_string(i)));
      trials.back().key.problem = "rows=" + std::to_string(other);
    }
  }
  place.store().record_trials(trials);

  const sqlite::Connection connection(place.path(), SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
  // One virtual-machine step is far less than a row; a look at each of the 14,000 trials would be some 200,000 steps.
  int callbacks = 0;
  constexpr int kSteps = 1000;
  const auto count = [](void* to) {
    ++*static_cast<int*>(to);
    return 0;
  };
  sqlite3_progress_handler(connection.get(), kSteps, count, &callbacks);
  const Run run{key_of_problem("rows=7"), "", "reuse", kConditions};
  CHECK(read_reusable_trials(connection, run).size() == kConfigurations);
  CHECK(callbacks < 100);
}

TEST_CASE("the manual's questions are answered for a session that took its trials over, until these are forgotten") {
  InSqlite place;
  const auto path = place.path();
  std::vector<Trial> trials{measured("BLOCK=1", "interrupted", 0), measured("BLOCK=1", "interrupted", 1),
                            measured("BLOCK=2", "interrupted", 2)};
  for (Trial& trial : trials) {
    trial.censored = false;
    trial.duplicate_of.clear();
  }
  for (std::size_t i : {0, 1}) trials[i].outcome = Outcome::ok;
  place.store().record_trials(trials);
  Decision decision = full_decision("BLOCK=1");
  decision.session = "resumed";
  const std::vector<DecisionText> texts{
      {TextKind::source, "scale.cu", "__global__ void scale();"},
      {TextKind::sizes, "", R"({"portfolio": {"members": [0]}, "validation": {"rule_mean": 0.01}})"}};
  place.store().record_texts(place.store().record_decision(decision), texts);

  const std::vector<std::string> questions = questions_of_the_manual();
  REQUIRE(questions.size() == 6);
  for (const std::string& question : questions) {
    INFO(question);
    CHECK_FALSE(sql(path, question).empty());
  }
  CHECK(sql(path, questions[0]).size() == 1);  // of a configuration that was tried twice the latest trial
  CHECK(sql(path, questions[2]).size() == full_trial().samples_ns.size());
  CHECK(sql(path, questions[4]).at(0).ends_with("|1|0.01"));
  CHECK(sql(path, "SELECT sequence FROM v_latest ORDER BY trial_id") == std::vector<std::string>{"1", "2"});
  place.database().forget({}, Forget::trials);
  CHECK(sql(path, "SELECT count(*) FROM v_latest") == std::vector<std::string>{"0"});
  CHECK(sql(path, "SELECT count(*) FROM v_trials") == std::vector<std::string>{"3"});
}

}  // namespace
}  // namespace tuner::cache::test
