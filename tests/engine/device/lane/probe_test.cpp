#include "tuner/engine/device/lane/probe.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tuner/error.hpp"

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
  try {
    engine::list_devices();
    FAIL("a device was found");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::no_driver);
  }
  setenv("FAKE_DRIVER", "dies", 1);
  try {
    engine::list_devices();
    FAIL("a device was found");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::no_driver);
    CHECK(std::string(error.what()).find("signal 9") != std::string::npos);
    CHECK(std::string(error.what()).find("told to die") != std::string::npos);
  }
  unsetenv("FAKE_DRIVER");
}
