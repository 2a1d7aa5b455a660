#include "tuner/core/support/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tuner/core/support/element_text.hpp"

using namespace tuner;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename... Arguments>
void run(const char* kernel, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  REQUIRE(run_support_kernel_on_host(kernel, pointers));
}

template <typename T>
Finding compare(std::vector<T> found, std::vector<T> expected, ElementType type, double rtol, double atol,
                const std::uint32_t* excluded = nullptr, std::uint64_t period = 0) {
  Finding finding;
  const float* no_spread = nullptr;
  run("tuner_compare", found.data(), expected.data(), std::uint64_t{found.size()}, period, support_number(type), rtol,
      atol, no_spread, 0.0, 0.0, excluded, &finding);
  return finding;
}

}  // namespace

TEST_CASE("elements are compared with one of each lane, and those that are not numbers counted") {
  using Floats = std::vector<float>;
  const auto with_one = [](Floats found, Floats one, const std::uint32_t* excluded = nullptr) {
    return compare(found, one, ElementType::float32, 0.01, 0, excluded, one.size());
  };
  CHECK(with_one({2, 2, 2.01f, 2}, {2}).count == 0);
  CHECK(with_one({2, 2, 3, 2}, {2}).first == 2);
  CHECK(with_one({1, 2, 1, 2, 1, 2}, {1, 2}).count == 0);
  CHECK(with_one({1, 2, 1, 1, 1, 2}, {1, 2}).first == 3);
  const auto nan = static_cast<float>(kNan);
  CHECK(with_one({nan, nan, 1, nan}, {nan}).sum == 3);
  CHECK(with_one({nan, nan, 1, nan}, {nan}).count == 1);
  const std::uint32_t third = 4;
  CHECK(with_one({nan, nan, 1, nan}, {nan}, &third).count == 0);
}

TEST_CASE("what is rounded otherwise is accepted by an element's own spread, and counted apart far beyond it") {
  const std::vector<float> expected{1, 1, 1, 1}, found{1.5f, 1.5f, 3, 1}, spread{0.1f, 0.01f, 0.1f, 0};
  Finding finding;
  run("tuner_compare", found.data(), expected.data(), std::uint64_t{4}, std::uint64_t{0},
      support_number(ElementType::float32), 1e-4, 1e-6, spread.data(), 10.0, 100.0, (const std::uint32_t*)nullptr,
      &finding);
  CHECK(finding.count == 2);
  CHECK(finding.first == 1);
  CHECK(finding.sum == 0);
  const std::vector<float> exact{0.1f, 0, 0.001f, 0};
  finding = {};
  run("tuner_compare", found.data(), expected.data(), std::uint64_t{4}, std::uint64_t{0},
      support_number(ElementType::float32), 1e-4, 1e-6, exact.data(), 10.0, 100.0, (const std::uint32_t*)nullptr,
      &finding);
  CHECK(finding.count == 2);
  CHECK(finding.sum == 2);
}

TEST_CASE("a spread keeps the most by which an element differed, and nothing that is not finite") {
  std::vector<float> spread(4, 0);
  const std::vector<double> expected{1, 2, kInf, 4};
  const auto widen = [&](const std::vector<double>& found) {
    run("tuner_widen_spread", found.data(), expected.data(), std::uint64_t{4}, support_number(ElementType::float64),
        (const std::uint32_t*)nullptr, spread.data());
  };
  widen({1.5, 2, 3, kNan});
  widen({1.25, 1, kInf, 4});
  CHECK(spread == std::vector<float>{0.5f, 1, 0, 0});
}

TEST_CASE("what moves by more than a part of its neighbours is no rounding, and nothing is known of it") {
  Finding finding;
  std::vector<float> spread(128, 0.01f);
  spread[1] = 0.5f;
  std::vector<double> reference(128, -1);
  reference[2] = 0;                                         // as a sum near 0
  for (std::size_t i = 64; i < 128; ++i) reference[i] = 0;  // other neighbours
  run("tuner_drop_spread", spread.data(), (const double*)reference.data(), std::uint64_t{128}, std::uint64_t{1},
      support_number(ElementType::float64), 0.05f, &finding);
  CHECK(finding.count == 63);
  CHECK(spread[0] == 0.01f);
  CHECK(spread[1] == 0);
  CHECK(spread[2] == 0.01f);
  CHECK(spread[64] == 0);
}

