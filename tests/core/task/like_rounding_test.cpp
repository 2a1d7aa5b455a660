#include "tuner/core/task/like_rounding.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace tuner;

TEST_CASE("the tolerance that would accept a difference has two digits and is larger") {
  CHECK(atol_for(4.13e-4) == 4.2e-4);
  CHECK(atol_for(1) == 1.1);
  CHECK(atol_for(9.99e-7) == 1e-6);
  CHECK(atol_for(123456) == 130000);
}

TEST_CASE("what was rejected for rounding is read from the counters as it was added") {
  LikeRoundingSummary rejected;
  rejected.add({"slow", 1.1e-3, 90e3});
  rejected.add({"c", 4.2e-4, 73e3});
  rejected.add({"slow", 1.1e-3, 80e3});
  CHECK(rejected.configurations == 3);
  CHECK(rejected.fastest.buffer == "c");
  std::map<std::string, std::int64_t> counters{{"asked", 3}};
  CHECK_FALSE(like_rounding_in(counters));
  add_to_counters(rejected, counters);
  CHECK(like_rounding_in(counters) == rejected);
  counters["like_rounding_exponent"] = 4000;  // as in a damaged row
  CHECK_FALSE(like_rounding_in(counters));
}

TEST_CASE("a report says what a wider tolerance is worth") {
  LikeRoundingSummary rejected;
  rejected.add({"c", 4.2e-4, 73e3});
  CHECK(text_of(rejected, 146e3) ==
        "1 configuration is off by what looks like rounding. The fastest took 73.00 us, 0.50 times the winner's time; "
        "`atol 0.00042` in the directive of `c` would accept it");
}
