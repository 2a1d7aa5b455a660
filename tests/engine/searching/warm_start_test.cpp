#include "tuner/engine/searching/warm_start.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

/// What some session concluded somewhere else.
struct Elsewhere {
  std::string configuration;
  std::string problem = "n=2000";
  std::string device = known_device("H200").identity();
  std::string mode = "cold";
  std::string identity = {};  ///< empty: the kernel as it is
  cache::Origin origin = cache::Origin::measured;
};

cache::Decision decision(const Task& task, const Elsewhere& elsewhere) {
  cache::Decision decision;
  decision.key = task.key(elsewhere.mode);
  decision.key.problem = elsewhere.problem;
  decision.key.device = elsewhere.device;
  if (!elsewhere.identity.empty()) decision.key.kernel_identity = elsewhere.identity;
  decision.reuse_hash = task.reuse_hash();
  decision.session = "elsewhere";
  decision.configuration = elsewhere.configuration;
  decision.baseline = kBaseline;
  decision.time_ns = 1000;
  decision.confidence = 0.99;
  decision.origin = elsewhere.origin;
  return decision;
}

void remember(Laboratory& laboratory, const std::vector<Elsewhere>& all) {
  for (const Elsewhere& one : all) laboratory.store.record_decision(decision(laboratory.task, one));
}

std::vector<std::string> promising(const Laboratory& laboratory) {
  std::vector<std::string> texts;
  for (const search::Configuration& configuration :
       promising_configurations(laboratory.task, laboratory.task.key("cold"), laboratory.store)) {
    texts.push_back(laboratory.task.space().text(configuration));
  }
  return texts;
}

std::string a100() {
  return known_device("A100").identity();
}

/// Another GPU of the same architecture.
std::string h100() {
  DeviceInfo device = known_device("H200");
  device.name = "NVIDIA H100";
  return device.identity();
}

TEST_CASE("nearer problems come before other GPUs, those of the same architecture first, other sources last") {
  Laboratory laboratory;
  remember(laboratory, {{.configuration = "BLOCK=32,UNROLL=1", .problem = "n=1000", .identity = "saxpy|another"},
                        {.configuration = "BLOCK=32,UNROLL=2", .problem = "n=1000", .device = a100()},
                        {.configuration = "BLOCK=32,UNROLL=4", .problem = "n=1000", .device = h100()},
                        {.configuration = "BLOCK=64,UNROLL=2", .problem = "n=64000"},
                        {.configuration = "BLOCK=64,UNROLL=4", .problem = "n=500"}});
  CHECK(promising(laboratory) == std::vector<std::string>{"BLOCK=64,UNROLL=4", "BLOCK=64,UNROLL=2", "BLOCK=32,UNROLL=4",
                                                          "BLOCK=32,UNROLL=2", "BLOCK=32,UNROLL=1"});
}

TEST_CASE("of the same task timed in another way the winner is nearest, and of equals the newest") {
  Laboratory laboratory;
  remember(laboratory, {{.configuration = "BLOCK=64,UNROLL=4", .problem = "n=500"},
                        {.configuration = "BLOCK=32,UNROLL=1", .problem = "n=2000"},
                        {.configuration = "BLOCK=32,UNROLL=2", .problem = "n=1000", .mode = "warm"}});
  CHECK(promising(laboratory) ==
        std::vector<std::string>{"BLOCK=32,UNROLL=2", "BLOCK=32,UNROLL=1", "BLOCK=64,UNROLL=4"});
}

TEST_CASE("each is promised once; neither what is not valid here, nor the baseline, nor what was replayed") {
  Laboratory laboratory;
  remember(laboratory, {{.configuration = "BLOCK=256,UNROLL=4", .problem = "n=1001"},  // excluded by the constraint
                        {.configuration = "BLOCK=512,UNROLL=1", .problem = "n=1002"},  // no such value
                        {.configuration = "BLOCK=64,DEPTH=2", .problem = "n=1003"},    // no such parameter
                        {.configuration = kBaseline, .problem = "n=1004"},             // the baseline
                        {.configuration = "BLOCK=32,UNROLL=1", .problem = "n=1005", .origin = cache::Origin::replay},
                        {.configuration = kFastest, .problem = "n=1100"},
                        {.configuration = kFastest, .problem = "n=1200"}});
  CHECK(promising(laboratory) == std::vector<std::string>{kFastest});
}