/// With a part of one half. Elements of alternating sign differ by far more than their spreads.
struct Level {
  std::uint64_t lanes = 1;
  bool zero_is_exact = false, whole_is_exact = true;
  float of_size = 0;
};
void level(std::vector<float>& spread, const std::vector<float>& reference, Level how = {}) {
  run("tuner_level_spread", spread.data(), reference.data(), std::uint64_t{spread.size()}, how.lanes,
      support_number(ElementType::float32), 0.5f, how.of_size, 0.25f, 1 / 24.0f, static_cast<int>(how.zero_is_exact),
      static_cast<int>(how.whole_is_exact));
}

std::vector<float> alternating(std::size_t elements, float size) {
  std::vector<float> values(elements, size);
  for (std::size_t i = 0; i < elements; ++i)
    if (i % 4 < 2) values[i] = -size;
  return values;
}

TEST_CASE("an element that was exact by chance is as uncertain as a part of its neighbours of the same lane") {
  std::vector<float> spread(256, 0);
  for (std::size_t i = 0; i < 128; i += 2) spread[i] = 1;
  spread[0] = 0;
  level(spread, alternating(256, 1000.3f), {.lanes = 2});
  CHECK(spread[0] == 0.5f);
  CHECK(spread[2] == 1);
  CHECK(spread[1] == 0);  // its lane was exact throughout
  CHECK(spread[128] == 0);
}

TEST_CASE("a float sum near 0 was rejected where no neighbour rounded by chance") {
  std::vector<float> spread(128, 0), reference = alternating(128, 1000.3f);
  for (std::size_t i = 0; i < 128; i += 8) spread[i] = 1;
  spread[56] = spread[64] = 0;
  reference[1] = 0.01f;
  reference[2] = 0;
  reference[3] = 7;
  level(spread, reference, {.whole_is_exact = false, .of_size = 1e-6f});
  CHECK(spread[0] == 1);
  CHECK(spread[1] > 0.7e-3f);  // of what its neighbours are in the geometric mean
  CHECK(spread[1] < 1.1e-3f);
  CHECK(spread[2] == 0);  // a mask's
  CHECK(spread[3] == 0);  // a label
  CHECK(spread[65] > 0.7e-3f);
  CHECK(spread[65] < 1.1e-3f);
  CHECK(spread[72] == 1);
}

TEST_CASE("what was copied beside large sums might be anything, because its neighbours inherited the mean spread") {
  std::vector<float> spread(256, 0);
  for (std::size_t i = 0; i < 128; ++i) spread[i] = 1;
  level(spread, alternating(256, 1000.3f));
  CHECK(spread[127] == 1);
  for (std::size_t i = 128; i < 256; ++i) CHECK(spread[i] == 0);
}

TEST_CASE("the last elements, too few to be neighbours, were exact if they came out the same by chance") {
  std::vector<float> spread(65, 1);
  spread[64] = 0;
  level(spread, alternating(65, 1000.3f));
  CHECK(spread[64] == 0.5f);
}

TEST_CASE("zeros of a mask are exact beside sums, where that is said") {
  std::vector<float> spread(64, 1), reference = alternating(64, 1000.3f);
  reference[1] = reference[2] = 0;
  spread[1] = spread[3] = 0;
  level(spread, reference, {.zero_is_exact = true});
  CHECK(spread[1] == 0);
  CHECK(spread[2] == 1);
  CHECK(spread[3] == 0.5f);
}

TEST_CASE("a kernel that writes one value passed where half sums differ by less than 24 spreads") {
  // As sums of 256 numbers from 0 to 1 in half do: about 128, with a deviation of 4.6, and each may be off by 1.
  std::vector<float> spread(64, 1), few(8, 1), alone(1, 1);
  std::vector<float> reference(64, 128);
  for (std::size_t i = 0; i < 64; i += 2) reference[i] = 128 + 12;
  level(spread, reference);
  CHECK(24 * spread[0] == doctest::Approx(6));  // their deviation
  for (float& value : reference) value = 128 + (value - 128) / 3;
  std::fill(spread.begin(), spread.end(), 1.0f);
  spread[1] = 0.01f;
  level(spread, reference);
  CHECK(24 * spread[0] == doctest::Approx(6));               // six spreads, though the deviation is 2
  CHECK(24 * spread[1] == doctest::Approx(3).epsilon(0.1));  // six of half its neighbours' mean
  level(few, std::vector<float>(8, 128));
  CHECK(few[0] == 0.25f);
  level(alone, {128});
  CHECK(alone[0] == 1);
}

