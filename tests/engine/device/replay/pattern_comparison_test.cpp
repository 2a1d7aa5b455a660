#include "tuner/engine/device/replay/pattern_comparison.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "tuner/engine/device/replay/slices.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

using Bytes = std::vector<std::byte>;

/// What launches leave of memory, over the patterns.
struct Launches {
  Bytes first, second, third, before, after;

  explicit Launches(std::size_t size)
      : first(size, std::byte{kPatterns[0]}),
        second(size, std::byte{kPatterns[1]}),
        third(size, std::byte{kPatterns[2]}),
        before(size, std::byte{0x11}),
        after(before) {}
  /// All write this, and so did the program's.
  void write(std::size_t at, std::size_t count, unsigned char value = 0x77) {
    for (Bytes* memory : {&first, &second, &third, &after}) std::fill_n(memory->begin() + at, count, std::byte{value});
  }
  /// It becomes something else for each.
  void change(std::size_t at, std::size_t count) {
    std::fill_n(first.begin() + at, count, std::byte{1});
    std::fill_n(second.begin() + at, count, std::byte{2});
    std::fill_n(third.begin() + at, count, std::byte{3});
  }
  PatternResult result(std::optional<ElementType> element = {}, std::uint32_t records = 0) const {
    return compare_patterned(
        {.left = {first, second, third}, .before = before, .after = after, .element = element, .records = records});
  }
};

}  // namespace

TEST_CASE("bytes that have the program's value over all patterns are output, and those that hold them are untouched") {
  Launches launches(10000);
  CHECK(launches.result().follows == 10000);
  CHECK(launches.result().written.empty());
  launches.write(100, 9000);
  const PatternResult result = launches.result();
  CHECK(result.output == 9000);
  CHECK(result.follows == 1000);
  CHECK(result.depends == 0);
  CHECK(result.ranges == 1);
  CHECK(result.written == std::vector<ByteRange>{{100, 9100}});
}

TEST_CASE("what the program had before is output if it was written again, and so is a pattern's own value") {
  Launches launches(64);
  launches.write(0, 16, 0x11);
  launches.write(16, 16, kPatterns[0]);
  launches.write(32, 16, kPatterns[1]);
  const PatternResult result = launches.result();
  CHECK(result.output == 48);
  CHECK(result.written == std::vector<ByteRange>{{0, 48}});
}

TEST_CASE("bytes that become something else for each pattern depend on it, and end no range of output") {
  Launches launches(5000);
  launches.write(10, 10);
  launches.change(20, 10);
  launches.change(4095, 2);
  const PatternResult result = launches.result();
  CHECK(result.output == 10);
  CHECK(result.depends == 12);
  CHECK(result.written == std::vector<ByteRange>{{10, 30}, {4095, 4097}});
}

TEST_CASE("what follows the patterns and yet changed in the program depends on what was there") {
  Launches launches(64);
  launches.after[5] = std::byte{0x12};
  CHECK(launches.result().depends == 1);
  CHECK(launches.result().written == std::vector<ByteRange>{{5, 6}});
}

TEST_CASE("a real number that rounding changes is output, and so are all of its bytes") {
  Launches launches(64);
  const auto put = [](Bytes& memory, float value) { std::memcpy(memory.data() + 8, &value, sizeof value); };
  put(launches.after, 1);
  put(launches.first, 1.00001f);
  put(launches.second, 1);
  put(launches.third, 1);
  CHECK(launches.result().depends > 0);
  const PatternResult result = launches.result(ElementType::float32);
  CHECK(result.depends == 0);
  CHECK(result.output == 4);
  CHECK(result.written == std::vector<ByteRange>{{8, 12}});
}

TEST_CASE("the last element may be a part of one") {
  Launches launches(4096 + 6);
  launches.write(4096, 5);
  const PatternResult result = launches.result(ElementType::float32);
  CHECK(result.output == 4);
  CHECK(result.depends == 2);  // the part has a byte that was not written
  CHECK(result.follows == 4096);
}

