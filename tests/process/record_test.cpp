#include "tuner/process/record.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/process/record_checks.hpp"

using namespace tuner;

namespace {

enum class Colour { red, green };
constexpr bool is_known(Colour colour) {
  return colour == Colour::red || colour == Colour::green;
}

struct Part {
  int number = 0;
  std::vector<std::byte> bytes;
};
void describe(auto& fields, Part& part) {
  auto& [number, bytes] = part;
  fields("number", number)("bytes", bytes);
}

struct Nothing {};
void describe(auto&, Nothing&) {}

struct Whole {
  bool flag = false;
  std::int64_t least = 0;
  std::uint64_t greatest = 0;
  std::int8_t small = 0;
  double real = 0;
  Colour colour = Colour::red;
  std::string text;
  std::filesystem::path path;
  std::chrono::milliseconds duration{};
  std::optional<double> maybe;
  std::array<std::uint32_t, 3> triple{};
  std::map<std::string, std::int64_t> counters;
  std::vector<Part> parts;
  std::variant<std::monostate, Part, Nothing> either;
};
void describe(auto& fields, Whole& whole) {
  auto& [flag, least, greatest, small, real, colour, text, path, duration, maybe, triple, counters, parts, either] =
      whole;
  fields("flag", flag)("least", least)("greatest", greatest)("small", small)("real", real)("colour", colour);
  fields("text", text)("path", path)("duration", duration)("maybe", maybe)("triple", triple)("counters", counters);
  fields("parts", parts)("either", either);
}

Whole round_trip(const Whole& whole) {
  return from_message<Whole>(to_message("whole", whole));
}

std::vector<std::byte> bytes(std::size_t size) {
  return std::vector<std::byte>(size, static_cast<std::byte>(size));
}

}  // namespace

TEST_CASE("every kind of field arrives, and no damage to it goes unnoticed") {
  for (std::size_t alternative = 0; alternative < 3; ++alternative) {
    test::check_each_field(
        test::filled<Whole>(alternative), [](const Whole& whole) { return to_message("whole", whole); },
        from_message<Whole>);
  }
}

TEST_CASE("extreme numbers arrive") {
  Whole whole;
  whole.least = std::numeric_limits<std::int64_t>::min();
  whole.greatest = std::numeric_limits<std::uint64_t>::max();
  whole.real = 1e-300;
  whole.maybe = -HUGE_VAL;
  const Whole back = round_trip(whole);
  CHECK(back.least == whole.least);
  CHECK(back.greatest == whole.greatest);
  CHECK(back.real == 1e-300);
  CHECK(back.maybe == -HUGE_VAL);
  whole.real = NAN;
  whole.maybe.reset();
  CHECK(std::isnan(round_trip(whole).real));
  CHECK_FALSE(round_trip(whole).maybe);
  whole.real = 1.0 / 3;
  CHECK(round_trip(whole).real == 1.0 / 3);
}

TEST_CASE("text arrives whatever bytes it has, and however long it is") {
  for (const std::string& text : {std::string(), std::string("\"a\\\n\xff"), std::string("\0b", 2), std::string("é"),
                                  std::string(300'000, 'x'), std::string("{}")}) {
    Whole whole;
    whole.text = text;
    whole.path = "/" + text;
    CHECK(round_trip(whole).text == text);
    CHECK(round_trip(whole).path == whole.path);
  }
}

TEST_CASE("bytes of several fields keep apart") {
  Whole whole;
  whole.parts = {{1, bytes(3)}, {2, {}}, {3, bytes(5000)}};
  whole.either = Part{4, bytes(7)};
  const Whole back = round_trip(whole);
  REQUIRE(back.parts.size() == 3);
  CHECK(back.parts[0].bytes == bytes(3));
  CHECK(back.parts[1].bytes.empty());
  CHECK(back.parts[2].bytes == bytes(5000));
  CHECK(std::get<Part>(back.either).bytes == bytes(7));
}

TEST_CASE("a message that is not such a record is an error that names it") {
  CHECK_THROWS_WITH_AS(from_message<Part>({"part", "1;2;x", {}}),
                       "A 'part' message between the tuner's processes cannot be read; report this.", Error);
  CHECK_THROWS_AS(from_message<Whole>({"whole", "nonsense", {}}), Error);
  CHECK_THROWS_AS(from_message<Nothing>({"nothing", "0;", {}}), Error);
  CHECK_THROWS_AS(from_message<std::int8_t>({"m", "128;", {}}), Error);
  CHECK(from_message<std::int8_t>({"m", "-128;", {}}) == -128);
  CHECK_THROWS_AS(from_message<unsigned>({"m", "-1;", {}}), Error);
  CHECK_THROWS_AS(from_message<std::int64_t>({"m", "18446744073709551615;", {}}), Error);
  CHECK_THROWS_AS(from_message<int>({"m", "1.5;", {}}), Error);
  CHECK_THROWS_AS(from_message<int>({"m", "15", {}}), Error);
  CHECK_THROWS_AS(from_message<bool>({"m", "2;", {}}), Error);
  CHECK_THROWS_AS(from_message<Colour>({"m", "2;", {}}), Error);
  using Either = std::variant<std::monostate, Part>;
  CHECK_THROWS_AS(from_message<Either>({"m", "2;", {}}), Error);
}

TEST_CASE("lengths and counts that no text could have are refused at once") {
  for (const char* const count : {"18446744073709551615;", "1000000000000;", "3;"}) {
    CHECK_THROWS_AS(from_message<std::string>({"m", count, {}}), Error);
    CHECK_THROWS_AS(from_message<std::vector<Part>>({"m", count, {}}), Error);
    using Counters = std::map<std::string, int>;
    CHECK_THROWS_AS(from_message<Counters>({"m", count, {}}), Error);
  }
}

TEST_CASE("an error arrives with its kind and sentence") {
  const Error error = error_from(to_message(Error(Errc::no_driver, "No driver.")));
  CHECK(error.code() == Errc::no_driver);
  CHECK(error.what() == std::string("No driver."));
}
