#include "tuner/core/support/generators.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace tuner;

namespace {

BoundArgument argument(ElementType type, Generator::Kind kind, double a, double b, std::uint64_t length) {
  BoundArgument result;
  result.type = type;
  result.generators = {{kind, {a, b}}};
  result.length = length;
  return result;
}

template <typename T>
std::vector<T> values(const BoundArgument& argument, std::uint64_t position = 0, std::uint64_t seed = 1) {
  const std::vector<std::byte> bytes = generate(argument, position, seed);
  std::vector<T> result(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

using Kind = Generator::Kind;

// SplitMix64's output function, written down a second time.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

TEST_CASE("uniform numbers are the top 53 bits of SplitMix64 over seed, position and index") {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  const std::vector<double> found = values<double>(argument(ElementType::float64, Kind::uniform, 0, 1, 100), 3, 42);
  const std::uint64_t key = mixed(mixed(42 + kGolden) + kGolden * 4);
  for (std::uint64_t i = 0; i < found.size(); ++i) {
    const std::uint64_t random = mixed(key + kGolden * (4 * i + 1));
    CHECK(found[i] == std::ldexp(static_cast<double>(random >> 11), -53));
  }
}

TEST_CASE("the first numbers of a seed stay what they are") {
  const std::vector<double> uniform = values<double>(argument(ElementType::float64, Kind::uniform, -1, 1, 3));
  const std::vector<double> normal = values<double>(argument(ElementType::float64, Kind::normal, 10, 2, 3));
  const std::vector<std::int32_t> index = values<std::int32_t>(argument(ElementType::int32, Kind::index, 1000, 0, 3));
  CHECK(uniform == std::vector<double>{0.38702427802045847, -0.28197467629579354, -0.70552120520751238});
  CHECK(normal == std::vector<double>{12.444888114929199, 9.1012058258056641, 7.8644657135009766});
  CHECK(index == std::vector<std::int32_t>{693, 359, 147});
  CHECK(values<std::int32_t>(argument(ElementType::int32, Kind::permutation, 10, 0, 10)) ==
        std::vector<std::int32_t>{7, 4, 3, 1, 9, 6, 2, 5, 8, 0});
  CHECK(values<std::int32_t>(argument(ElementType::int32, Kind::offsets, 5, 4, 9)) ==
        std::vector<std::int32_t>{0, 6, 10, 17, 20, 27, 32, 37, 40});
}

TEST_CASE("seeds and positions give different numbers, lanes are elements") {
  const BoundArgument one = argument(ElementType::float64, Kind::uniform, 0, 1, 8);
  CHECK(generate(one, 0, 1) == generate(one, 0, 1));
  CHECK(generate(one, 0, 1) != generate(one, 0, 2));
  CHECK(generate(one, 0, 1) != generate(one, 1, 1));
  BoundArgument vectors = argument(ElementType::float64, Kind::uniform, 0, 1, 2);
  vectors.lanes = 4;
  CHECK(generate(vectors, 0, 1) == generate(one, 0, 1));
}

TEST_CASE("constant and iota take every type") {
  CHECK(values<float>(argument(ElementType::float32, Kind::constant, 0.1, 0, 2)) == std::vector<float>{0.1f, 0.1f});
  CHECK(values<double>(argument(ElementType::float64, Kind::iota, 1, 0.5, 3)) == std::vector<double>{1, 1.5, 2});
  CHECK(values<std::uint8_t>(argument(ElementType::uint8, Kind::iota, 254, 1, 4)) ==
        std::vector<std::uint8_t>{254, 255, 0, 1});
  CHECK(values<std::int64_t>(argument(ElementType::int64, Kind::constant, -5, 0, 1)) == std::vector<std::int64_t>{-5});
  CHECK(values<std::uint64_t>(argument(ElementType::uint64, Kind::constant, 0x1p63, 0, 1)) ==
        std::vector<std::uint64_t>{std::uint64_t{1} << 63});
  CHECK(values<std::uint8_t>(argument(ElementType::boolean, Kind::iota, 0, 1, 4)) ==
        std::vector<std::uint8_t>{0, 1, 0, 1});
  CHECK(values<std::uint8_t>(argument(ElementType::boolean, Kind::constant, 3, 0, 1)) == std::vector<std::uint8_t>{1});
}

TEST_CASE("16-bit reals are rounded to nearest even") {
  const auto half = [](double value) {
    return values<std::uint16_t>(argument(ElementType::float16, Kind::constant, value, 0, 1))[0];
  };
  CHECK(half(1) == 0x3c00);
  CHECK(half(-2) == 0xc000);
  CHECK(half(1 + 0x1p-11) == 0x3c00);            // a tie, to even
  CHECK(half(1 + 0x1p-11 + 0x1p-40) == 0x3c01);  // just above
  CHECK(half(1 + 0x3p-11) == 0x3c02);            // a tie, to even
  CHECK(half(65504) == 0x7bff);
  CHECK(half(65519.99) == 0x7bff);
  CHECK(half(65520) == 0x7c00);
  CHECK(half(1e300) == 0x7c00);
  CHECK(half(0x1p-24) == 0x0001);  // the smallest
  CHECK(half(0x1p-25) == 0x0000);
  CHECK(half(0x1.8p-25) == 0x0001);
  CHECK(half(0x1p-14 - 0x1p-26) == 0x0400);  // rounds up to the smallest normal number
  CHECK(half(-0.0) == 0x8000);
  CHECK(half(std::nan("")) == 0x7e00);
  const auto bfloat = [](double value) {
    return values<std::uint16_t>(argument(ElementType::bfloat16, Kind::constant, value, 0, 1))[0];
  };
  CHECK(bfloat(1) == 0x3f80);
  CHECK(bfloat(1 + 0x1p-8) == 0x3f80);
  CHECK(bfloat(1 + 0x3p-8) == 0x3f82);
  CHECK(bfloat(3.4e38) == 0x7f80);
  CHECK(bfloat(3.3e38) == 0x7f78);
  CHECK(bfloat(0x1p-133) == 0x0001);
}

TEST_CASE("the distributions have the moments they should") {
  constexpr std::uint64_t kCount = 200000;
  const auto moments = [](const std::vector<double>& all) {
    double sum = 0, squares = 0;
    for (const double value : all) sum += value;
    const double mean = sum / static_cast<double>(all.size());
    for (const double value : all) squares += (value - mean) * (value - mean);
    return std::pair(mean, squares / static_cast<double>(all.size()));
  };
  const auto uniform = values<double>(argument(ElementType::float64, Kind::uniform, 2, 6, kCount));
  CHECK(*std::min_element(uniform.begin(), uniform.end()) >= 2);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) < 6);
  CHECK(moments(uniform).first == doctest::Approx(4).epsilon(0.005));
  CHECK(moments(uniform).second == doctest::Approx(16.0 / 12).epsilon(0.01));
  const auto normal = values<double>(argument(ElementType::float64, Kind::normal, 5, 3, kCount));
  CHECK(moments(normal).first == doctest::Approx(5).epsilon(0.005));
  CHECK(moments(normal).second == doctest::Approx(9).epsilon(0.01));
  const auto beyond = std::count_if(normal.begin(), normal.end(), [](double value) { return std::abs(value - 5) > 6; });
  CHECK(static_cast<double>(beyond) / kCount == doctest::Approx(0.0455).epsilon(0.05));  // two deviations
}

TEST_CASE("integers are drawn from the whole range, booleans are coin tosses") {
  const auto index = values<std::int32_t>(argument(ElementType::int32, Kind::index, 7, 0, 1000));
  CHECK(std::set<std::int32_t>(index.begin(), index.end()) == std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6});
  const auto uniform = values<std::int8_t>(argument(ElementType::int8, Kind::uniform, -2, 3, 1000));
  CHECK(std::set<int>(uniform.begin(), uniform.end()) == std::set<int>{-2, -1, 0, 1, 2});
  const auto coins = values<std::uint8_t>(argument(ElementType::boolean, Kind::uniform, 0, 1, 1000));
  const auto heads = std::count(coins.begin(), coins.end(), 1);
  CHECK(heads > 430);
  CHECK(heads < 570);
  CHECK(std::count(coins.begin(), coins.end(), 0) + heads == 1000);
}

