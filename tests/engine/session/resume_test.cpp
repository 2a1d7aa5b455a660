#include <doctest/doctest.h>

#include <set>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

/// Some of everything: failures of compiler and device, a twin, a configuration that cannot be launched.
const BehaviourOf mixed = changed([](const std::string& configuration, Behaviour& behaviour) {
  if (configuration == "BLOCK=32,UNROLL=2") behaviour.compile = Outcome::compile_error;
  if (configuration == "BLOCK=128,UNROLL=4") behaviour.run = Outcome::wrong_result;
});

Task mixed_task() {
  return make_task({}, kernel_with("block(BLOCK)", "block(BLOCK == 32 && UNROLL == 4 ? 0 : BLOCK)"));
}

std::multiset<std::string> configurations(const std::vector<cache::Trial>& rows) {
  std::multiset<std::string> result;
  for (const cache::Trial& row : rows) result.insert(row.configuration);
  return result;
}

TEST_CASE("a session that was interrupted goes on where it was, and touches no row") {
  for (const char* strategy : {"exhaustive", "random"}) {
    for (const std::size_t screened : {1, 2, 4, 6, 8}) {
      CAPTURE(strategy);
      CAPTURE(screened);
      const SessionOptions options{.strategy = strategy, .seed = 5};
      Laboratory whole(mixed_task(), mixed);
      const TuneReport expected = whole.tune(options);

      Laboratory laboratory(mixed_task(), mixed);
      laboratory.stop_after(screened);
      laboratory.tune(options);
      const std::vector<cache::Trial> before = laboratory.rows();
      const TuneReport report = laboratory.tune_again(options);
      check_counters(report, {{"asked", 11}, {"reused", static_cast<std::int64_t>(before.size())}});
      CHECK(report.decision.configuration == expected.decision.configuration);
      CHECK(report.decision.verified);
      // Every configuration has one row, and those that were there are as they were.
      const std::vector<cache::Trial> rows = laboratory.rows();
      REQUIRE(rows.size() == 11);
      CHECK(configurations(rows) == configurations(whole.rows()));
      for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(rows[i].session == before[i].session);
        CHECK(rows[i].samples_ns == before[i].samples_ns);
      }
      // The device saw what is new and the baseline, nothing else.
      CHECK(laboratory.device.screened.size() <= 11 - before.size() + 1);
    }
  }
}

TEST_CASE("a session that died leaves its rows, and the next one goes on with them") {
  Laboratory laboratory(mixed_task(), mixed);
  laboratory.device.on_submit = [&] {
    if (laboratory.device.screened.size() == 5) throw Error(Errc::device_lost, "The GPU fell off the bus.");
  };
  CHECK_THROWS_AS(laboratory.tune(), Error);
  const auto before = static_cast<std::int64_t>(laboratory.rows().size());
  CHECK(before >= 4);
  const TuneReport report = laboratory.tune_again();
  check_counters(report, {{"reused", before}});
  CHECK(laboratory.rows().size() == 11);
}

TEST_CASE("what a default tolerance rejected before rounding was measured is tried again") {
  Laboratory laboratory(mixed_task(), mixed);
  laboratory.device.failure = "It is off by 0.0004 (rtol 0.0001, atol 1e-06).";
  laboratory.tune();
  CHECK(laboratory.rows().size() == 11);
  laboratory.device.failure = "It is off by 0.0004 (rtol 0.0001, atol 1e-06, or rounding).";
  check_counters(laboratory.tune_again(), {{"reused", 10}});
  CHECK(laboratory.rows().size() == 12);
  check_counters(laboratory.tune_again(), {{"reused", 11}});
}

TEST_CASE("a finished session that is run again measures the baseline and a new race, and adds no row") {
  Laboratory laboratory(mixed_task(), mixed);
  const TuneReport first = laboratory.tune();
  const TuneReport again = laboratory.tune_again();
  check_counters(again, {{"reused", 11}, {"screened", 0}, {"stored", 0}});
  CHECK(again.decision.configuration == first.decision.configuration);
  CHECK(again.decision.race_blocks > 0);
  CHECK(again.finalists.size() == first.finalists.size());
  CHECK(again.failures.size() == first.failures.size());
  CHECK(laboratory.device.screened == std::vector<std::string>{kBaseline});
  CHECK(laboratory.rows().size() == 11);
}

TEST_CASE("a budget counts what is taken over") {
  Laboratory laboratory;
  const SessionOptions first{.strategy = "random", .budget = {.evaluations = 4}, .seed = 3};
  laboratory.tune(first);
  const TuneReport same = laboratory.tune_again(first);
  check_counters(same, {{"asked", 4}, {"reused", 4}});
  const TuneReport more = laboratory.tune_again({.strategy = "random", .budget = {.evaluations = 7}, .seed = 3});
  check_counters(more, {{"asked", 7}});
  CHECK(more.decision.counters.at("reused") >= 4);
}

TEST_CASE("adding a value to the space keeps what is known of the others") {
  Laboratory laboratory;
  laboratory.tune();
  const Task task = make_task({}, kernel_with("UNROLL, 1, 2, 4;", "UNROLL, 1, 2, 3, 4;"));
  const auto known = [](const std::string& configuration) {
    return ordinary(configuration.find("UNROLL=3") == std::string::npos ? configuration : "BLOCK=64,UNROLL=4");
  };
  FakeCompileLane compile(known);
  FakeDeviceLane device(known_device("H200"), known);
  const TuneReport report =
      run_session(task, {}, {compile, device, laboratory.store, nullptr, laboratory.observer, laboratory.stop});
  check_counters(report, {{"reused", 11}, {"screened", static_cast<std::int64_t>(task.space().size()) - 11}});
}

