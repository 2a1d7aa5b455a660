#include "tuner/capture/stored/reach.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace tuner::capture;

namespace {

constexpr std::uint64_t kA = 0x7f0000000000, kB = kA + 64, kC = kA + 4096;

/// Words, as they stand in memory.
std::vector<std::byte> words(const std::vector<std::uint64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::uint64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

StoredMemory memory_at(std::uint64_t address, std::uint64_t size) {
  StoredMemory memory{.address = address};
  memory.before.size = memory.after.size = size;
  return memory;
}

/// Allocations A and B of 64 bytes side by side, C of 16 bytes apart, and a variable; what they hold is by position.
struct Example {
  StoredLaunch launch;
  std::map<std::size_t, std::vector<std::byte>> holds;
  mutable std::vector<std::size_t> asked;

  Example() {
    launch.allocations = {memory_at(kA, 64), memory_at(kB, 64), memory_at(kC, 16)};
    launch.variables = {memory_at(kA + 8192, 8)};
  }
  void parameter(std::uint64_t offset, std::vector<std::byte> bytes) {
    launch.parameters.push_back({offset, std::move(bytes)});
  }
  Reach reach() const {
    const MemoryMap map(launch);
    return reach_of(launch, map, [&](std::size_t memory) -> std::span<const std::byte> {
      asked.push_back(memory);
      const auto found = holds.find(memory);
      return found == holds.end() ? std::span<const std::byte>() : found->second;
    });
  }
};

std::string place(std::uint64_t address) {
  const Example example;
  const std::optional<MemoryPlace> found = MemoryMap(example.launch).find(address);
  return found ? std::to_string(found->memory) + "+" + std::to_string(found->offset) : "nowhere";
}

}  // namespace

TEST_CASE("an address leads to the memory it lies in, and the end of one that nothing follows is its own") {
  CHECK(place(kA - 1) == "nowhere");
  CHECK(place(kA) == "0+0");
  CHECK(place(kA + 63) == "0+63");
  CHECK(place(kB) == "1+0");  // and not the end of A
  CHECK(place(kB + 64) == "1+64");
  CHECK(place(kB + 65) == "nowhere");
  CHECK(place(kC + 16) == "2+16");
  CHECK(place(kA + 8192 + 8) == "3+8");
  CHECK(place(0) == "nowhere");
  CHECK(place(~std::uint64_t{0}) == "nowhere");
  const StoredLaunch nothing;
  CHECK_FALSE(MemoryMap(nothing).find(kA));
  CHECK(pointers_in(words({kA}), MemoryMap(nothing)).empty());
}

TEST_CASE("addresses are found at multiples of eight bytes, and bytes behind the last word are no word") {
  const Example example;
  const MemoryMap map(example.launch);
  std::vector<std::byte> bytes = words({kA + 8, 0, kC});
  CHECK(pointers_in(bytes, map).size() == 2);
  bytes.resize(23);
  const std::vector<PointerWord> found = pointers_in(bytes, map);
  REQUIRE(found.size() == 1);
  CHECK(found[0].offset == 0);
  CHECK(found[0].leads_to.memory == 0);
  CHECK(found[0].leads_to.offset == 8);
  bytes.insert(bytes.begin(), 4, std::byte{0});
  CHECK(pointers_in(bytes, map).empty());
  CHECK(pointers_in({}, map).empty());
}

TEST_CASE("parameters stand where the kernel gets them, with zeros between") {
  Example example;
  example.parameter(0, words({kA}));
  example.parameter(8, std::vector<std::byte>(4, std::byte{7}));
  example.parameter(16, words({1, kC}));
  const std::vector<std::byte> block = parameter_block(example.launch);
  REQUIRE(block.size() == 32);
  CHECK(block[11] == std::byte{7});
  CHECK(block[12] == std::byte{0});
  CHECK(parameter_block(StoredLaunch{}).empty());
}

TEST_CASE("what parameters lead to is reached, in structures too, and what nothing leads to is not") {
  Example example;
  example.parameter(0, words({5, kC + 16}));
  const Reach reach = example.reach();
  CHECK(reach.is_reached == std::vector<bool>{false, false, true, true});
  CHECK(reach.is_pointed_to == std::vector<bool>{false, false, false, false});
  CHECK(example.asked.size() == 2);
}

TEST_CASE("without parameters only variables are reached, and what they lead to") {
  Example example;
  CHECK(example.reach().is_reached == std::vector<bool>{false, false, false, true});
  example.holds[3] = words({kB + 1});
  const Reach reach = example.reach();
  CHECK(reach.is_reached == std::vector<bool>{false, true, false, true});
  CHECK(reach.is_pointed_to == std::vector<bool>{false, true, false, false});
  CHECK(reach.pointers == std::vector<std::uint64_t>{0, 0, 0, 1});
}

TEST_CASE("a list that ends in itself is searched once, and each of its nodes has to lie where it lay") {
  Example example;
  example.parameter(0, words({kA}));
  example.holds[0] = words({kB, kB + 8, 12});
  example.holds[1] = words({kC});
  example.holds[2] = words({kA, kC});
  const Reach reach = example.reach();
  CHECK(reach.is_reached == std::vector<bool>{true, true, true, true});
  CHECK(reach.is_pointed_to == std::vector<bool>{true, true, true, false});
  CHECK(reach.pointers == std::vector<std::uint64_t>{2, 1, 2, 0});
  CHECK(example.asked.size() == 4);
}
