#include "tuner/engine/session/awkward_sizes.hpp"

#include <doctest/doctest.h>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

/// The kernel of the laboratory with a declared domain.
Task task_with_domain(const std::string& further = {}) {
  return make_task({}, kernel_with_line("problem_constraint(n >= 1)\n" + further));
}

TEST_CASE("a winner is verified at awkward sizes before it is published, and the decision says at how many") {
  Laboratory laboratory(task_with_domain(), ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.awkward_problems == std::vector<std::string>{"n=999", "n=1001", "n=255", "n=997", "n=7", "n=1"});
  CHECK(report.awkward_note.empty());
  CHECK(laboratory.decided()->awkward_sizes == 6);
  CHECK(laboratory.device.lengths == std::vector<std::uint64_t>{1000, 999, 1001, 255, 997, 7, 1});
  CHECK(laboratory.compile.submitted.size() == 11);  // the programs do not depend on the size
}

TEST_CASE("without a declared domain the step is skipped, and the report says so") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.verified);
  CHECK(report.decision.awkward_sizes == 0);
  CHECK(report.awkward_problems.empty());
  CHECK(report.awkward_note.find("problem_constraint") != std::string::npos);
  CHECK(laboratory.device.lengths == std::vector<std::uint64_t>{1000});
}

TEST_CASE("a winner that fails at an awkward size is withdrawn with the size, and the next best is verified") {
  Laboratory laboratory(task_with_domain(), except(kFastest, [](Behaviour& behaviour) {
                          behaviour.at_length = [](std::uint64_t length) {
                            return length % 2 == 0 ? Outcome::ok : Outcome::guard_violation;
                          };
                        }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kNext);
  CHECK(report.decision.verified);
  CHECK(report.decision.awkward_sizes == 6);
  // It failed at 999; then the problem was prepared again for the next one.
  CHECK(laboratory.device.lengths == std::vector<std::uint64_t>{1000, 999, 1000, 999, 1001, 255, 997, 7, 1});
  const cache::Trial late = laboratory.rows().back();
  CHECK(late.configuration == kFastest);
  CHECK(late.outcome == Outcome::guard_violation);
  CHECK(late.message.find("At the size n=999") != std::string::npos);

  // And it stays withdrawn.
  const TuneReport again = laboratory.tune();
  CHECK(again.decision.configuration == kNext);
  CHECK(again.decision.counters.at("reused") == 11);
}

TEST_CASE("programs that have the size as a constant are compiled for each size") {
  Laboratory laboratory(task_with_domain("#pragma tuner define(N = UNROLL == 2 ? n : 0)\nstatic const int size = N;"),
                        ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.awkward_sizes == 6);
  CHECK(laboratory.compile.submitted.size() == 11 + 6);
}

TEST_CASE("programs for other sizes are begun before the race, for whoever is likely to win") {
  Laboratory laboratory(task_with_domain("#pragma tuner define(N = UNROLL == 2 ? n : 0)\nstatic const int size = N;"),
                        ordinary);
  std::size_t before_race = 0;
  laboratory.device.on_submit = [&] {
    if (before_race == 0 && !laboratory.device.finalists.empty()) before_race = laboratory.compile.submitted.size();
  };
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.awkward_sizes == 6);
  CHECK(before_race == 11 + 4);  // as many as there is room for
  CHECK(laboratory.compile.submitted.size() == 11 + 6);
}

TEST_CASE("sizes that give the same program share it") {
  // 999, 1001, 255, 997, 7 and 1 are odd, and 1000 is not.
  Laboratory laboratory(task_with_domain("#pragma tuner define(EVEN = UNROLL == 2 ? n % 2 == 0 : 0)\nstatic const bool "
                                         "even = EVEN, other = BLOCK + UNROLL > 3;"),
                        ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.awkward_sizes == 6);
  CHECK(laboratory.compile.submitted.size() == 11 + 2);  // for another that might have won, too
}

TEST_CASE("a size at which the baseline fails says nothing about the winner") {
  Laboratory laboratory(task_with_domain(), ordinary);
  laboratory.device.reference_fails_at = 255;
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.awkward_sizes == 5);
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings.front().find("n=255") != std::string::npos);
}

}  // namespace
}  // namespace tuner::engine
