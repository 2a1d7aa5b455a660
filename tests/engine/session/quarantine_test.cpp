#include <doctest/doctest.h>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

BehaviourOf killer(Outcome outcome, bool confirmed = true) {
  return except(kFastest, [=](Behaviour& behaviour) {
    behaviour.run = outcome;
    behaviour.confirmed = confirmed;
  });
}

std::vector<cache::Quarantined> quarantine(const Laboratory& laboratory) {
  return laboratory.store.find_quarantine(laboratory.task.key("cold"), known_device("H200").driver_version);
}

std::size_t runs(const Laboratory& laboratory, const std::string& configuration) {
  return count(laboratory.device.screened, configuration);
}

TEST_CASE("a binary that ended its worker twice is quarantined with what it is and did") {
  for (const Outcome outcome : {Outcome::illegal_access, Outcome::run_timeout, Outcome::worker_lost}) {
    Laboratory laboratory(killer(outcome));
    laboratory.tune();
    const auto found = quarantine(laboratory);
    REQUIRE(found.size() == 1);
    CHECK(found.front().configuration == kFastest);
    CHECK(found.front().binary_hash.text == kFastest);
    CHECK(found.front().launch == "grid=2x1x1 block=256x1x1 shared=0");
    CHECK(found.front().outcome == outcome);
  }
}

TEST_CASE("what was not confirmed, or ended no worker, is not quarantined") {
  for (const BehaviourOf& behaviour : {killer(Outcome::illegal_access, false), killer(Outcome::wrong_result)}) {
    Laboratory laboratory(behaviour);
    laboratory.tune();
    CHECK(quarantine(laboratory).empty());
  }
}

TEST_CASE("what fails by the alignment of a buffer is not quarantined, since a description can declare a larger one") {
  Laboratory laboratory(except(kFastest, [](Behaviour& behaviour) {
    behaviour.run = Outcome::illegal_access;
    behaviour.confirmed = behaviour.misaligned = true;
  }));
  laboratory.tune();
  CHECK(quarantine(laboratory).empty());
}

TEST_CASE("what hung is tried again when a launch is given longer, and only then") {
  Laboratory laboratory(killer(Outcome::run_timeout));
  laboratory.tune({.launch_timeout = std::chrono::milliseconds(200)});
  CHECK(quarantine(laboratory).front().launch_timeout_ms == 200);
  laboratory.tune({.launch_timeout = std::chrono::milliseconds(200)});
  laboratory.tune({.launch_timeout = std::chrono::milliseconds(100)});
  CHECK(runs(laboratory, kFastest) == 1);
  laboratory.tune({.launch_timeout = std::chrono::milliseconds(300)});
  CHECK(runs(laboratory, kFastest) == 2);
}

TEST_CASE("a quarantined binary is compiled, recognised and never launched again") {
  Laboratory laboratory(killer(Outcome::run_timeout));
  laboratory.tune();
  CHECK(runs(laboratory, kFastest) == 1);
  for (const bool reuse : {true, false}) {
    laboratory.compile.submitted.clear();
    const TuneReport report = laboratory.tune({.reuse = reuse});
    CHECK(runs(laboratory, kFastest) == 1);
    CHECK(report.decision.counters.at("reused") == (reuse ? 11 : 0));
    CHECK(count(laboratory.compile.submitted, kFastest) == (reuse ? 0 : 1));
    CHECK(report.decision.configuration == kNext);
    CHECK(report.decision.counters.at("failed_run_timeout") == 1);
  }
  CHECK(laboratory.observer.trials.back().outcome == Outcome::ok);
  const auto rows = laboratory.rows();
  const auto refused =
      std::find_if(rows.rbegin(), rows.rend(), [](const cache::Trial& row) { return row.configuration == kFastest; });
  REQUIRE(refused != rows.rend());
  CHECK(refused->message.find("quarantined since 20") != std::string::npos);
  CHECK(refused->message.find("`tuner forget`") != std::string::npos);

  laboratory.store.forget({}, cache::Forget::quarantine);
  laboratory.tune();
  CHECK(runs(laboratory, kFastest) == 2);
}

TEST_CASE("a trial of a binary that was quarantined later is not taken over") {
  Laboratory laboratory;
  laboratory.tune();
  cache::Quarantined found;
  found.key = laboratory.task.key("warm");  // in whichever mode
  found.binary_hash.text = kFastest;
  found.launch = laboratory.row(kFastest).launch;
  found.driver = known_device("H200").driver_version;
  found.outcome = Outcome::illegal_access;
  found.message = "It read where nothing was.";
  laboratory.store.record_quarantine(found);
  laboratory.device.screened.clear();
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kNext);
  CHECK(runs(laboratory, kFastest) == 0);
  CHECK(count(laboratory.device.finalists, kFastest) == 0);
  CHECK(report.decision.counters.at("screened") == 1);
}

TEST_CASE("a baseline in quarantine ends the session with what lifts it") {
  Laboratory laboratory(except(kBaseline, [](Behaviour& behaviour) {
    behaviour.run = Outcome::illegal_access;
    behaviour.confirmed = true;
  }));
  CHECK_THROWS_AS(laboratory.tune(), Error);
  CHECK(quarantine(laboratory).size() == 1);
  CHECK_THROWS_WITH_AS(laboratory.tune(), doctest::Contains("`tuner forget` lifts the quarantine"), Error);
  CHECK(runs(laboratory, kBaseline) == 1);
}

TEST_CASE("other processes on the GPU and missing fences are one warning each, and the decision says contended") {
  Laboratory laboratory(make_task({}, kernel_with_line("problem_constraint(n >= 1)")),
                        ordinary);  // prepared repeatedly
  laboratory.device.other_processes = {"4711 (python3)"};
  laboratory.device.unfenced = "The driver has no virtual memory management.";
  const TuneReport report = laboratory.tune();
  CHECK(laboratory.device.lengths.size() > 1);
  CHECK(report.decision.contended);
  CHECK(laboratory.decided()->contended);
  REQUIRE(laboratory.observer.warnings.size() == 2);
  CHECK(laboratory.observer.warnings[0].find("4711 (python3)") != std::string::npos);
  CHECK(laboratory.observer.warnings[1].find("virtual memory management") != std::string::npos);
  Laboratory alone;
  CHECK_FALSE(alone.tune().decision.contended);
  CHECK(alone.observer.warnings.empty());
}

}  // namespace
}  // namespace tuner::engine
