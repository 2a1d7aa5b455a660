// --stop-at 95%: what reaches enough of the roofline ends a search once it was measured twice.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

const std::string kNear = "BLOCK=32,UNROLL=2";

/// kNear takes 0.125 ms, everything else more than twice that.
void make_near(const std::string& configuration, Behaviour& behaviour) {
  behaviour.time_ns = configuration == kNear ? 1.25e5 : behaviour.time_ns + 2e5;
}

/// The 12,000 bytes of the task take `bound_ns`.
SessionOptions stop_at(double share, double bound_ns) {
  SessionOptions options;
  options.strategy = "exhaustive";
  options.budget.roofline = share;
  options.roofline = Roofline{.bytes_per_s = 12000 / (bound_ns / 1e9), .flops_per_s = {}};
  return options;
}

std::size_t screened(const Laboratory& laboratory, const std::string& configuration) {
  return count(laboratory.device.screened, configuration);
}

TEST_CASE("a configuration that reaches enough of the roofline twice ends the search") {
  Laboratory laboratory(make_task(), changed(make_near), 1);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1.2e5));
  CHECK(screened(laboratory, kNear) == 2);
  CHECK(report.stopped_because.find("of the roofline, twice, and 95 % are enough") != std::string::npos);
  CHECK(report.decision.configuration == kNear);
  CHECK(report.decision.counters.at("asked") < 11);
  CHECK(laboratory.decided().has_value());
  REQUIRE(report.roofline);
  CHECK(report.roofline->share == doctest::Approx(0.96).epsilon(0.01));
  CHECK(report.roofline->bound.time_ns == doctest::Approx(1.2e5));
  CHECK(report.roofline->bound.by == RooflineBound::By::bandwidth);
  CHECK(*report.budget.roofline == 0.95);
  CHECK(laboratory.observer.warnings.empty());
}

TEST_CASE("what nothing reaches ends no search, and the report says how far the winner is from it") {
  Laboratory laboratory(make_task(), changed(make_near), 1);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1e5));
  CHECK(screened(laboratory, kNear) == 1);
  CHECK(report.stopped_because.empty());
  REQUIRE(report.roofline);
  CHECK(report.roofline->share == doctest::Approx(0.8).epsilon(0.01));
}

TEST_CASE("a time that the second measurement does not confirm ends no search") {
  const auto asked = std::make_shared<std::map<std::string, int>>();
  // Compiled, measured, and measured again: then it takes longer.
  Laboratory laboratory(make_task(), changed([asked](const std::string& configuration, Behaviour& behaviour) {
                          make_near(configuration, behaviour);
                          if (configuration == kNear && ++(*asked)[configuration] > 2) behaviour.time_ns = 2e5;
                        }),
                        1);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1.2e5));
  CHECK(screened(laboratory, kNear) == 2);
  CHECK(report.stopped_because.empty());
  CHECK(report.decision.counters.at("asked") == 11);
}

TEST_CASE("a time below the roofline is a warning that work is wrong, and the search goes on") {
  Laboratory laboratory(make_task(), changed(make_near), 1);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1.4e5));
  CHECK(report.stopped_because.empty());
  CHECK(report.decision.counters.at("asked") == 11);
  REQUIRE(laboratory.observer.warnings.size() == 1);
  const std::string& warning = laboratory.observer.warnings.front();
  CHECK(warning.find("The declared work is more than the kernel does: " + kNear + " takes 125") != std::string::npos);
  CHECK(warning.find("its 1.2e+04 bytes take 140") != std::string::npos);
}

TEST_CASE("slightly above the roofline is what its own measurement missed") {
  Laboratory laboratory(make_task(), changed(make_near), 1);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1.28e5));
  CHECK(laboratory.observer.warnings.empty());
  CHECK(report.stopped_because.find("102") != std::string::npos);
}

TEST_CASE("what an earlier session measured is measured anew before it ends a search") {
  Laboratory laboratory(make_task(), changed(make_near), 1);
  laboratory.tune({.strategy = "exhaustive", .budget = {.evaluations = 5}});
  const TuneReport report = laboratory.tune_again(stop_at(0.95, 1.2e5));
  CHECK(screened(laboratory, kNear) == 2);
  CHECK_FALSE(report.stopped_because.empty());
  CHECK(report.decision.configuration == kNear);
}

TEST_CASE("a seed ends the search in the same place, whichever candidate is compiled first") {
  const auto submitted = [](std::size_t workers, std::uint64_t timing) {
    Laboratory laboratory(make_task(), changed(make_near), 64);
    const TuneReport report = laboratory.tune_unordered(stop_at(0.95, 1.2e5), workers, timing);
    CHECK(report.stopped_because.find("twice") != std::string::npos);
    return laboratory.compile.submitted;
  };
  CHECK(submitted(2, 1) == submitted(2, 2));
  CHECK(submitted(8, 3) == submitted(2, 1));
}

TEST_CASE("a second time far below the roofline confirms nothing: it is a warning") {
  const auto asked = std::make_shared<std::map<std::string, int>>();
  Laboratory laboratory(make_task(), changed([asked](const std::string& configuration, Behaviour& behaviour) {
                          make_near(configuration, behaviour);
                          // Compiled, measured, and measured again.
                          if (configuration == kNear && ++(*asked)[configuration] == 3) behaviour.time_ns = 5e4;
                        }),
                        1);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1.2e5));
  CHECK(report.stopped_because.empty());
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings.front().find("The declared work is more than the kernel does") == 0);
}

TEST_CASE("what is near enough and fails when it is measured again is out, and the next is measured again") {
  const std::string kSlower = "BLOCK=32,UNROLL=4";
  const auto asked = std::make_shared<std::map<std::string, int>>();
  Laboratory laboratory(make_task(), changed([&, asked](const std::string& configuration, Behaviour& behaviour) {
                          make_near(configuration, behaviour);
                          if (configuration == kSlower) behaviour.time_ns = 1.26e5;
                          // Compiled, measured, and measured again.
                          if (configuration == kNear && ++(*asked)[configuration] > 2)
                            behaviour.run = Outcome::wrong_result;
                        }),
                        4);
  const TuneReport report = laboratory.tune(stop_at(0.95, 1.2e5));
  CHECK(screened(laboratory, kNear) == 2);
  CHECK(screened(laboratory, kSlower) == 2);
  CHECK_FALSE(report.stopped_because.empty());
  CHECK(report.decision.configuration == kSlower);
  CHECK(laboratory.rows().back().configuration == kNear);
  CHECK(laboratory.rows().back().outcome == Outcome::wrong_result);
}

}  // namespace
}  // namespace tuner::engine
