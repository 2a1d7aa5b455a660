#include "search/space/once.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using tuner::search::Once;

TEST_CASE("what is done once is done once, and what throws is tried again") {
  Once once;
  int tries = 0;
  const auto second_time = [&] {
    if (++tries == 1) throw std::runtime_error("not yet");
  };
  CHECK_THROWS_AS(once.run(second_time), std::runtime_error);
  once.run(second_time);
  once.run(second_time);
  CHECK(tries == 2);
}
