#include "tuner/engine/sizes/experience.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/session/laboratory.hpp"
#include "tuner/engine/effort/effort_limits.hpp"

namespace tuner::engine {
namespace {

const KernelDescription& kernel() {
  static const Task task = make_task();
  return task.description();
}

ProblemValues sized(int n) {
  return {{"n", n}};
}

cache::Trial timed(const std::string& configuration, double time_ns) {
  cache::Trial trial;
  trial.configuration = configuration;
  trial.outcome = Outcome::ok;
  trial.time_ns = time_ns;
  return trial;
}

using Texts = std::vector<std::string>;

TEST_CASE("what is fast on the nearest problem comes first, then what is fast farther away") {
  Experience experience(kernel());
  CHECK(experience.best_for(sized(1000), 10).empty());
  experience.add(sized(500), {timed("BLOCK=32,UNROLL=1", 100), timed("BLOCK=32,UNROLL=2", 101)});
  experience.add(sized(64000), {timed("BLOCK=256,UNROLL=1", 1000), timed("BLOCK=256,UNROLL=2", 1200)});
  CHECK(experience.problems() == 2);
  CHECK(experience.best_for(sized(1000), 10) ==
        Texts{"BLOCK=32,UNROLL=1", "BLOCK=32,UNROLL=2", "BLOCK=256,UNROLL=1", "BLOCK=256,UNROLL=2"});
  CHECK(experience.best_for(sized(50000), 2) == Texts{"BLOCK=256,UNROLL=1", "BLOCK=256,UNROLL=2"});
}

TEST_CASE("bounds, failures, what is far from the best and the problem itself teach nothing") {
  Experience experience(kernel());
  cache::Trial bound = timed("BLOCK=32,UNROLL=1", 90), wrong = timed("BLOCK=32,UNROLL=2", 50);
  bound.censored = true;
  wrong.outcome = Outcome::wrong_result;
  experience.add(sized(500), {bound, wrong, timed("BLOCK=64,UNROLL=1", 100), timed("BLOCK=64,UNROLL=2", 150)});
  CHECK(experience.best_for(sized(1000), 10) == Texts{"BLOCK=64,UNROLL=1"});
  CHECK(experience.best_for(sized(500), 10).empty());
}

TEST_CASE(
    "of a configuration measured twice on a problem the later trial counts, of a problem added twice the later one") {
  Experience experience(kernel());
  experience.add(sized(500),
                 {timed("BLOCK=32,UNROLL=1", 100), timed("BLOCK=32,UNROLL=2", 101), timed("BLOCK=32,UNROLL=1", 110)});
  CHECK(experience.best_for(sized(1000), 10) == Texts{"BLOCK=32,UNROLL=2", "BLOCK=32,UNROLL=1"});
  experience.add(sized(500), {timed("BLOCK=256,UNROLL=1", 100)});
  CHECK(experience.problems() == 1);
  CHECK(experience.best_for(sized(1000), 10) == Texts{"BLOCK=256,UNROLL=1"});
}

TEST_CASE("problems are tuned from the middle outwards, each far from those before") {
  const auto of = [](std::vector<int> sizes) {
    std::vector<ProblemValues> problems;
    for (const int n : sizes) problems.push_back(sized(n));
    return spread_order(kernel(), problems);
  };
  CHECK(of({1000}) == std::vector<std::size_t>{0});
  CHECK(of({1, 4, 16, 64, 256}) == std::vector<std::size_t>{2, 0, 4, 1, 3});
  CHECK(of({}).empty());
}

TEST_CASE("the more problems are known the less is searched, and never next to nothing") {
  CHECK(limits_of(Effort::normal, 4860, 1).idle == 90);
  CHECK(limits_of(Effort::normal, 4860, 1).least_for_idle == 180);
  CHECK(limits_of(Effort::normal, 4860, 99).idle == 40);
  CHECK(limits_of(Effort::normal, 4860, 99).least_for_idle == 2);
  // A small space, which alone would be searched completely.
  CHECK(limits_of(Effort::normal, 300, 2).idle == 50);
  CHECK(limits_of(Effort::normal, 300, 2).least_for_idle == 100);
  CHECK_FALSE(limits_of(Effort::normal, 40, 2).idle);
  CHECK(limits_of(Effort::quick, 2000, 1).evaluations == 40);
  CHECK_FALSE(limits_of(Effort::full, 2000, 7).idle);
}

TEST_CASE("proven configurations are tried first and in their order, whatever else is stored") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune(
      {.budget = {.evaluations = 3}, .proven = {"BLOCK=32,UNROLL=4", "BLOCK=999,UNROLL=1", kFastest, kNext}});
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.warm_start.tried == 3);
  CHECK(laboratory.compile.submitted[1] == "BLOCK=32,UNROLL=4");
  CHECK(laboratory.compile.submitted[2] == kFastest);
}

TEST_CASE("a session that races only for something faster leaves the stored winner in force and keeps the trials") {
  Laboratory laboratory;
  const SessionOptions narrow{.budget = {.evaluations = 1}, .proven = {kNext}};
  REQUIRE(laboratory.tune(narrow).decision.configuration == kNext);
  SessionOptions again{.budget = {.evaluations = 1}, .proven = {"BLOCK=32,UNROLL=4"}, .races_if_faster = true};
  const TuneReport slower = laboratory.tune_again(again);
  CHECK_FALSE(slower.stored.has_decision);
  CHECK(slower.stored.trials > 0);
  CHECK(laboratory.decided()->session != slower.session);
  again.proven = {kFastest};
  const TuneReport faster = laboratory.tune_again(again);
  CHECK(faster.stored.decision);
  CHECK(laboratory.decided()->configuration == kFastest);
}

}  // namespace
}  // namespace tuner::engine
