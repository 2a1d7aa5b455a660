#include "tuner/engine/device/spread/common_configurations.hpp"

#include <doctest/doctest.h>

#include <string>

namespace tuner::engine {
namespace {

using Numbers = std::vector<std::size_t>;

Candidate candidate(const std::string& configuration) {
  return {.configuration = configuration};
}

/// A reference that takes 100 us.
CommonConfigurations begun() {
  CommonConfigurations commons;
  CHECK(!commons.are_timed());
  commons.set_reference(candidate("reference"));
  commons.set_reference_time(100e3);
  CHECK(commons.are_timed());
  return commons;
}

TEST_CASE("what is faster by enough is introduced by one GPU, between two readings of the one before") {
  CommonConfigurations commons = begun();
  commons.offer(candidate("hardly faster"), 96e3);
  CHECK(commons.to_read(0, true) == Numbers{0});
  commons.offer(candidate("faster"), 90e3);
  CHECK(commons.to_read(0, false) == Numbers{0});
  CHECK(commons.to_read(1, true) == Numbers{0, 1, 0});
  CHECK(commons[1].configuration == "faster");
  CHECK(commons.to_read(0, true) == Numbers{0});
  CHECK(!commons.end_reading(0, true));
  CHECK(!commons.end_reading(1, true));
  CHECK(commons.to_read(0, true) == Numbers{1});
}

TEST_CASE("what a GPU that did not agree with itself introduced is worth nothing, and is introduced again") {
  CommonConfigurations commons = begun();
  commons.offer(candidate("faster"), 90e3);
  CHECK(commons.to_read(1, true) == Numbers{0, 1, 0});
  CHECK(commons.end_reading(1, false) == 1);
  CHECK(commons.to_read(0, true) == Numbers{0, 1, 0});
}

TEST_CASE("something better that comes meanwhile is introduced next, and the reference stays") {
  CommonConfigurations commons = begun();
  commons.offer(candidate("faster"), 90e3);
  CHECK(commons.to_read(0, true) == Numbers{0, 1, 0});
  commons.offer(candidate("fastest"), 80e3);
  CHECK(!commons.end_reading(0, true));
  CHECK(commons.to_read(1, true) == Numbers{1, 2, 1});
  CHECK(!commons.end_reading(1, true));
  CHECK(commons[0].configuration == "reference");
  CHECK(commons[2].configuration == "fastest");
}

TEST_CASE("after one that cannot be read the one before is timed, or the reference, until something better comes") {
  CommonConfigurations commons = begun();
  commons.offer(candidate("fails"), 90e3);
  CHECK(commons.to_read(0, true) == Numbers{0, 1, 0});
  commons.fail(1);
  CHECK(commons.end_reading(0, false) == 1);
  CHECK(commons.to_read(0, true) == Numbers{0});
  commons.offer(candidate("no better than what fails"), 89e3);
  CHECK(commons.to_read(0, true) == Numbers{0});
  commons.offer(candidate("better"), 80e3);
  CHECK(commons.to_read(0, true) == Numbers{0, 2, 0});
  CHECK(!commons.end_reading(0, true));
  commons.fail(2);
  CHECK(commons.to_read(0, true) == Numbers{0});
}

TEST_CASE("the shorter the best is, the more samples are a reading") {
  CommonConfigurations commons = begun();
  CHECK(commons.samples() == 15);
  commons.set_reference_time(1e6);
  CHECK(commons.samples() == 3);
  commons.set_reference_time(3e6);
  CHECK(commons.samples() == 1);
}

}  // namespace
}  // namespace tuner::engine
