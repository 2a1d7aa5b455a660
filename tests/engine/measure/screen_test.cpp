#include "tuner/engine/measure/screen.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Step = Screen::Step;

TEST_CASE("the first candidate of a session is never killed and keeps the median of its samples") {
  Screen screen({}, std::nullopt);
  CHECK(screen.add(900) == Step::more);
  CHECK_FALSE(screen.time_ns());
  CHECK(screen.add(100) == Step::more);
  CHECK(screen.add(110) == Step::done);
  CHECK(screen.time_ns() == 110);
  CHECK_FALSE(screen.censored());
  CHECK(screen.samples_ns() == std::vector<double>{900, 100, 110});
}

TEST_CASE("a first sample above 1.6 times the best kills, one at the limit does not") {
  Screen slow({}, 100);
  CHECK(slow.add(161) == Step::killed);
  CHECK(slow.censored());
  CHECK(slow.time_ns() == 161);

  Screen at_limit({}, 100);
  CHECK(at_limit.add(160) == Step::more);
}

TEST_CASE("the second look judges the faster of two samples, so one slow sample does not kill") {
  Screen slow({}, 100);
  CHECK(slow.add(150) == Step::more);
  CHECK(slow.add(126) == Step::killed);
  CHECK(slow.time_ns() == 126);

  Screen unlucky({}, 100);  // the first sample after an idle moment takes a quarter longer
  CHECK(unlucky.add(126) == Step::more);
  CHECK(unlucky.add(101) == Step::more);
  CHECK(unlucky.add(102) == Step::done);
  CHECK(unlucky.time_ns() == 102);
}

TEST_CASE("the last sample completes a candidate however slow it is") {
  Screen one({.samples = 1}, 100);
  CHECK(one.add(1000) == Step::done);
  CHECK_FALSE(one.censored());
  Screen two({.samples = 2}, 100);
  CHECK(two.add(150) == Step::more);
  CHECK(two.add(140) == Step::done);
  CHECK(two.time_ns() == 140);
}

TEST_CASE("without early kill every candidate gets all its samples") {
  Screen screen({.samples = 4, .early_kill = false}, 1);
  CHECK(screen.add(100) == Step::more);
  CHECK(screen.add(100) == Step::more);
  CHECK(screen.add(100) == Step::more);
  CHECK(screen.add(100) == Step::done);
}

TEST_CASE("a first sample that is fast is enough, a second one decides on those that are not") {
  const ScreenPolicy policy{
      .samples = 2, .kill_after_first = 1.3, .kill_after_second = 1.05, .enough_after_first = 1.02};
  Screen fast(policy, 100);
  CHECK(fast.add(101) == Step::done);
  CHECK(fast.time_ns() == 101);
  Screen disturbed(policy, 100);
  CHECK(disturbed.add(120) == Step::more);
  CHECK(disturbed.add(101) == Step::done);
  CHECK(disturbed.time_ns() == 101);
  Screen slow(policy, 100);
  CHECK(slow.add(120) == Step::more);
  CHECK(slow.add(121) == Step::done);  // its last: a time is worth more than a bound
  CHECK(slow.time_ns() == 120);
  Screen hopeless(policy, 100);
  CHECK(hopeless.add(131) == Step::killed);
  Screen unknown(policy, std::nullopt);
  CHECK(unknown.add(100) == Step::more);
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
  Screen slow(policy, 100);
  CHECK(slow.add(2100) == Step::more);
  CHECK(slow.add(130) == Step::more);
  CHECK(slow.add(125) == Step::killed);
  CHECK(slow.time_ns() == 125);
  Screen interrupted(policy, 100);
  CHECK(interrupted.add(2100) == Step::more);
  CHECK(interrupted.add(105) == Step::done);
  Screen doubtful(policy, 100);
  CHECK(doubtful.add(115) == Step::more);
  CHECK(doubtful.add(2100) == Step::more);
  CHECK(doubtful.add(116) == Step::more);
  CHECK(doubtful.add(118) == Step::done);
  CHECK(doubtful.time_ns() == 115);
  CHECK(screened_time_ns(std::vector<double>{130, 100, 120}, false, true) == 100);
}

TEST_CASE("from the third sample on nothing is killed") {
  Screen screen({.samples = 4, .kill_after_first = 1.6, .kill_after_second = 1.25}, 100);
  screen.add(130);
  screen.add(120);
  CHECK(screen.add(500) == Step::more);
}

TEST_CASE("a screen refuses what is no time, samples after its end, and a policy without samples") {
  Screen screen({.samples = 1}, std::nullopt);
  CHECK_THROWS_AS(screen.add(0), Error);
  CHECK_THROWS_AS(screen.add(std::nan("")), Error);
  CHECK(screen.add(5) == Step::done);
  CHECK_THROWS_AS(screen.add(5), Error);
  CHECK_THROWS_AS(Screen({.samples = 0}, std::nullopt), Error);
}

}  // namespace
}  // namespace tuner::engine
