#include "tuner/core/device/device.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("the identity of a device does not change with the memory that the driver reserves") {
  DeviceInfo device = known_device("H200");
  CHECK(device.identity() == "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=");
  device.memory_bytes -= 300'000'000;
  device.driver_version = "999";
  device.uuid = "GPU-1";
  CHECK(device.identity() == "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=");
  device.mig_profile = "3g.71gb";
  CHECK(device.identity() == "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=3g.71gb");
}

TEST_CASE("a device's attributes are names of expressions") {
  search::Scope scope;
  const DeviceInfo device = known_device("RTX_4090");
  device.define_names(scope);
  CHECK(device.architecture() == "sm_89");
  CHECK(search::Expression::parse("compute_capability").evaluate_integer(scope) == 89);
  CHECK(search::Expression::parse("max_shared_per_block").evaluate_integer(scope) == 101376);
  CHECK(scope.names().size() == 12);
}

TEST_CASE("every known device has what plans need") {
  for (const char* name : {"A100", "B200", "H100", "H200", "L40S", "RTX_3090", "RTX_4090"}) {
    const DeviceInfo device = known_device(name);
    CAPTURE(name);
    CHECK(device.sm_count > 0);
    CHECK(device.max_threads_per_block == 1024);
    CHECK(device.max_threads_per_sm >= 1536);
    CHECK(device.max_shared_per_block == device.max_shared_per_sm - 1024);
    CHECK(device.registers_per_sm == 65536);
    CHECK(device.l2_bytes > 0);
  }
}

TEST_CASE("a GPU of an architecture has its limits, also of one that is not listed and of a variant") {
  CHECK(planned_device("sm_90").name == known_device(kPlanDevice).name);
  CHECK(planned_device("sm_90a").max_shared_per_block == 227 * 1024);
  CHECK(planned_device("sm_75").max_shared_per_block == 64 * 1024);
  CHECK(planned_device("sm_75").max_threads_per_sm == 1024);
  CHECK(planned_device("sm_88").architecture() == "sm_88");
  CHECK(planned_device("sm_121").architecture() == "sm_121");
  CHECK(planned_device("sm_121").max_shared_per_block == 99 * 1024);
  for (const char* name : {"sm_", "sm_9x", "sm_90aa", "compute_90", "90"})
    CHECK(error_of([&] { planned_device(name); }).find("is not the name of an architecture") != std::string::npos);
}

TEST_CASE("the GPU of an identity has that identity and the limits of its architecture, whatever it is called") {
  DeviceInfo device = known_device("H100");
  device.mig_profile = "3g.40gb";
  for (const char* name : {"NVIDIA H100 80GB HBM3", "", "GPU |cc=7.5| of a vendor"}) {
    device.name = name;
    const auto found = device_of_identity(device.identity());
    if (device.name.find("|cc=") != std::string::npos) {
      CHECK_FALSE(found);
      continue;
    }
    REQUIRE(found);
    CHECK(found->identity() == device.identity());
    CHECK(found->architecture() == "sm_90");
    CHECK(found->max_shared_per_block == device.max_shared_per_block);
  }
  for (const char* none :
       {"", "H200", "H200|cc=9.0", "H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB",
        "H200|cc=9.0|sms=132|memory=99999999999GiB|l2=60MiB|mig=", "H200|cc=-1.0|sms=132|memory=140GiB|l2=60MiB|mig="})
    CHECK_FALSE(device_of_identity(none));
}

TEST_CASE("an unknown device is answered with the known ones") {
  CHECK(error_of([] { known_device("H20"); }) ==
        "The device `H20` is not known; did you mean `H200`? Devices known without a driver: A100, B200, H100, H200, "
        "L40S, RTX_3090, RTX_4090.");
}
