#include "tuner/core/skeleton/host_expression.hpp"

#include <doctest/doctest.h>

using namespace tuner;

namespace {

/// As descriptions write it, where `n`, `BLOCK` and `T` have a meaning and 256 is called so; "-" where they cannot.
std::string in_description(std::string_view text) {
  const auto parsed = parse_host_expression(text);
  if (!parsed) return "no expression";
  const auto text_of = [](const std::string& name) -> std::optional<std::string> {
    if (name == "n" || name == "BLOCK") return name;
    if (name == "T") return "TYPE";
    return name == "256" ? std::optional<std::string>("SIZE") : std::nullopt;
  };
  return described(*parsed, text_of).value_or("-");
}

std::optional<std::int64_t> value_of(std::string_view text) {
  const auto parsed = parse_host_expression(text);
  return parsed ? integer_of(*parsed, [](const std::string&) { return std::nullopt; }) : std::nullopt;
}

}  // namespace

TEST_CASE("divisions that round up in C++ become ceil_div") {
  CHECK(in_description("(n + BLOCK - 1) / BLOCK") == "ceil_div(n, BLOCK)");
  CHECK(in_description("(BLOCK - 1 + n) / BLOCK") != "ceil_div(n, BLOCK)");
  CHECK(in_description("(n + (BLOCK - 1)) / BLOCK") == "ceil_div(n, BLOCK)");
  CHECK(in_description("(n + 255) / 256") == "ceil_div(n, SIZE)");
  CHECK(in_description("(n + 254) / 256") == "(n + 254) // SIZE");
  CHECK(in_description("util::DivUp(n, 256)") == "ceil_div(n, SIZE)");
  CHECK(in_description("ceil(n / 256.0f)") == "ceil_div(n, SIZE)");
  CHECK(in_description("std::ceil((float)n / BLOCK)") == "ceil_div(n, BLOCK)");
  CHECK(in_description("floor(n / 256.0)") == "-");
  CHECK(in_description("(n * 4 + 2 * BLOCK - 1) / (2 * BLOCK)") == "ceil_div(n * 4, 2 * BLOCK)");
}

TEST_CASE("expressions of host code are written as descriptions have them") {
  CHECK(in_description("n / 2") == "n // 2");
  CHECK(in_description("(size_t)n * sizeof(float)") == "n * sizeof(float)");
  CHECK(in_description("static_cast<unsigned int>(n) - (BLOCK - 1)") == "n - (BLOCK - 1)");
  CHECK(in_description("BLOCK * sizeof(T)") == "BLOCK * sizeof(TYPE)");
  CHECK(in_description("n * sizeof(unsigned int)") == "n * sizeof(unsigned int)");
  CHECK(in_description("n * sizeof T") == "n * sizeof(TYPE)");
  CHECK(in_description("std::min(n, 1024)") == "min(n, 1024)");
  CHECK(in_description("n * (n / 2)") == "n * (n // 2)");
  CHECK(in_description("n > 4 ? n / 2 : 1") == "(n // 2 if (n) > (4) else 1)");
  CHECK(in_description("m > 4 ? n / 2 : 1") == "-");
  CHECK(in_description("m + 1") == "-");
  CHECK(in_description("values[n]") == "-");
  CHECK(in_description("n +") == "no expression");
  CHECK(in_description(std::string(100000, '(')) == "no expression");
}

TEST_CASE("integers of C++ are computed") {
  CHECK(value_of("(1 << 20)") == 1 << 20);
  CHECK(value_of("0x40u") == 64);
  CHECK(value_of("16 * 16 - 1") == 255);
  CHECK(value_of("7 / 0") == std::nullopt);
  CHECK(value_of("9223372036854775807 + 1") == std::nullopt);
  CHECK(value_of("N") == std::nullopt);
  CHECK(value_of("1.5") == std::nullopt);
}
