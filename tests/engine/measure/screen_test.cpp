#include "tuner/engine/measure/screen.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using enum Screen::SampleVerdict;

struct Timed {
  double time_ns;
  Screen::SampleVerdict then;
};

/// A screen that was given these samples, each of which led to the verdict that stands beside it.
Screen screened(const ScreenPolicy& policy, std::optional<double> best_ns, const std::vector<Timed>& samples) {
  Screen screen(policy, best_ns);
  for (const Timed& sample : samples) {
    CAPTURE(sample.time_ns);
    CHECK(screen.add(sample.time_ns) == sample.then);
  }
  return screen;
}

TEST_CASE("the first candidate of a session is never killed and keeps the median of its samples") {
  CHECK_FALSE(screened({}, std::nullopt, {{900, more}}).time_ns());
  const Screen screen = screened({}, std::nullopt, {{900, more}, {100, more}, {110, done}});
  CHECK(screen.time_ns() == 110);
  CHECK_FALSE(screen.censored());
  CHECK(screen.samples_ns() == std::vector<double>{900, 100, 110});
}

TEST_CASE("a first sample above 1.6 times the best kills, one at the limit does not") {
  const Screen slow = screened({}, 100, {{161, killed}});
  CHECK(slow.censored());
  CHECK(slow.time_ns() == 161);
  screened({}, 100, {{160, more}});
}

TEST_CASE("the second look judges the faster of two samples, so one slow sample does not kill") {
  CHECK(screened({}, 100, {{150, more}, {126, killed}}).time_ns() == 126);
  // The first sample after an idle moment takes a quarter longer.
  CHECK(screened({}, 100, {{126, more}, {101, more}, {102, done}}).time_ns() == 102);
}

TEST_CASE("the last sample completes a candidate however slow it is") {
  CHECK_FALSE(screened({.samples = 1}, 100, {{1000, done}}).censored());
  CHECK(screened({.samples = 2}, 100, {{150, more}, {140, done}}).time_ns() == 140);
}

TEST_CASE("without early kill every candidate gets all its samples") {
  screened({.samples = 4, .early_kill = false}, 1, {{100, more}, {100, more}, {100, more}, {100, done}});
}

TEST_CASE("a first sample that is fast is enough, a second one decides on those that are not") {
  const ScreenPolicy policy{
      .samples = 2, .kill_after_first = 1.3, .kill_after_second = 1.05, .enough_after_first = 1.02};
  CHECK(screened(policy, 100, {{101, done}}).time_ns() == 101);
  CHECK(screened(policy, 100, {{120, more}, {101, done}}).time_ns() == 101);
  // Its last: a time is worth more than a bound.
  CHECK(screened(policy, 100, {{120, more}, {121, done}}).time_ns() == 120);
  screened(policy, 100, {{131, killed}});
  screened(policy, std::nullopt, {{100, more}});
}

TEST_CASE("the time of a candidate is its median, of two samples the shorter, and of a killed one the shortest") {
  CHECK(screened_time_ns(std::vector<double>{120}, false) == 120);
  CHECK(screened_time_ns(std::vector<double>{130, 120}, false) == 120);
  CHECK(screened_time_ns(std::vector<double>{130, 100, 120}, false) == 120);
  CHECK(screened_time_ns(std::vector<double>{130, 100, 120}, true) == 100);
}

TEST_CASE("where others interrupt nobody is killed before one sample must be clean, and the shortest counts") {
  const ScreenPolicy policy{
      .samples = 4, .kill_after_second = 1.2, .enough_after_first = 1.1, .uninterrupted_after = 3};
  CHECK(screened(policy, 100, {{2100, more}, {130, more}, {125, killed}}).time_ns() == 125);
  screened(policy, 100, {{2100, more}, {105, done}});
  CHECK(screened(policy, 100, {{115, more}, {2100, more}, {116, more}, {118, done}}).time_ns() == 115);
  CHECK(screened_time_ns(std::vector<double>{130, 100, 120}, false, true) == 100);
}

TEST_CASE("from the third sample on nothing is killed") {
  screened({.samples = 4, .kill_after_first = 1.6, .kill_after_second = 1.25}, 100,
           {{130, more}, {120, more}, {500, more}});
}

TEST_CASE("a screen refuses what is no time, samples after its end, and a policy without samples") {
  Screen screen({.samples = 1}, std::nullopt);
  CHECK_THROWS_AS(screen.add(0), Error);
  CHECK_THROWS_AS(screen.add(std::nan("")), Error);
  CHECK(screen.add(5) == done);
  CHECK_THROWS_AS(screen.add(5), Error);
  CHECK_THROWS_AS(Screen({.samples = 0}, std::nullopt), Error);
}

}  // namespace
}  // namespace tuner::engine