TEST_CASE("a permutation holds every number once, and another order for another seed") {
  for (const int count : {1, 2, 3, 5, 64, 1000}) {
    CAPTURE(count);
    const BoundArgument one = argument(ElementType::int32, Kind::permutation, count, 0, static_cast<unsigned>(count));
    std::vector<std::int32_t> found = values<std::int32_t>(one);
    if (count == 1000) CHECK(found != values<std::int32_t>(one, 0, 2));
    std::sort(found.begin(), found.end());
    for (int i = 0; i < count; ++i) REQUIRE(found[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("a permutation that is longer than its numbers is followed by another one") {
  const auto found = values<std::int32_t>(argument(ElementType::int32, Kind::permutation, 100, 0, 250));
  CHECK(std::set<std::int32_t>(found.begin() + 100, found.begin() + 200).size() == 100);
  CHECK(std::vector(found.begin(), found.begin() + 100) != std::vector(found.begin() + 100, found.begin() + 200));
}

TEST_CASE("a permutation leaves few numbers where and beside which they were") {
  constexpr std::int32_t kCount = 100000;
  const auto found = values<std::int32_t>(argument(ElementType::int32, Kind::permutation, kCount, 0, kCount));
  int in_place = 0, neighbours = 0;
  double moved = 0;
  for (std::int32_t i = 0; i + 1 < kCount; ++i) {
    const std::int32_t here = found[static_cast<std::size_t>(i)];
    in_place += here == i;
    neighbours += std::abs(here - found[static_cast<std::size_t>(i) + 1]) == 1;
    moved += std::abs(here - i);
  }
  CHECK(in_place < 10);
  CHECK(neighbours < 20);
  CHECK(moved / kCount == doctest::Approx(kCount / 3.0).epsilon(0.02));
}

TEST_CASE("offsets begin with 0, end with rows times mean, and rows differ by up to the spread") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto found = values<std::int32_t>(argument(ElementType::int32, Kind::offsets, 12.5, 8, 1001), 0, seed);
    CHECK(found.front() == 0);
    CHECK(found.back() == 12500);
    std::set<std::int32_t> lengths;
    for (std::size_t i = 0; i < 1000; ++i) lengths.insert(found[i + 1] - found[i]);
    CHECK(*lengths.begin() >= 4);
    CHECK(*lengths.begin() < 8);
    CHECK(*lengths.rbegin() <= 21);
    CHECK(*lengths.rbegin() > 17);
  }
  CHECK(values<std::int32_t>(argument(ElementType::int32, Kind::offsets, 3, 0, 4)) ==
        std::vector<std::int32_t>{0, 3, 6, 9});
  CHECK(values<std::int32_t>(argument(ElementType::int32, Kind::offsets, 3, 0, 1)) == std::vector<std::int32_t>{0});
}

TEST_CASE("offsets never go back, also where rows are shorter than one element") {
  for (const double mean : {0.0, 0.3, 0.5, 1.0, 2.7}) {
    CAPTURE(mean);
    const auto found = values<std::int32_t>(argument(ElementType::int32, Kind::offsets, mean, std::ceil(mean), 5000));
    CHECK(std::is_sorted(found.begin(), found.end()));
    CHECK(found.back() == std::floor(mean * 4999));
  }
}

TEST_CASE("sorted elements are those of the generator, in order") {
  for (const std::uint64_t length : {0u, 1u, 2u, 3u, 7u, 64u, 1000u, 1025u}) {
    CAPTURE(length);
    BoundArgument one = argument(ElementType::float32, Kind::normal, 0, 1, length);
    std::vector<float> expected = values<float>(one);
    std::sort(expected.begin(), expected.end());
    one.generators[0].is_sorted = true;
    CHECK(values<float>(one) == expected);
  }
}

template <typename T>
bool is_generated_in_order(ElementType type, double low, double high) {
  BoundArgument one = argument(type, Kind::uniform, low, high, 500);
  one.generators[0].is_sorted = true;
  const std::vector<T> found = values<T>(one);
  return std::is_sorted(found.begin(), found.end()) && found.front() < found.back();
}

TEST_CASE("every type can be sorted") {
  CHECK(is_generated_in_order<std::int8_t>(ElementType::int8, -100, 100));
  CHECK(is_generated_in_order<std::uint16_t>(ElementType::uint16, 0, 60000));
  CHECK(is_generated_in_order<std::int64_t>(ElementType::int64, -9e18, 9e18));
  CHECK(is_generated_in_order<std::uint64_t>(ElementType::uint64, 0, 18e18));
  CHECK(is_generated_in_order<double>(ElementType::float64, -1, 1));
  CHECK(is_generated_in_order<std::uint8_t>(ElementType::boolean, 0, 1));
  CHECK(is_generated_in_order<std::uint16_t>(ElementType::float16, 0, 1));
}

TEST_CASE("each lane has a generator of its own, which counts vectors") {
  BoundArgument vectors = argument(ElementType::float32, Kind::iota, 0, 1, 5);
  vectors.lanes = 4;
  vectors.generators = {
      {Kind::iota, {10, 1}}, {Kind::permutation, {5, 0}}, {Kind::uniform, {2, 3}, true}, {Kind::constant, {1, 0}}};
  const auto found = values<float>(vectors);
  REQUIRE(found.size() == 20);
  std::set<float> second;
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(found[4 * i] == static_cast<float>(10 + i));
    second.insert(found[4 * i + 1]);
    CHECK(found[4 * i + 2] >= (i == 0 ? 2 : found[4 * i - 2]));
    CHECK(found[4 * i + 2] < 3);
    CHECK(found[4 * i + 3] == 1);
  }
  CHECK(second == std::set<float>{0, 1, 2, 3, 4});
}

TEST_CASE("two lanes with the same generator have different numbers") {
  for (const Kind kind : {Kind::uniform, Kind::normal, Kind::index, Kind::permutation}) {
    BoundArgument vectors = argument(ElementType::float32, kind, 100, 200, 100);
    vectors.lanes = 2;
    vectors.generators.push_back(vectors.generators[0]);
    const auto found = values<float>(vectors);
    int equal = 0;
    for (std::size_t i = 0; i < 100; ++i) equal += found[2 * i] == found[2 * i + 1];
    CHECK(equal < 10);
  }
}
