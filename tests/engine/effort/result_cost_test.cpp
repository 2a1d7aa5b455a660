#include "tuner/engine/effort/result_cost.hpp"

#include <doctest/doctest.h>

namespace tuner::engine {
namespace {

/// What 24 such results settle in a space of 1,000.
double settled(double compilers, std::size_t gpus, double compile_ms, double verify_ms, double timing_ms) {
  ResultCost cost(1000, compilers, gpus);
  cache::Trial trial;
  trial.compile_ms = compile_ms;
  trial.verify_ms = verify_ms;
  trial.timing_ms = timing_ms;
  for (std::size_t i = 1; i < ResultCost::kSettling; ++i) {
    CHECK_FALSE(cost.add(trial));
    CHECK_FALSE(cost.seconds());
  }
  CHECK(cost.add(trial));
  CHECK_FALSE(cost.add(trial));
  return cost.seconds().value();
}

TEST_CASE("a result costs what its compilers or its GPUs take for one, whichever is more") {
  CHECK(settled(0.5, 1, 100, 4, 3) == doctest::Approx(0.24));
  CHECK(settled(1, 1, 100, 4, 3) == doctest::Approx(0.12));
  CHECK(settled(10, 1, 100, 4, 3) == doctest::Approx(0.015));
  CHECK(settled(100, 1, 100, 4, 8) == doctest::Approx(0.015));
  CHECK(settled(100, 4, 100, 4, 8) == doctest::Approx(0.00375));
}

TEST_CASE("costs are rounded up until the complete search takes 15 s times a power of two") {
  CHECK(settled(1, 1, 14.9, 0, 0) == doctest::Approx(0.015));
  CHECK(settled(1, 1, 15.1, 0, 0) == doctest::Approx(0.03));
  CHECK(settled(1, 1, 29.9, 0, 0) == doctest::Approx(0.03));
  CHECK(settled(1, 1, 0, 0, 0) > 0);
}

TEST_CASE("what an earlier session settled stays") {
  ResultCost cost(1000, 1, 1);
  cost.settle(0.25);
  CHECK_FALSE(cost.add({}));
  CHECK(cost.seconds() == 0.25);
}

}  // namespace
}  // namespace tuner::engine
