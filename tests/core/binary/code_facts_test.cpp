#include "tuner/core/binary/code_facts.hpp"

#include <doctest/doctest.h>

namespace tuner {
namespace {

cache::ResourceFacts facts(int registers, double occupancy) {
  cache::ResourceFacts result;
  result.registers = registers;
  result.occupancy = occupancy;
  return result;
}

TEST_CASE("registers are idle that every resident thread could have had besides its own") {
  const DeviceInfo device = known_device("H200");  // 65536 registers and 2048 threads a multiprocessor, 132 of them
  const Geometry large{.grid = {10000, 1, 1}, .block = {1024, 1, 1}};
  CHECK(idle_registers(facts(32, 1.0), large, device) == 0);
  CHECK(idle_registers(facts(40, 0.5), large, device) == 24);
  CHECK(idle_registers(facts(40, 0.125), {.grid = {10000, 1, 1}, .block = {256, 1, 1}}, device) == 215);  // 255 at most
}

TEST_CASE("a grid that gives each multiprocessor fewer blocks than fit leaves registers idle") {
  const DeviceInfo device = known_device("H200");
  const auto idle = [&](std::uint32_t blocks) {
    return idle_registers(facts(32, 1.0), {.grid = {blocks, 1, 1}, .block = {1024, 1, 1}}, device);
  };
  CHECK(idle(132) == 32);
  CHECK(idle(1) == 32);
  CHECK(idle(133) == 0);  // somewhere two
}

TEST_CASE("nothing is said of idle registers where registers, occupancy or the device are not known") {
  const DeviceInfo device = known_device("H200");
  const Geometry launch{.grid = {1000, 1, 1}, .block = {128, 1, 1}};
  CHECK_FALSE(idle_registers({}, launch, device));
  CHECK_FALSE(idle_registers(facts(32, 0), launch, device));
  CHECK_FALSE(idle_registers(facts(32, 1), launch, DeviceInfo()));
}

}  // namespace
}  // namespace tuner