TEST_CASE("what may have been a fluke is tried again") {
  for (const Outcome fluke : {Outcome::worker_lost, Outcome::out_of_memory, Outcome::run_timeout}) {
    bool fails = true;
    Laboratory laboratory(except(kFastest, [&](Behaviour& behaviour) {
      if (fails) behaviour.run = fluke;
    }));
    CHECK(laboratory.tune().decision.configuration != kFastest);
    fails = false;
    const TuneReport report = laboratory.tune_again();
    CHECK(report.decision.configuration == kFastest);
    check_counters(report, {{"screened", 1}});
  }
}

TEST_CASE("what was timed and failed in the race is a failure from then on") {
  Laboratory laboratory(except(kFastest, [](Behaviour& behaviour) { behaviour.fails_from_block = 3; }));
  laboratory.tune();
  const TuneReport report = laboratory.tune_again();
  check_counters(report, {{"reused", 11}, {"failed_illegal_access", 1}});
  CHECK(count(laboratory.compile.submitted, kFastest) == 0);
}

TEST_CASE("everything is measured again where that is asked for, and for a recording") {
  for (const SessionOptions& options : {SessionOptions{.reuse = false}, SessionOptions{.early_kill = false}}) {
    Laboratory laboratory;
    laboratory.tune();
    CHECK(laboratory.tune_again(options).decision.counters.at("reused") == 0);
    CHECK(laboratory.rows().size() == 22);
  }
}

TEST_CASE("a new configuration with a known one's binary and launch is its twin and is not run") {
  const Task before = make_task({}, kernel_with("UNROLL, 1, 2, 4;", "UNROLL, 1, 2;"), 1);
  Laboratory laboratory(one_block_task(), unroll_ignored);
  laboratory.tune(before);
  const TuneReport report = laboratory.tune_again();
  check_counters(report, {{"reused", 8}, {"deduplicated", 7}});
  CHECK(laboratory.device.screened.size() == 1);  // the baseline
  CHECK(laboratory.row("BLOCK=128,UNROLL=4").duplicate_of == "BLOCK=128,UNROLL=1");
}

TEST_CASE("a finalist whose binary is not what was timed is screened again") {
  std::string suffix;
  Laboratory laboratory(except(kFastest, [&](Behaviour& behaviour) {
    behaviour.binary = kFastest + suffix;
    if (!suffix.empty()) behaviour.time_ns *= 2;
  }));
  laboratory.tune();
  suffix = " of another compiler";
  const TuneReport report = laboratory.tune_again();
  check_counters(report, {{"screened", 1}, {"reused", 10}});
  CHECK(report.decision.configuration == kNext);
  CHECK(laboratory.rows().size() == 12);
}

TEST_CASE("with a finalist whose binary is not what was timed, those that shared it are looked at again") {
  std::string suffix;
  Laboratory laboratory(one_block_task(), [&](const std::string& configuration) {
    Behaviour behaviour = unroll_ignored(configuration);
    if (configuration == kNext) behaviour.binary += suffix;
    behaviour.time_ns = configuration.starts_with("BLOCK=256") ? 1000 : 1200;
    return behaviour;
  });
  laboratory.tune();
  suffix = " of another compiler";
  const TuneReport report = laboratory.tune_again();
  // BLOCK=256 has no longer one binary for both.
  check_counters(report, {{"screened", 2}, {"reused", 9}, {"deduplicated", 6}});
  CHECK(laboratory.rows().size() == 13);
}

TEST_CASE("a configuration that is launched in another way since is measured again") {
  Laboratory laboratory;
  laboratory.tune();
  const TuneReport report =
      laboratory.tune(make_task({}, kernel_with("block(BLOCK)", "block(BLOCK == 32 ? 64 : BLOCK)")));
  check_counters(report, {{"screened", 3}, {"reused", 8}});
}

TEST_CASE("a session that is stopped while its problem is set up does not wait for that") {
  Laboratory laboratory;
  laboratory.device.answers_prepare = false;
  laboratory.device.on_submit = [&] { laboratory.stop = true; };
  const TuneReport report = laboratory.tune();
  CHECK(report.interrupted);
  CHECK(report.decision.configuration.empty());
}

TEST_CASE("a budget of time that is over at once does not replace an earlier winner by what it had time for") {
  Laboratory laboratory;
  const std::string winner = laboratory.tune().decision.configuration;
  REQUIRE(winner != laboratory.task.space().text(*laboratory.task.baseline()));
  SessionOptions hurried{.reuse = false};
  hurried.budget.time = std::chrono::milliseconds(0);
  CHECK(laboratory.tune(hurried).decision.configuration == winner);
}

TEST_CASE("a decision that rests on trials of before is reported as stored") {
  Laboratory laboratory;
  CHECK(laboratory.tune().stored.decision);
  const TuneReport again = laboratory.tune();
  CHECK(again.decision.counters.at("stored") == 0);
  CHECK(again.stored.decision);
}

TEST_CASE("an earlier winner that --where excludes may win, and is reported as what it is") {
  Laboratory everywhere;
  CHECK_FALSE(everywhere.tune().winner_excluded);
  Laboratory narrow(ordinary, {"BLOCK < 256"});
  narrow.store = everywhere.store;
  const TuneReport report = narrow.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.winner_excluded);
}

}  // namespace
}  // namespace tuner::engine