TEST_CASE("hints lose what the kernel does not know and get its defaults; what is not valid here is passed over") {
  const Laboratory laboratory;
  std::vector<std::string> texts;
  for (const search::Configuration& configuration :
       hinted_configurations(laboratory.task, {"BLOCK=64,TILE=7,UNROLL=4", "TILE=7", "BLOCK=512,UNROLL=1", kBaseline,
                                               "UNROLL=4,BLOCK=64", "BLOCK=256,UNROLL=4", "UNROLL=2", "BLOCK=fast"})) {
    texts.push_back(laboratory.task.space().text(configuration));
  }
  CHECK(texts == std::vector<std::string>{"BLOCK=64,UNROLL=4", "BLOCK=64,UNROLL=2"});
}

TEST_CASE(
    "hints are tried before what earlier results suggest, and a decision that is stored does not take their place") {
  Laboratory laboratory;
  const TuneReport first = laboratory.tune({.effort = Effort::full});
  CHECK_FALSE(first.from_store);
  SessionOptions options{.effort = Effort::quick, .takes_stored = true};
  CHECK(laboratory.tune(options).from_store);
  options.hints = {"BLOCK=32,UNROLL=4"};
  const TuneReport hinted = laboratory.tune(options);
  CHECK_FALSE(hinted.from_store);
  CHECK(hinted.warm_start.tried > 0);
  CHECK(hinted.decision.configuration == first.decision.configuration);
}

TEST_CASE("after the winners come the fastest trials of where they won") {
  Laboratory laboratory;
  remember(laboratory, {{.configuration = kFastest, .problem = "n=1100"},
                        {.configuration = "BLOCK=32,UNROLL=1", .problem = "n=500"}});
  cache::Trial trial;
  trial.key = decision(laboratory.task, {.problem = "n=1100"}).key;
  trial.session = "elsewhere";
  trial.outcome = Outcome::ok;
  std::vector<cache::Trial> trials;
  const auto ran = [&](const std::string& configuration, double time_ns) {
    trial.configuration = configuration;
    trial.time_ns = time_ns;
    trials.push_back(trial);
  };
  ran("BLOCK=128,UNROLL=1", 3000);
  ran("BLOCK=128,UNROLL=2", 2000);
  ran(kFastest, 1000);
  ran("BLOCK=256,UNROLL=4", 1500);  // excluded by the constraint
  ran("BLOCK=32,UNROLL=4", 10);
  trials.back().outcome = Outcome::wrong_result;
  laboratory.store.record_trials(trials);
  CHECK(promising(laboratory) ==
        std::vector<std::string>{kFastest, "BLOCK=32,UNROLL=1", "BLOCK=128,UNROLL=2", "BLOCK=128,UNROLL=1"});
}

TEST_CASE("the winner of the task itself is no hint where it is raced anyway, and one where it is not") {
  Laboratory laboratory;
  cache::Decision own = decision(laboratory.task, {.configuration = kFastest, .problem = "n=1000"});
  laboratory.store.record_decision(own);
  CHECK(promising(laboratory).empty());
  own.reuse_hash = "computed something else";
  laboratory.store.record_decision(own);
  CHECK(promising(laboratory) == std::vector<std::string>{kFastest});
}

