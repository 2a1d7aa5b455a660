#include "tuner/capture/inject/live_memory.hpp"

#include <doctest/doctest.h>

using namespace tuner::capture;

TEST_CASE("what one call unmaps is gone, however many calls mapped it") {
  LiveMemories memories;
  for (const std::uint64_t address : {0x1000, 0x2000, 0x3000, 0x4000})
    memories.add({.address = address, .size = 0x1000});
  memories.remove(0x2000, 0x2000);
  const std::vector<LiveMemory> left = memories.list();
  REQUIRE(left.size() == 2);
  CHECK(left[0].address == 0x1000);
  CHECK(left[1].address == 0x4000);
  memories.remove(0x1001);
  memories.remove(~std::uint64_t{0}, ~std::uint64_t{0});
  memories.remove(0x4000);
  CHECK(memories.list().size() == 1);
}

TEST_CASE("memory is found by any address in it") {
  const std::vector<LiveMemory> memories{{.address = 0x1000, .size = 0x100}, {.address = 0x2000, .size = 0x100}};
  for (const std::uint64_t outside : {0x0, 0xfff, 0x1100, 0x1fff, 0x2100})
    CHECK(find_holding(memories, outside) == nullptr);
  CHECK(find_holding(memories, 0x1000) == &memories[0]);
  CHECK(find_holding(memories, 0x20ff) == &memories[1]);
  CHECK(find_holding({}, 0x1000) == nullptr);
}
