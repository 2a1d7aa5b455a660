#include "tuner/engine/measure/yardstick.hpp"

#include <doctest/doctest.h>

#include <array>

namespace tuner::engine {
namespace {

using doctest::Approx;

constexpr std::array<std::size_t, 2> kBoth{0, 1};

TEST_CASE("GPUs compare by what one configuration takes on them, and go on to compare by the next") {
  Yardstick yardstick(2);
  CHECK(yardstick.slowness(1) == 1);
  CHECK(yardstick.fastest(kBoth) == 1);
  CHECK(yardstick.add(0, 0, 1000));
  CHECK(yardstick.add(1, 0, 1050));
  CHECK(yardstick.slowness(0) == 1);
  CHECK(yardstick.slowness(1) == Approx(1.05));
  CHECK(yardstick.disagreement(kBoth) == Approx(0.05));
  CHECK_FALSE(yardstick.knows(1));
  CHECK(yardstick.add(1, 1, 420));  // 400 on the other
  CHECK(yardstick.knows(1));
  CHECK(yardstick.add(0, 1, 400));
  CHECK(yardstick.slowness(0) == Approx(1));
  CHECK(yardstick.slowness(1) == Approx(1.05));
}

TEST_CASE("a GPU that does not agree with its last reading is compared by the new one alone") {
  Yardstick yardstick(2);
  yardstick.add(0, 0, 1000);
  for (int i = 0; i < 3; ++i) CHECK(yardstick.add(1, 0, 1000 + i));
  CHECK_FALSE(yardstick.add(1, 0, 1900));
  CHECK(yardstick.readings(1) == 1);
  CHECK(yardstick.slowness(1) == Approx(1.9));
  CHECK(yardstick.add(1, 0, 1850));
  CHECK_FALSE(yardstick.add(1, 0, 1000));
  CHECK(yardstick.latest(1) == Approx(1));
}

TEST_CASE("one GPU agrees with all others that there are") {
  Yardstick yardstick(1);
  yardstick.add(0, 0, 1000);
  yardstick.add(0, 0, 1040);
  CHECK(yardstick.disagreement(std::array<std::size_t, 1>{0}) == 0);
}

}  // namespace
}  // namespace tuner::engine