TEST_CASE("a session with a budget asks for what won elsewhere first, and says whether that won") {
  for (const char* strategy : {"random", "exhaustive", "auto"}) {
    CAPTURE(strategy);
    Laboratory laboratory;
    remember(laboratory, {{.configuration = kFastest, .device = a100()}, {.configuration = "BLOCK=32,UNROLL=4"}});
    const TuneReport report = laboratory.tune({.strategy = strategy, .budget = {.evaluations = 2}, .seed = 1});
    CHECK(report.decision.counters.at("asked") == 2);
    CHECK(report.decision.configuration == kFastest);
    CHECK(report.warm_start.tried == 2);
    CHECK(report.warm_start.won);
    laboratory.row("BLOCK=32,UNROLL=4");
  }
}

TEST_CASE("misleading hints cost five evaluations and no more") {
  Laboratory laboratory;
  remember(laboratory, {{.configuration = "BLOCK=32,UNROLL=1", .problem = "n=1100"},
                        {.configuration = "BLOCK=32,UNROLL=2", .problem = "n=1200"},
                        {.configuration = "BLOCK=32,UNROLL=4", .problem = "n=1300"},
                        {.configuration = "BLOCK=64,UNROLL=2", .problem = "n=1400"},
                        {.configuration = "BLOCK=64,UNROLL=4", .problem = "n=1500"}});
  Laboratory without;
  const SessionOptions alone{.strategy = "random", .budget = {.evaluations = 3}, .seed = 4};
  SessionOptions led = alone;
  led.budget.evaluations = 8;
  const TuneReport report = laboratory.tune(led);
  without.tune(alone);
  CHECK(report.warm_start.tried == 5);
  CHECK_FALSE(report.warm_start.won);
  CHECK(report.decision.counters.at("asked") == 8);
  // Whatever the strategy would have found without them in three it has found now, or what is as good.
  CHECK(*laboratory.decided()->baseline_time_ns > 0);
  double best = 1e300;
  for (const cache::Trial& trial : without.observer.trials) best = std::min(best, *trial.time_ns);
  CHECK(report.decision.time_ns <= best * 1.01);
}

TEST_CASE("no hints are asked for where none are wanted, nor in a replay") {
  Laboratory laboratory;
  remember(laboratory, {{.configuration = kFastest}});
  SessionOptions options{.strategy = "random", .budget = {.evaluations = 1}, .seed = 1, .warm_start = false};
  CHECK(laboratory.tune(options).warm_start.tried == 0);
  Laboratory replay;
  remember(replay, {{.configuration = kFastest}});
  options.warm_start = true;
  options.origin = cache::Origin::replay;
  CHECK(replay.tune(options).warm_start.tried == 0);
}

TEST_CASE("what the session measures of its own accord is told too, first and once, unless it was asked for") {
  const Task task = make_task();
  Candidates candidates(task, {});
  const auto parsed = [&](const std::string& text) { return task.space().parse(text); };
  const EntryId baseline = candidates.add(parsed(kBaseline));
  const EntryId previous = candidates.add(parsed(kFastest));
  const EntryId asked = *candidates.ask(parsed("BLOCK=32,UNROLL=1"));
  CHECK_FALSE(candidates.ask(parsed(kFastest)));
  measure(candidates, asked, {300});
  CHECK_FALSE(candidates.take_told());  // the baseline comes first
  measure(candidates, baseline, {200});
  auto told = candidates.take_told();
  REQUIRE(told);
  CHECK(told->entry == baseline);
  CHECK_FALSE(told->asked);
  CHECK(told->in_space);
  CHECK_FALSE(candidates.take_told());
  CHECK(candidates.unheard() == 2);
  measure(candidates, previous, {100});
  told = candidates.take_told();
  REQUIRE(told);
  CHECK(told->entry == asked);
  CHECK(candidates.unheard() == 1);
  told = candidates.take_told();
  REQUIRE(told);
  CHECK(told->entry == previous);  // where it was asked for
  CHECK(candidates.unheard() == 0);
  CHECK(told->asked);
  CHECK(candidates.asked() == 2);
  candidates.count_told_as_asked();
  CHECK(candidates.asked() == 3);
}

}  // namespace
}  // namespace tuner::engine
