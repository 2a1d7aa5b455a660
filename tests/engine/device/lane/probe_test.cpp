#include "tuner/engine/device/lane/probe.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/support/errors.hpp"

using namespace tuner;

TEST_CASE("the probe lists the driver's GPUs") {
  const std::vector<DeviceInfo> devices = engine::list_devices();
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].name == "Fake GPU");
  CHECK(devices[0].sm_count == 132);
  CHECK(devices[0].memory_bytes == std::uint64_t{1} << 30);
}

TEST_CASE("the probe says why there are no GPUs") {
  setenv("FAKE_DRIVER", "none", 1);
  test::error_of(Errc::no_driver, engine::list_devices);
  setenv("FAKE_DRIVER", "dies", 1);
  const std::string message = test::error_of(Errc::no_driver, engine::list_devices);
  CHECK(message.find("signal 9") != std::string::npos);
  CHECK(message.find("told to die") != std::string::npos);
  unsetenv("FAKE_DRIVER");
}