TEST_CASE("of many ranges all are counted, the first are named, and the last of these is not stretched") {
  Launches launches(100 * 100);
  for (std::size_t i = 0; i < 100; ++i) launches.write(i * 100, 8);
  const PatternResult result = launches.result();
  CHECK(result.output == 800);
  CHECK(result.ranges == 100);
  REQUIRE(result.written.size() == kMostRanges);
  CHECK(result.written.back() == ByteRange{6300, 6308});
}

TEST_CASE("memory of no bytes, or shorter than an element, is compared") {
  CHECK(Launches(0).result(ElementType::float64).ranges == 0);
  Launches launches(3);
  launches.write(0, 3);
  CHECK(launches.result(ElementType::float64).output == 3);
}

TEST_CASE("records that come in another order each time are output, and others among them are not") {
  Launches launches(64);
  const auto put = [](Bytes& memory, std::initializer_list<int> records) {
    std::size_t at = 0;
    for (const int record : records) std::fill_n(memory.begin() + 8 * at++, 8, static_cast<std::byte>(record));
  };
  put(launches.after, {1, 2, 3});
  put(launches.first, {3, 1, 2});
  put(launches.second, {2, 1, 3});
  put(launches.third, {1, 3, 2});
  CHECK(launches.result({}, 8).output == 24);
  CHECK(launches.result({}, 8).depends == 0);
  CHECK(launches.result().output == 0);
  put(launches.second, {2, 2, 3});
  CHECK(launches.result({}, 8).depends == 24);
}

TEST_CASE("a part of a record behind the last one, which depended on the pattern, was output") {
  Launches launches(36);
  launches.write(0, 32);
  launches.change(32, 4);
  CHECK(launches.result({}, 8).depends > 0);
}

TEST_CASE("adding to a pattern is no output, whatever the real type") {
  // What only adds to 0 leaves the sum over the first pattern, and over the second something large.
  float held = 0;
  std::memset(&held, kPatterns[1], sizeof held);
  Launches launches(sizeof held);
  const float sum = 3, over = held + sum;
  std::memcpy(launches.after.data(), &sum, sizeof sum);
  std::memcpy(launches.first.data(), &sum, sizeof sum);
  std::memcpy(launches.second.data(), &over, sizeof over);
  CHECK(launches.result(ElementType::float32).depends == sizeof held);
}

TEST_CASE("a maximum and a minimum are no output, whatever the type and the values") {
  const auto check_type = [](auto low, auto high, ElementType type) {
    using T = decltype(low);
    for (const T value : {low, high}) {
      for (const bool is_maximum : {false, true}) {
        Launches launches(sizeof value);
        const auto kept = [&](Bytes& memory) {
          T held{};
          std::memcpy(&held, memory.data(), sizeof held);
          held = is_maximum ? std::max(held, value) : std::min(held, value);
          std::memcpy(memory.data(), &held, sizeof held);
        };
        for (Bytes* memory : {&launches.first, &launches.second, &launches.third}) kept(*memory);
        std::memcpy(launches.after.data(), &value, sizeof value);
        CAPTURE(value);
        CAPTURE(is_maximum);
        CHECK(launches.result(type).output == 0);
      }
    }
  };
  check_type(-1000000, 1000000, ElementType::int32);
  check_type(1u, 1000000u, ElementType::uint32);
  check_type(-1e6f, 1e6f, ElementType::float32);
  check_type(-1e6, 1e6, ElementType::float64);
}

TEST_CASE("a range goes on over slices that threads compare, also behind the ranges that are named") {
  Launches launches(2 * kSliceBytes + 100);
  launches.write(kSliceBytes - 10, 20);
  CHECK(launches.result().written == std::vector<ByteRange>{{kSliceBytes - 10, kSliceBytes + 10}});
  for (std::size_t i = 0; i < 100; ++i) launches.write(i * 100, 8);
  launches.write(2 * kSliceBytes - 5, 10);
  const PatternResult result = launches.result();
  CHECK(result.ranges == 102);
  CHECK(result.output == 830);
  CHECK(result.written.back() == ByteRange{6300, 6308});
}
