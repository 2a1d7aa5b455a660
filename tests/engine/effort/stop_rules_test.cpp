#include "tuner/engine/effort/stop_rules.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/engine/session/laboratory.hpp"
#include "tests/support/errors.hpp"

namespace tuner::engine {
namespace {

search::Observation timed(double time_ns) {
  return {.time_ns = time_ns};
}

search::Observation failed() {
  return {.outcome = Outcome::compile_error};
}

/// What is wrong with what is asked of a budget.
std::string complaint(const std::function<void(Budget&)>& ask) {
  Budget budget;
  return test::error_of(Errc::bad_usage, [&] { ask(budget); });
}

TEST_CASE("a budget is a number of configurations, a time, a share of the space, or several of these") {
  CHECK(Budget::parse("200").evaluations == 200);
  CHECK(Budget::parse("1.5s").time == std::chrono::milliseconds(1500));
  CHECK(*Budget::parse("2.5%").share == doctest::Approx(0.025));
  const Budget all = Budget::parse("200,60s,10%");
  CHECK(all.evaluations == 200);
  CHECK(all.time == std::chrono::seconds(60));
  CHECK(*all.share == doctest::Approx(0.1));
  for (const char* text : {"", "0", "soon", "200,", "101%", "0%", "-5", "200 60s", "1e400%", "10 %"}) {
    CAPTURE(text);
    CHECK(complaint([&](Budget& budget) { budget.add(text); }).find("10%") != std::string::npos);
  }
  CHECK(complaint([](Budget& budget) { budget.add("60s,2min"); }).find("`2min`") != std::string::npos);
  complaint([](Budget& budget) {
    budget.add("200");
    budget.add("300");
  });
}

TEST_CASE("a target is a kernel's time or a speed-up, an expected gain a percentage") {
  Budget budget;
  budget.stop_at("0.21ms");
  CHECK(*budget.target_ns == doctest::Approx(210e3));
  budget.stop_at("210us");
  CHECK(*budget.target_ns == doctest::Approx(210e3));
  budget.stop_at("1.5x");
  CHECK(*budget.target_speedup == doctest::Approx(1.5));
  budget.stop_at("95%");
  CHECK(*budget.roofline == doctest::Approx(0.95));
  budget.stop_when_gain_below("2%");
  CHECK(*budget.gain == doctest::Approx(0.02));
  for (const char* text : {"", "210", "1x", "0ms", "-1us", "fast", "1.5 x", "0%", "101%", "95 %"}) {
    CAPTURE(text);
    CHECK(complaint([&](Budget& one) { one.stop_at(text); }).find("1.5x") != std::string::npos);
  }
  for (const char* text : {"", "2", "0%", "150%", "2 %"}) {
    CAPTURE(text);
    CHECK(complaint([&](Budget& one) { one.stop_when_gain_below(text); }).find("2%") != std::string::npos);
  }
}

TEST_CASE("of a number and a share the smaller counts, and a share is never nothing") {
  CHECK_FALSE(StopRules({}, 1000).evaluations());
  CHECK(StopRules({.evaluations = 50}, 1000).evaluations() == 50);
  CHECK(StopRules({.evaluations = 50, .share = 0.02}, 1000).evaluations() == 20);
  CHECK(StopRules({.evaluations = 50, .share = 0.2}, 1000).evaluations() == 50);
  CHECK(StopRules({.share = 0.0001}, 1000).evaluations() == 1);
  CHECK(StopRules({.share = 0.2}, 1000).why_enough() == "20 % of the space, 200 configurations, were tried");
  CHECK(StopRules({.evaluations = 50}, 1000).why_enough() == "the budget of 50 configurations is spent");
}

TEST_CASE("a target ends the search as soon as it is told, a speed-up only where the baseline is known") {
  StopRules time({.target_ns = 100}, 1000);
  CHECK(time.may_end_early());
  time.tell(timed(101));
  CHECK_FALSE(time.met());
  search::Observation lower_bound = timed(90);
  lower_bound.censored = true;
  time.tell(lower_bound);
  CHECK_FALSE(time.met());
  time.tell(timed(100));
  CHECK(time.met() == "a configuration took 100.0 ns, and 100.0 ns are enough");

  StopRules speedup({.target_speedup = 1.5}, 1000);
  speedup.tell(timed(100));
  CHECK_FALSE(speedup.met());
  speedup.tell_baseline(149);
  CHECK_FALSE(speedup.met());
  speedup.tell(timed(99));
  CHECK(speedup.met() == "a configuration was 1.505 times as fast as the baseline, and 1.5 times are enough");
}

TEST_CASE("what is faster by less than the worthwhile gain is idle, until it adds up") {
  StopRules rules({.idle = 3, .idle_gain = 0.1}, 1000);
  for (const double time_ns : {100.0, 95.0, 92.0}) rules.tell(timed(time_ns));
  CHECK_FALSE(rules.met());
  rules.tell(timed(89));  // 11 % in all
  for (const double time_ns : {88.0, 87.0}) rules.tell(timed(time_ns));
  CHECK_FALSE(rules.met());
  rules.tell(timed(86));
  CHECK(rules.met() == "3 configurations in a row were not 10 % faster than the best");
}

TEST_CASE("idle are configurations in a row that the strategy asked for and that are not faster, failures too") {
  StopRules rules({.idle = 3}, 1000);
  rules.tell(timed(100), false);
  rules.tell(timed(120), false);  // an earlier winner, which was not asked for
  rules.tell(timed(100));
  rules.tell(failed());
  CHECK_FALSE(rules.met());
  rules.tell(timed(99));
  rules.tell(timed(150));
  rules.tell(failed());
  CHECK_FALSE(rules.met());
  rules.tell(timed(99));
  CHECK(rules.met() == "3 configurations in a row were not faster than the best");
}

TEST_CASE("what is idle ends no search before as many were tried as shall be, and then says how many were idle") {
  StopRules rules({.idle = 2, .least_for_idle = 5}, 1000);
  rules.tell(timed(100), false);  // the baseline, which was not asked for
  for (const double time_ns : {50.0, 100.0, 100.0}) rules.tell(timed(time_ns));
  rules.tell(failed());
  CHECK_FALSE(rules.met());
  rules.tell(timed(100));
  CHECK(rules.met() == "4 configurations in a row were not faster than the best");

  StopRules late({.idle = 2, .least_for_idle = 2}, 1000);
  for (const double time_ns : {100.0, 99.0, 98.0, 100.0}) late.tell(timed(time_ns));
  CHECK_FALSE(late.met());
  late.tell(timed(100));
  CHECK(late.met() == "2 configurations in a row were not faster than the best");
}

TEST_CASE("the time of a budget is seconds from the start") {
  const StopRules rules({.time = std::chrono::milliseconds(1500)}, 1000);
  CHECK_FALSE(rules.out_of_time(1.4));
  CHECK(rules.out_of_time(1.5));
  CHECK(rules.why_out_of_time() == "the budget of 1.50 s is spent");
  CHECK_FALSE(StopRules({}, 1000).out_of_time(1e9));
}

TEST_CASE("nothing is expected of too little, and as much as lately of a search that makes progress") {
  GainEstimate gain(600);
  for (int i = 0; i < 99; ++i) gain.tell(1000);
  CHECK_FALSE(gain.expected());
  gain.tell(1000);
  CHECK(*gain.expected() == 0);
  gain.tell(900);  // a tenth faster than the best of the first tenth
  CHECK(*gain.expected() > 0.1);

  GainEstimate failing(600);
  for (int i = 0; i < 200; ++i) failing.tell(std::nullopt);
  CHECK_FALSE(failing.expected());
}

TEST_CASE("the larger a space, the more is tried before anything is expected of it: a sixth, from 100 to 600") {
  const auto least = [](std::uint64_t space_size) {
    GainEstimate gain(space_size);
    int told = 0;
    while (!gain.expected()) {
      gain.tell(1000);
      ++told;
    }
    return told;
  };
  CHECK(least(1) == 100);
  CHECK(least(900) == 150);
  CHECK(least(1'000'000) == 600);
}

TEST_CASE("as much is expected as a random order would have gained in its second half, twice over") {
  // The best is there from the beginning, so that only what lies between the fastest says anything.
  GainEstimate gain(600);
  gain.tell(1000);
  gain.tell(1100);
  gain.tell(1100);
  for (int i = 0; i < 200; ++i) gain.tell(5000);
  const double half = 0.5 * std::log(1.1) + 0.125 * std::log(5000.0 / 1100);
  CHECK(*gain.expected() == doctest::Approx(2 * std::expm1(half)).epsilon(0.4));
  CHECK(*gain.expected() > 2 * std::expm1(half));  // the rest of the sum
}

TEST_CASE("a rule that is met ends the session, whose report says which, and what was found is raced and stored") {
  struct Case {
    Budget budget;
    const char* because;
  };
  for (const Case& one :
       {Case{{.evaluations = 5}, "the budget of 5 configurations is spent"},
        Case{{.share = 0.4}, "40 % of the space, 5 configurations, were tried"},
        Case{{.target_ns = 160e3}, "a configuration took"}, Case{{.target_speedup = 1.3}, "1.3 times are enough"},
        Case{{.idle = 3}, "3 configurations in a row"},
        Case{{.time = std::chrono::milliseconds(0)}, "the budget of 0.00 s is spent"},
        Case{{.evaluations = 9, .target_ns = 1e9, .idle = 9}, "a configuration took"}}) {
    CAPTURE(one.because);
    Laboratory laboratory(make_task(), ordinary, 1);
    const TuneReport report = laboratory.tune({.strategy = "exhaustive", .budget = one.budget});
    CHECK(report.stopped_because.find(one.because) != std::string::npos);
    CHECK_FALSE(report.interrupted);
    CHECK(report.out_of_time == one.budget.time.has_value());
    CHECK(report.decision.counters.at("asked") < 11);
    CHECK(laboratory.decided().has_value());
  }
}

TEST_CASE("a search that was through with the space was stopped by nothing, and one that the user stops by no rule") {
  Laboratory all;
  CHECK(all.tune({.budget = {.evaluations = 11, .idle = 50}}).stopped_because.empty());

  Laboratory stopped;
  stopped.device.on_submit = [&] { stopped.stop = stopped.device.screened.size() > 3; };
  const TuneReport report = stopped.tune({.budget = {.evaluations = 8}});
  CHECK(report.stopped_because.empty());
  CHECK(report.interrupted);
}

TEST_CASE("whatever the rule, nothing ends before the baseline is there to compare with") {
  Laboratory laboratory;
  REQUIRE(laboratory.tune({.budget = {.target_ns = 1e12}}).decision.baseline_time_ns);
  CHECK(laboratory.device.screened.front() == kBaseline);
}

TEST_CASE("a share of the space is not rounded up for the sake of binary fractions, nor does it overflow") {
  const auto most = [](const char* share, std::uint64_t size) {
    return StopRules(Budget::parse(share), size).evaluations().value();
  };
  CHECK(most("7%", 100) == 7);
  CHECK(most("14%", 100) == 14);
  CHECK(most("55%", 100) == 55);
  CHECK(most("10%", 101) == 11);
  CHECK(most("1%", 5) == 1);
  CHECK(most("100%", 18446744073709551615U) == 18446744073709551615U);
}

}  // namespace
}  // namespace tuner::engine