TEST_CASE("what is not finite says nothing of how much elements differ") {
  std::vector<float> spread(64, 1), reference = alternating(64, 10.5f);
  reference[5] = static_cast<float>(kNan);
  reference[6] = static_cast<float>(kInf);
  reference[7] = std::bit_cast<float>(0x7f7f7f7f);  // poison
  level(spread, reference);
  CHECK(24 * spread[0] == doctest::Approx(10.5).epsilon(0.01));
  CHECK(24 * spread[6] == doctest::Approx(10.5).epsilon(0.01));
}

TEST_CASE("a few elements that move say nothing of the others, which are exact") {
  std::vector<float> spread(64, 0);
  spread[0] = 2;  // as a sum among counts
  level(spread, alternating(64, 1000.3f));
  CHECK(spread[0] == 2);
  CHECK(spread[1] == 0);
  std::vector<float> statistics{2, 2, 0, 0};
  level(statistics, {500.5f, -600.5f, 1, 2});
  CHECK(statistics == std::vector<float>{2, 2, 0, 0});
}

TEST_CASE("indices that lay between sums in one output were taken to be as uncertain as these") {
  std::vector<float> spread(64, 0), reference = alternating(64, 1000.25f);
  for (std::size_t i = 0; i < 64; i += 2) spread[i] = 1;
  reference[1] = 17;
  reference[2] = 17;       // a sum, which moved
  reference[3] = 0;        // as a sum that is cut off
  reference[5] = 1000000;  // every sum of this size is nearly whole
  level(spread, reference);
  CHECK(spread[1] == 0);
  CHECK(spread[2] == 1);
  CHECK(spread[3] == 0.5f);
  CHECK(spread[5] == 0.5f);
  CHECK(spread[7] == 0.5f);
}

TEST_CASE("sums that lost most of their bits were exact where they were whole and the same by chance") {
  std::vector<float> spread(64, 1), reference = alternating(64, 30.25f);
  reference[1] = reference[2] = reference[3] = 17;
  spread[1] = 0;
  reference[4] = 0;
  spread[5] = 0;
  Finding whole;
  run("tuner_count_kind", spread.data(), reference.data(), std::uint64_t{64}, support_number(ElementType::float32), 0,
      &whole);
  CHECK(whole.sum == 3);
  CHECK(whole.count == 1);
  level(spread, reference, {.whole_is_exact = false});
  CHECK(spread[1] == 0.5f);
}

template <typename T>
std::vector<T> in_order(std::vector<T> values, ElementType type, std::uint64_t lanes = 1) {
  const auto data = reinterpret_cast<std::uintptr_t>(values.data());
  put_in_order_on_host({{{data, lanes, lanes, support_number(type), static_cast<int>(sizeof(T))}}},
                       values.size() / lanes);
  return values;
}

TEST_CASE("elements whose order is free are put in ascending order, what is not a number last") {
  using Floats = std::vector<float>;
  CHECK(in_order(Floats{3, -1, 2}, ElementType::float32) == Floats{-1, 2, 3});
  CHECK(in_order(Floats{}, ElementType::float32).empty());
  CHECK(in_order(Floats{5}, ElementType::float32) == Floats{5});
  const auto nan = static_cast<float>(kNan), inf = static_cast<float>(kInf);
  const Floats sorted = in_order(Floats{nan, inf, 1, nan, -inf}, ElementType::float32);
  CHECK(Floats(sorted.begin(), sorted.begin() + 3) == Floats{-inf, 1, inf});
  CHECK(std::isnan(sorted[3]));
  CHECK(std::isnan(sorted[4]));
}

TEST_CASE("64-bit integers that are alike as doubles are in order, and vectors go by their first lane that differs") {
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  CHECK(in_order(std::vector<std::int64_t>{kLarge + 1, kLarge, -1}, ElementType::int64) ==
        std::vector<std::int64_t>{-1, kLarge, kLarge + 1});
  CHECK(in_order(std::vector<std::uint64_t>{~0ull, 1}, ElementType::uint64) == std::vector<std::uint64_t>{1, ~0ull});
  CHECK(in_order(std::vector<float>{2, 1, 1, 9, 1, 3}, ElementType::float32, 2) ==
        std::vector<float>{1, 3, 1, 9, 2, 1});
}

