#include "tuner/capture/stored/snapshot_reader.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "tests/capture/stored/sample.hpp"
#include "tests/support/length.hpp"

using namespace tuner::capture;
using namespace tuner::test;

namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

bool reads_with(const std::string& more) {
  return read_records(Sample::records() + more).has_value();
}

}  // namespace

TEST_CASE("a launch is read as it was written down") {
  const std::optional<Snapshot> snapshot = read_records(Sample::records());
  REQUIRE(snapshot);
  CHECK(snapshot->kernel == "_Z5scaleIfEvPT_i");
  CHECK(snapshot->launch.ordinal == 3);
  CHECK(snapshot->launch.grid[1] == 2);
  REQUIRE(snapshot->parameters.size() == 4);
  CHECK(snapshot->parameters[3].offset == 24);
  CHECK(snapshot->parameters[3].bytes.size() == 16);
  CHECK(snapshot->attributes.at(0).value == 65536);
  CHECK(snapshot->limits.at(0).number == 0);
  CHECK(snapshot->launch_attributes.at(0).number == 8);
  REQUIRE(snapshot->allocations.size() == 2);
  CHECK(snapshot->allocations[1].address == kSecond);
  CHECK(snapshot->allocations[1].offset == 1024);
  CHECK(snapshot->variables.at(0).name == "weights");
  CHECK(snapshot->unstored.at(0).size == 0x10000);
  CHECK(snapshot->image.size() == 8);
  CHECK(snapshot->frames.at(0).file == "/home/me/scale");
  CHECK(snapshot->gpu == "NVIDIA H200");
}

TEST_CASE("records that end early, or without a device, are refused") {
  const std::string whole = Sample::records();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(!read_records(whole.substr(0, size)));
  }
}

TEST_CASE("the launch comes first and once, image and device once") {
  CHECK(!read_records(Sample::rest() + Sample::launch()));
  CHECK(!reads_with(Sample::launch()));
  CHECK(!reads_with(Sample::device()));
  CHECK(!reads_with(image_record("another")));
  CHECK(!reads_with(record(static_cast<RecordKind>(99), 0)));
}

TEST_CASE("memory lies in the files, and no piece in another") {
  CHECK(!read_records(Sample::records(), 1791));
  const auto allocation = [](std::uint64_t address, std::uint64_t size, std::uint64_t offset) {
    return read_records(Sample::records() + Sample::allocation(address, size, offset), 1792 + 64).has_value();
  };
  CHECK(allocation(0x1000, 64, 1792));
  CHECK(!allocation(0x1000, 65, 1792));
  CHECK(!allocation(0x1000, 0, 1792));
  CHECK(!allocation(0x1000, 64, 1791));
  CHECK(!allocation(0x1000, kEnd, 1792));
  CHECK(!allocation(0x1000, 64, kEnd - 32));
  CHECK(!allocation(kEnd - 32, 64, 1792));
  CHECK(!allocation(kFirst + 1023, 64, 1792));
  CHECK(!allocation(kFirst - 63, 64, 1792));
}

TEST_CASE("an allocation has no name, and a variable has one") {
  CHECK(!read_records(Sample::records() + Sample::memory(RecordKind::allocation, {0x1000, 64, 1792}, "name"), 2000));
  CHECK(!read_records(Sample::records() + Sample::memory(RecordKind::variable, {0x1000, 64, 1792}), 2000));
}

TEST_CASE("parameters are in order and apart, and no more than CUDA takes") {
  CHECK(reads_with(Sample::parameter(40, 1)));
  CHECK(!reads_with(Sample::parameter(39, 1)));
  CHECK(!reads_with(Sample::parameter(kEnd - 1, 1)));
  CHECK(!reads_with(Sample::parameter(1 << 16, 1)));
  CHECK(!reads_with(record(RecordKind::parameter, FactsOfParameter{64})));
}

TEST_CASE("shapes that no launch has are refused") {
  const auto reads = [](FactsOfLaunch launch) {
    return read_records(record(RecordKind::launch, launch, "k") + Sample::rest()).has_value();
  };
  const FactsOfLaunch good{.ordinal = 1, .grid = {1, 1, 1}, .block = {32, 32, 1}};
  CHECK(reads(good));
  for (int axis = 0; axis < 3; ++axis) {
    FactsOfLaunch bad = good;
    bad.grid[axis] = 0;
    CHECK(!reads(bad));
    bad = good;
    bad.block[axis] = 0;
    CHECK(!reads(bad));
    bad.block[axis] = 0xffffffff;
    CHECK(!reads(bad));
  }
  FactsOfLaunch bad = good;
  bad.ordinal = 0;
  CHECK(!reads(bad));
  CHECK(!read_records(record(RecordKind::launch, good) + Sample::rest()));
  CHECK(!read_records(record(RecordKind::launch, good, std::string("a\0b", 3)) + Sample::rest()));
}

TEST_CASE("there are no more facts and no more memory than a launch can have") {
  std::string facts, frames, memories;
  for (std::size_t i = 0; i <= kMostFacts; ++i) facts += record(RecordKind::limit, NumberedFact{});
  for (std::size_t i = 0; i <= kMostFrames; ++i) frames += record(RecordKind::frame, FactsOfFrame{}, "file");
  for (std::size_t i = 0; i <= kMostMemories; ++i) memories += Sample::allocation(i + 1, 1, 1792 + i);
  CHECK(!reads_with(facts));
  CHECK(!reads_with(frames));
  CHECK(!read_records(Sample::records() + memories, 1 << 20));
}

TEST_CASE("records with damaged bytes are read or refused") {
  std::mt19937 random(5);
  const std::string whole = Sample::records();
  std::size_t read = 0;
  const std::size_t tries = length(20000, 1000000);
  for (std::size_t i = 0; i < tries; ++i) {
    std::string damaged = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % damaged.size();
      damaged[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    if (random() % 8 == 0) damaged.resize(random() % damaged.size());
    const std::optional<Snapshot> snapshot = read_records(damaged);
    if (!snapshot) continue;
    ++read;
    for (const auto* memories : {&snapshot->allocations, &snapshot->variables})
      for (const Memory& memory : *memories) REQUIRE(memory.offset + memory.size <= 1792);
  }
  CHECK(read > 0);
  CHECK(read < tries);
}
