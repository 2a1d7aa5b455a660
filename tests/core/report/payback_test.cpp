#include "tuner/core/report/payback.hpp"

#include <doctest/doctest.h>

namespace tuner {
namespace {

/// A winner that saves a millisecond a launch.
cache::Decision twice_as_fast() {
  cache::Decision decision;
  decision.configuration = "A=2";
  decision.baseline = "A=1";
  decision.time_ns = 1e6;
  decision.baseline_time_ns = 2e6;
  decision.speedup = 2;
  return decision;
}

TEST_CASE("tuning pays for itself after its time divided by what a launch saves") {
  cache::Decision decision = twice_as_fast();
  const auto pays = payback(decision, 12.5);
  REQUIRE(pays);
  CHECK(*pays->launches == doctest::Approx(12500));
  CHECK_FALSE(pays->most);
  CHECK(payback_text(*pays) == "after 12,500 launches; tuning took 12.5 s");
}

TEST_CASE("the interval of the speed-up makes one of the launches, the other way round") {
  cache::Decision decision = twice_as_fast();
  decision.speedup_low = 1.8;
  decision.speedup_high = 2.25;
  const auto pays = payback(decision, 10);
  CHECK(*pays->fewest == doctest::Approx(8000));
  CHECK(*pays->most == doctest::Approx(12500));
  CHECK_FALSE(pays->doubtful);
  CHECK(payback_text(*pays) == "after 10,000 launches (8,000 to 12,500); tuning took 10.0 s");
}

TEST_CASE("a speed-up that may be none is not known to pay") {
  cache::Decision decision = twice_as_fast();
  decision.speedup = 1.002;
  decision.speedup_low = 0.999;
  decision.speedup_high = 1.005;
  const auto pays = payback(decision, 10);
  CHECK(pays->doubtful);
  CHECK(*pays->fewest == doctest::Approx(2e6));
  CHECK_FALSE(pays->most);
  CHECK(payback_text(*pays) ==
        "not known to pay for itself: tuning took 10.0 s, and there may be no speed-up; if it is as estimated, after "
        "5,000,000 launches");
  decision.speedup = 0.999;
  CHECK_FALSE(payback(decision, 10)->launches);
  CHECK(payback_text(*payback(decision, 10)) == "not known to pay for itself: tuning took 10.0 s, with no gain");
}

TEST_CASE("nothing is said where nothing was gained, compared or measured here") {
  cache::Decision baseline = twice_as_fast();
  baseline.configuration = baseline.baseline;
  CHECK_FALSE(payback(baseline, 10));
  cache::Decision alone = twice_as_fast();
  alone.speedup.reset();
  CHECK_FALSE(payback(alone, 10));
  cache::Decision replayed = twice_as_fast();
  replayed.origin = cache::Origin::replay;
  CHECK_FALSE(payback(replayed, 10));
}

TEST_CASE("a stored decision pays by the time that it says its session took, and says nothing without") {
  cache::Decision decision = twice_as_fast();
  CHECK_FALSE(stored_payback(decision));
  decision.counters[kTuningCounter] = 2500;
  CHECK(*stored_payback(decision)->launches == doctest::Approx(2500));
}

TEST_CASE("launches are printed with three digits, and never as none") {
  cache::Decision decision = twice_as_fast();
  CHECK(payback_text(*payback(decision, 123.456)) == "after 123,000 launches; tuning took 2 min 3 s");
  CHECK(payback_text(*payback(decision, 1e-9)) == "after 1 launch; tuning took 0.00 s");
}

}  // namespace
}  // namespace tuner