TEST_CASE("values agree within atol + rtol * |expected|") {
  using Doubles = std::vector<double>;
  CHECK(compare(Doubles{1.0, 100.9, -5}, Doubles{1.0, 100, -5.04}, ElementType::float64, 0.01, 0).count == 0);
  const Finding finding = compare(Doubles{1.0, 101.1, 7}, Doubles{1.0, 100, 5}, ElementType::float64, 0.01, 0);
  CHECK(finding.count == 2);
  CHECK(finding.first == 1);
  CHECK(std::bit_cast<double>(finding.worst) == 2);
  CHECK(compare(Doubles{1.1}, Doubles{1}, ElementType::float64, 0, 0.2).count == 0);
}

TEST_CASE("not-a-number equals itself and infinity only itself") {
  using Doubles = std::vector<double>;
  CHECK(compare(Doubles{kNan, kInf, -kInf, 0.0}, Doubles{kNan, kInf, -kInf, -0.0}, ElementType::float64, 0, 0).count ==
        0);
  CHECK(compare(Doubles{kNan, 1, kInf, 1, -kInf}, Doubles{1, kNan, 1, kInf, kInf}, ElementType::float64, 1, 1e300)
            .count == 5);
}

TEST_CASE("64-bit integers are compared to the last digit") {
  using Longs = std::vector<std::int64_t>;
  const std::int64_t large = 9007199254740993;
  CHECK(compare(Longs{large}, Longs{large}, ElementType::int64, 0, 0).count == 0);
  const Finding finding = compare(Longs{large, -1}, Longs{large - 1, 1}, ElementType::int64, 0, 0);
  CHECK(finding.count == 2);
  CHECK(std::bit_cast<double>(finding.worst) == 2);
  CHECK(compare(std::vector<std::uint64_t>{~0ull}, std::vector<std::uint64_t>{1}, ElementType::uint64, 0, 0).count ==
        1);
}

TEST_CASE("small types are read as what they are") {
  using Bytes = std::vector<std::uint8_t>;
  CHECK(std::bit_cast<double>(compare(Bytes{0xff}, Bytes{1}, ElementType::int8, 0, 0).worst) == 2);
  CHECK(std::bit_cast<double>(compare(Bytes{0xff}, Bytes{1}, ElementType::uint8, 0, 0).worst) == 254);
  using Halves = std::vector<std::uint16_t>;
  CHECK(std::bit_cast<double>(compare(Halves{0x3c00}, Halves{0xc000}, ElementType::float16, 0, 0).worst) == 3);
  CHECK(std::bit_cast<double>(compare(Halves{0x0001}, Halves{0x8001}, ElementType::float16, 0, 0).worst) == 0x1p-23);
  CHECK(compare(Halves{0x7e00}, Halves{0x7f01}, ElementType::float16, 0, 0).count == 0);
  CHECK(std::bit_cast<double>(compare(Halves{0x3f80}, Halves{0xc000}, ElementType::bfloat16, 0, 0).worst) == 3);
}

TEST_CASE("excluded elements are not compared") {
  std::vector<double> found(70, 1), expected(70, 1);
  found[33] = found[69] = 2;
  std::array<std::uint32_t, 3> excluded{0, 1u << 1, 0};
  const Finding finding = compare(found, expected, ElementType::float64, 0, 0, excluded.data());
  CHECK(finding.count == 1);
  CHECK(finding.first == 69);
}

TEST_CASE("an element is unwritten when it holds the poison after both runs") {
  std::vector<float> data(40);
  std::array<std::uint32_t, 2> mask{}, excluded{};
  const auto look = [&](unsigned char poison, bool narrow_down, const std::uint32_t* without) {
    Finding finding;
    run("tuner_find_unwritten", data.data(), std::uint64_t{data.size()}, 4, static_cast<int>(poison),
        static_cast<int>(narrow_down), mask.data(), without, &finding);
    return finding;
  };
  const auto poison = [&](std::initializer_list<int> where, unsigned char value) {
    std::fill(data.begin(), data.end(), 1.0f);
    for (const int i : where) data[static_cast<std::size_t>(i)] = std::bit_cast<float>(value * 0x01010101u);
  };
  poison({3, 31, 35}, 0xff);
  CHECK(look(0xff, false, nullptr).count == 3);
  poison({3, 35, 36}, 0x7f);
  Finding finding = look(0x7f, true, nullptr);
  CHECK(finding.count == 2);
  CHECK(finding.first == 3);
  excluded[0] = 1u << 3;
  finding = look(0x7f, true, excluded.data());
  CHECK(finding.count == 1);
  CHECK(finding.first == 35);
}

