#include "tuner/engine/device/replay/comparison.hpp"

#include <doctest/doctest.h>

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

template <typename T>
void compare(const std::vector<T>& seen, const std::vector<T>& expected, ReplayedMemory& memory,
             std::optional<ElementType> element = {}) {
  MemoryComparison comparison(element);
  comparison.add(bytes_of(seen), bytes_of(expected));
  if (comparison.may_be_permuted()) comparison.add_records(bytes_of(seen), bytes_of(expected));
  comparison.tell(memory);
}

/// Of one launch.
template <typename T>
ReplayedMemory compared(const std::vector<T>& seen, const std::vector<T>& expected,
                        std::optional<ElementType> element = {}) {
  ReplayedMemory memory;
  compare(seen, expected, memory, element);
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

TEST_CASE("different bytes are counted over all pieces, and of all launches the worst is told") {
  std::vector<std::byte> expected(240, std::byte{9}), seen = expected;
  seen[7] = seen[8] = std::byte{1};
  MemoryComparison comparison({});
  comparison.add(expected, expected);
  comparison.add(seen, expected);
  ReplayedMemory memory{.different = 1};
  comparison.tell(memory);
  CHECK(memory.different == 2);
  CHECK_FALSE(memory.is_within_tolerance);
  ReplayedMemory worse{.different = 3};
  comparison.tell(worse);
  CHECK(worse.different == 3);
}

TEST_CASE("bytes in another order are the only ones whose records are looked at") {
  const std::vector<std::uint32_t> numbers = counted(96);
  MemoryComparison same({}), other({}), reversed_ones({});
  same.add(bytes_of(numbers), bytes_of(numbers));
  CHECK_FALSE(same.may_be_permuted());
  other.add(bytes_of(counted(96)), bytes_of(std::vector<std::uint32_t>(96, 7)));
  CHECK_FALSE(other.may_be_permuted());
  reversed_ones.add(bytes_of(reversed(numbers, 2)), bytes_of(numbers));
  CHECK(reversed_ones.may_be_permuted());
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
    for (const bool is_other : {other_first, !other_first})
      compare(is_other ? other : reversed(numbers, 2), numbers, memory);
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

TEST_CASE("records change places over slices that threads compare, and a fingerprint tells one slice from another") {
  constexpr std::size_t kWords = 3 * kSliceBytes / sizeof(std::uint32_t) - 24;
  const std::vector<std::uint32_t> numbers = counted(kWords);
  CHECK(compared(reversed(numbers, 8), numbers).permuted == 32);
  std::vector<std::uint32_t> same(kWords, 5), early = same, late = same;
  early[1] = 6;
  late[1 + kSliceBytes / sizeof(std::uint32_t)] = 6;
  CHECK(fingerprint_of(early, same) != fingerprint_of(late, same));
  CHECK(compared(late, same).different == 1);
}
