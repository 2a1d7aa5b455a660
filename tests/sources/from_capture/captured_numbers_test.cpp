#include "tuner/sources/from_capture/captured_numbers.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace tuner::sources {
namespace {

template <typename T>
std::vector<std::byte> bytes(const std::vector<T>& values) {
  std::vector<std::byte> all(values.size() * sizeof(T));
  std::memcpy(all.data(), values.data(), all.size());
  return all;
}
template <typename T>
std::string text(ElementType type, T value) {
  return exact_text(type, bytes<T>({value})).value_or("none");
}

TEST_CASE("a number is written so that the same bytes come of it") {
  CHECK(text(ElementType::float32, 0.1f) == "0.1");
  CHECK(text(ElementType::float32, 2.0f) == "2");
  CHECK(text(ElementType::float64, 0.1) == "0.1");
  CHECK(text(ElementType::float64, 1e300) == "1e+300");
  CHECK(text<std::uint16_t>(ElementType::float16, 0x3555) == "0.33325195");
  CHECK(text<std::uint16_t>(ElementType::bfloat16, 0x3eab) == "0.33398438");
  CHECK(text<std::int8_t>(ElementType::int8, -5) == "-5");
  CHECK(text<std::uint8_t>(ElementType::uint8, 200) == "200");
  CHECK(text<std::uint8_t>(ElementType::boolean, 1) == "true");
  CHECK(text<std::uint64_t>(ElementType::uint64, 1) == "1");
  for (std::uint32_t bits = 1; bits < 0x7f800000; bits += 999983) {
    const auto number = std::bit_cast<float>(bits);
    const double read = std::strtod(text(ElementType::float32, number).c_str(), nullptr);
    CHECK(static_cast<float>(read) == number);
  }
}

TEST_CASE("what no expression writes is left to its bytes") {
  CHECK(text(ElementType::float32, std::numeric_limits<float>::infinity()) == "none");
  CHECK(text(ElementType::float32, std::numeric_limits<float>::quiet_NaN()) == "none");
  CHECK(text(ElementType::float64, -0.0) == "none");
  CHECK(text<std::uint8_t>(ElementType::boolean, 2) == "none");
  CHECK(text<std::uint64_t>(ElementType::uint64, ~std::uint64_t{0}) == "none");
  CHECK(text(ElementType::int64, std::numeric_limits<std::int64_t>::min()) == "none");
  CHECK(hex_digits(bytes<float>({1.0f})) == "0000803f");
}

TEST_CASE("an output that proves nothing is marked, and one that proves little is compared exactly") {
  const TypeShape real{ElementType::float32, 1}, pair{ElementType::float32, 2}, whole{ElementType::int32, 1};
  const auto before = bytes<float>({1, 2, 3, 4}), after = bytes<float>({5, 6, 7, 8});
  CHECK(proof_clauses(real, before, after).empty());
  CHECK(proof_clauses(real, {}, after).empty());
  CHECK(proof_clauses(real, after, after) == ", trivial");
  CHECK(proof_clauses(real, {}, bytes<float>({7, 7, 7, 7})) == ", trivial");
  CHECK(proof_clauses(pair, {}, bytes<float>({7, 8, 7, 8})) == ", trivial");
  CHECK(proof_clauses(real, before, bytes<float>({1, 2, 3, 4.00001f})) == ", rtol 0, atol 0");
  CHECK(proof_clauses(whole, bytes<int>({1, 2}), bytes<int>({1, 3})).empty());
  CHECK(proof_clauses(whole, {}, bytes<int>({1})).empty());
}

}  // namespace
}  // namespace tuner::sources