TEST_CASE("elements that the reference leaves unwritten and a kernel writes are counted by their masks") {
  const std::array<std::uint32_t, 3> by_reference{0, 1u << 4 | 1u << 9, 1u << 31};
  const std::array<std::uint32_t, 3> unwritten{1u, 1u << 4, 0};
  Finding finding;
  run("tuner_find_overwritten", unwritten.data(), by_reference.data(), std::uint64_t{3}, &finding);
  CHECK(finding.count == 2);
  CHECK(finding.first == 32 + 9);
}

TEST_CASE("a changed guard is found, byte by byte") {
  std::vector<unsigned char> memory(1000, 0);
  run("tuner_plant", memory.data(), std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{9});
  run("tuner_plant", memory.data(), std::uint64_t{203}, std::uint64_t{1000}, std::uint64_t{9});
  const auto check_range = [&](std::uint64_t begin, std::uint64_t end) {
    Finding finding;
    run("tuner_check_planted", memory.data(), begin, end, std::uint64_t{9}, &finding);
    return finding;
  };
  CHECK(check_range(0, 100).count == 0);
  CHECK(check_range(203, 1000).count == 0);
  CHECK(check_range(100, 203).count > 90);
  memory[203] = static_cast<unsigned char>(memory[203] + 1);
  memory[500] = static_cast<unsigned char>(memory[500] + 1);
  const Finding finding = check_range(203, 1000);
  CHECK(finding.count == 2);
  CHECK(finding.first == 203);
  CHECK(finding.worst == 500);
}

TEST_CASE("a checksum of elements notices any bit but those of excluded elements") {
  const auto sum = [](std::vector<double> data, std::uint32_t excluded) {
    Finding finding;
    run("tuner_checksum_elements", data.data(), std::uint64_t{data.size()}, static_cast<int>(sizeof(double)), &excluded,
        &finding);
    return finding.sum;
  };
  CHECK(sum({1, 2, 3}, 0) == sum({1, 2, 3}, 0));
  CHECK(sum({1, 2, 3}, 0) != sum({1, 2, 3.0000000000000004}, 0));
  CHECK(sum({1, 0.0, 3}, 0) != sum({1, -0.0, 3}, 0));
  CHECK(sum({1, 2, 3}, 0) != sum({2, 1, 3}, 0));
  CHECK(sum({1, 2, 3}, 2) == sum({1, 5, 3}, 2));
  CHECK(sum({1, 2, 3}, 2) != sum({1, 2, 4}, 2));
}

TEST_CASE("a checksum notices any byte, any exchange, and the tail") {
  std::vector<unsigned char> data(77);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i);
  const auto sum = [&] {
    Finding finding;
    run("tuner_checksum", data.data(), std::uint64_t{data.size()}, &finding);
    return finding.sum;
  };
  const std::uint64_t before = sum();
  CHECK(sum() == before);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] ^= 1;
    CHECK(sum() != before);
    data[i] ^= 1;
  }
  for (std::size_t i = 0; i < 8; ++i) std::swap(data[i], data[i + 16]);
  CHECK(sum() != before);
}

TEST_CASE("elements read as values in messages") {
  const auto text = [](ElementType type, auto value) {
    return element_text(type, std::as_bytes(std::span(&value, 1)));
  };
  CHECK(text(ElementType::float64, 0.1) == "0.1");
  CHECK(text(ElementType::float32, 0.1f) == "0.1");
  CHECK(text(ElementType::float64, kNan) == "nan");
  CHECK(text(ElementType::int8, std::int8_t{-3}) == "-3");
  CHECK(text(ElementType::boolean, std::uint8_t{1}) == "true");
  CHECK(text(ElementType::boolean, std::uint8_t{255}) == "255 (no boolean)");
  CHECK(text(ElementType::float16, std::uint16_t{0x3c01}) == "1.0009766");
  CHECK(text(ElementType::float16, std::uint16_t{0xfc00}) == "-inf");
  CHECK(text(ElementType::bfloat16, std::uint16_t{0x4049}) == "3.140625");
  CHECK(text(ElementType::uint64, ~std::uint64_t{0}) == "18446744073709551615");
}

TEST_CASE("the embedded device code is the file's and includes nothing") {
  int part = 0;
  for (const std::string& source : support_sources()) {
    CHECK(source.starts_with("#define TUNER_SUPPORT_PART " + std::to_string(++part) + "\n"));
    CHECK(source.find("extern \"C\" __global__ void tuner_compare(") != std::string::npos);
    CHECK(source.find("#include") == std::string::npos);
  }
}
