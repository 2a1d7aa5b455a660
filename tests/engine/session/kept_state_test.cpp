// Candidates that keep something in their module from one launch to the next: right when verified, wrong when used.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

TEST_CASE("a candidate that keeps state was right in its first launches, so that it won") {
  for (const int from : {5, 50, 500}) {
    CAPTURE(from);
    Laboratory laboratory(except(kFastest, [&](Behaviour& behaviour) {
      behaviour.wrong_from = from;
      behaviour.changes_globals = true;
    }));
    const TuneReport report = laboratory.tune();
    CHECK(report.decision.configuration == kNext);
    CHECK(report.decision.verified);
    // It was timed, as its first row says, and found out later.
    const cache::Trial late = laboratory.rows().back();
    CHECK(laboratory.row(kFastest).outcome == Outcome::ok);
    CHECK(late.configuration == kFastest);
    CHECK(late.outcome == Outcome::wrong_result);
    CHECK(late.message.starts_with("after it had been timed: "));

    // And it stays out.
    CHECK(laboratory.tune().decision.configuration == kNext);
    CHECK(laboratory.compile.submitted.size() <= 12 + 5);
  }
}

TEST_CASE("several that keep state leave one after the other, and the race goes on among the others") {
  Laboratory laboratory(changed([](const std::string& configuration, Behaviour& behaviour) {
    behaviour.changes_globals = true;
    if (configuration.starts_with("BLOCK=256")) behaviour.wrong_from = 5;
    if (configuration.starts_with("BLOCK=128")) behaviour.wrong_from = 900;
  }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == "BLOCK=64,UNROLL=2");
  CHECK(report.decision.verified);
}

TEST_CASE("a kernel of which every variant keeps state was called the winner") {
  Laboratory laboratory(changed([](const auto&, Behaviour& behaviour) { behaviour.wrong_from = 4; }));
  CHECK(laboratory.tune().decision.configuration.empty());
  CHECK_FALSE(laboratory.decided());
}

TEST_CASE("a winner that changes its globals harmlessly wins, and it alone is launched a thousand times") {
  Laboratory laboratory(changed([](const auto&, Behaviour& behaviour) { behaviour.changes_globals = true; }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.verified);
  CHECK(laboratory.device.used_long == std::vector<std::string>{kFastest});
}

TEST_CASE("only finalists are checked again, and the baseline is among them however slow it is") {
  Laboratory laboratory(except(kBaseline, [](Behaviour& behaviour) { behaviour.time_ns = 1e6; }));
  laboratory.tune();
  CHECK(laboratory.device.rechecked.contains(kFastest));
  CHECK(laboratory.device.rechecked.contains(kBaseline));
  CHECK(laboratory.device.rechecked.size() < laboratory.device.screened.size() / 2);
}

TEST_CASE("of many that tie only those are checked again that the choice depends on") {
  const auto numbers = std::make_shared<std::map<std::string, int>>();
  Laboratory laboratory(changed([numbers](const std::string& configuration, Behaviour& behaviour) {
    const int number = numbers->try_emplace(configuration, static_cast<int>(numbers->size())).first->second;
    behaviour.time_ns = configuration == kBaseline ? 1e6 : 1e5 + 60 * number;
  }));
  const TuneReport report = laboratory.tune();
  REQUIRE(report.decision.ties.size() > 4);
  CHECK(laboratory.device.rechecked.size() < report.decision.ties.size());
  CHECK(laboratory.device.rechecked.contains(report.decision.configuration));
  CHECK(laboratory.device.rechecked.contains(kBaseline));
}

TEST_CASE("a baseline that keeps state does not win, although it says what is right") {
  Laboratory laboratory(except(kBaseline, [](Behaviour& behaviour) {
    behaviour.time_ns = 1e4;
    behaviour.wrong_from = 500;
    behaviour.changes_globals = true;
  }));
  CHECK(laboratory.tune().decision.configuration != kBaseline);
  CHECK(laboratory.device.used_long == std::vector<std::string>{kBaseline});
}

TEST_CASE("a baseline that is wrong after the race has no time that a winner could be compared with") {
  Laboratory laboratory(except(kBaseline, [](Behaviour& behaviour) { behaviour.wrong_from = 4; }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK_FALSE(report.decision.speedup);
}

TEST_CASE("a worker lost during the race does not start the launches of a finalist over") {
  // Its modules are loaded anew a block before the end: without the launches of before it would be right.
  Laboratory calm;
  calm.tune();
  const int samples = calm.device.raced.at(kFastest);
  REQUIRE(samples > 1);
  Laboratory laboratory(except(kFastest, [&](Behaviour& behaviour) { behaviour.wrong_from = samples; }));
  laboratory.device.reloads_after = samples - 1;
  CHECK(laboratory.tune().decision.configuration == kNext);
}

}  // namespace
}  // namespace tuner::engine
