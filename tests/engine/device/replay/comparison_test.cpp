#include "tuner/engine/device/replay/comparison.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

using namespace tuner;
using namespace tuner::engine;

namespace {

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
bool agree(T element, T reference, ElementType type) {
  return engine::agree(bytes_of<T>({element}), bytes_of<T>({reference}), type);
}

/// Of one launch.
template <typename T>
ReplayedMemory compared(const std::vector<T>& seen, const std::vector<T>& expected,
                        std::optional<ElementType> element = {}) {
  MemoryComparison comparison(element);
  comparison.add(bytes_of(seen), bytes_of(expected));
  ReplayedMemory memory;
  comparison.tell(memory);
  return memory;
}

template <typename T>
std::uint64_t fingerprint_of(const std::vector<T>& seen, const std::vector<T>& expected) {
  MemoryComparison comparison({});
  comparison.add(bytes_of(seen), bytes_of(expected));
  return comparison.fingerprint();
}

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1000u);
  return numbers;
}

/// Records of so many words, in the opposite order.
std::vector<std::uint32_t> reversed(const std::vector<std::uint32_t>& numbers, std::size_t words) {
  std::vector<std::uint32_t> result;
  for (std::size_t record = numbers.size() / words; record-- > 0;)
    result.insert(result.end(), numbers.begin() + static_cast<std::ptrdiff_t>(record * words),
                  numbers.begin() + static_cast<std::ptrdiff_t>((record + 1) * words));
  return result;
}

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

TEST_CASE("equal memory is exact, however many pieces it is read in") {
  MemoryComparison comparison(ElementType::float32);
  const std::vector<std::byte> bytes(240, std::byte{9});
  for (int piece = 0; piece < 3; ++piece) comparison.add(bytes, bytes);
  ReplayedMemory memory;
  comparison.tell(memory);
  CHECK(memory.different == 0);
  CHECK(memory.permuted == 0);
  CHECK(memory.is_within_tolerance);
  CHECK(comparison.fingerprint() == 0);
}

TEST_CASE("the first different byte is counted over all pieces, and of all launches the worst is told") {
  std::vector<std::byte> expected(240, std::byte{9}), seen = expected;
  seen[7] = seen[8] = std::byte{1};
  MemoryComparison comparison({});
  comparison.add(expected, expected);
  comparison.add(seen, expected);
  ReplayedMemory memory{.different = 1, .first_different = 3};
  comparison.tell(memory);
  CHECK(memory.different == 2);
  CHECK(memory.first_different == 247);
  CHECK_FALSE(memory.is_within_tolerance);
  ReplayedMemory worse{.different = 3, .first_different = 5};
  comparison.tell(worse);
  CHECK(worse.different == 3);
  CHECK(worse.first_different == 5);
}

TEST_CASE("each real type has the tolerance of descriptions, at ones, at zero, and at its ends") {
  CHECK(agree(1.0f, 1.00005f, ElementType::float32));
  CHECK_FALSE(agree(1.0f, 1.01f, ElementType::float32));
  CHECK(agree(1.0, 1.0 + 1e-12, ElementType::float64));
  CHECK_FALSE(agree(1.0, 1.0001, ElementType::float64));
  CHECK(agree(0.0f, -0.0f, ElementType::float32));
  // 1, 1 + 2^-10 and 2 as half; 1, 1 + 2^-7 and 2 as bfloat16.
  CHECK(agree<std::uint16_t>(0x3c00, 0x3c01, ElementType::float16));
  CHECK_FALSE(agree<std::uint16_t>(0x3c00, 0x4000, ElementType::float16));
  CHECK(agree<std::uint16_t>(0x0001, 0x8001, ElementType::float16));  // the least of them, of either sign
  CHECK_FALSE(agree<std::uint16_t>(0x7c00, 0x7bff, ElementType::float16));
  CHECK_FALSE(agree<std::uint16_t>(0x7c00, 0xfc00, ElementType::float16));
  CHECK(agree<std::uint16_t>(0x3f80, 0x3f81, ElementType::bfloat16));
  CHECK_FALSE(agree<std::uint16_t>(0x3f80, 0x4000, ElementType::bfloat16));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK(agree(kInfinity, kInfinity, ElementType::float32));
  CHECK_FALSE(agree(-kInfinity, kInfinity, ElementType::float32));
  CHECK_FALSE(agree(std::numeric_limits<float>::max(), kInfinity, ElementType::float32));
}

TEST_CASE("NaN agrees with another NaN, and with nothing else") {
  CHECK(agree<std::uint32_t>(0x7fc00000, 0xffc00001, ElementType::float32));
  CHECK_FALSE(agree<std::uint32_t>(0x7fc00000, 0, ElementType::float32));
  CHECK_FALSE(agree<std::uint32_t>(0x3f800000, 0x7fc00000, ElementType::float32));
  CHECK(agree<std::uint16_t>(0x7e00, 0x7e01, ElementType::float16));
  CHECK(agree<std::uint16_t>(0x7fc0, 0xffc1, ElementType::bfloat16));
  CHECK_FALSE(agree<std::uint16_t>(0x7e00, 0x7c00, ElementType::float16));
  CHECK(agree(std::nan("1"), -std::nan("2"), ElementType::float64));
}

TEST_CASE("numbers that are not real agree only if they are the same") {
  CHECK(agree(5, 5, ElementType::int32));
  CHECK_FALSE(agree(1000000, 1000001, ElementType::int32));
  CHECK_FALSE(compared<int>({1, 2}, {1, 3}, ElementType::int32).is_within_tolerance);
  CHECK_FALSE(compared<float>({1, 2}, {1, 2.00001f}).is_within_tolerance);
  CHECK(compared<float>({1, 2}, {1, 2.00001f}, ElementType::float32).is_within_tolerance);
  CHECK_FALSE(compared<float>({1, 3}, {1.00001f, 2}, ElementType::float32).is_within_tolerance);
}

TEST_CASE("bytes behind the last whole element are compared as they are") {
  std::vector<std::byte> expected = bytes_of<float>({1, 2}), seen = bytes_of<float>({1, 2.00001f});
  expected.push_back(std::byte{1});
  seen.push_back(std::byte{1});
  CHECK(compared(seen, expected, ElementType::float32).is_within_tolerance);
  seen.back() = std::byte{2};
  CHECK_FALSE(compared(seen, expected, ElementType::float32).is_within_tolerance);
}

TEST_CASE("records in another order are the same set, whatever size they have") {
  const std::vector<std::uint32_t> numbers = counted(96);
  for (const std::size_t words : {1u, 2u, 3u, 4u, 6u, 8u}) {
    CAPTURE(words);
    CHECK(compared(reversed(numbers, words), numbers).permuted == 4 * words);
  }
  CHECK(compared(numbers, numbers).permuted == 0);
  // A record less and another one twice.
  std::vector<std::uint32_t> twice = numbers;
  twice[0] = twice[1];
  CHECK(compared(twice, numbers).permuted == 0);
}

TEST_CASE("a set is no longer one if a single launch misses a record") {
  const std::vector<std::uint32_t> numbers = counted(96);
  std::vector<std::uint32_t> other = numbers;
  other[5] = 7;
  for (const bool other_first : {true, false}) {
    ReplayedMemory memory;
    for (const bool is_other : {other_first, !other_first}) {
      MemoryComparison comparison({});
      comparison.add(bytes_of(is_other ? other : reversed(numbers, 2)), bytes_of(numbers));
      comparison.tell(memory);
    }
    CHECK(memory.permuted == 0);
  }
}

TEST_CASE("fingerprints tell launches apart that differ in places or in values") {
  const std::vector<std::uint32_t> numbers(64, 5);
  std::vector<std::uint32_t> one = numbers, elsewhere = numbers, other = numbers;
  one[3] = 6;
  elsewhere[4] = 6;
  other[3] = 7;
  CHECK(fingerprint_of(numbers, numbers) == 0);
  CHECK(fingerprint_of(one, numbers) == fingerprint_of(one, numbers));
  CHECK(fingerprint_of(one, numbers) != 0);
  CHECK(fingerprint_of(one, numbers) != fingerprint_of(elsewhere, numbers));
  CHECK(fingerprint_of(one, numbers) != fingerprint_of(other, numbers));
}

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
