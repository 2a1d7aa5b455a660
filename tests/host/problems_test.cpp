#include "tuner/host/problems.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/error.hpp"

using namespace tuner;

namespace {

std::vector<ProblemValues> problems(const std::string& problem) {
  const std::string text =
      "#pragma tuner kernel(k)\n" + problem +
      "\n#pragma tuner grid(ceil_div(n + 1, 32)) block(32) out(y, float, n)\n#pragma tuner param(A, 1)\n";
  return host::small_problems(std::make_shared<const KernelDescription>(parse_descriptions(text, "k.cu").front()),
                              known_device("H200"), {});
}

}  // namespace

TEST_CASE("derived problems are small, differ, and hold what kernels get wrong") {
  const auto found = problems("#pragma tuner problem(n: size) problem_constraint(n >= 0)");
  REQUIRE_GE(found.size(), 5);
  const auto has = [&](std::int64_t n) {
    return std::find(found.begin(), found.end(), ProblemValues{{"n", search::Value(n)}}) != found.end();
  };
  CHECK(has(0));
  CHECK(has(1));
  CHECK(has(37));
  CHECK(has(129));
}

TEST_CASE("derived problems keep to what the kernel accepts") {
  for (const ProblemValues& problem :
       problems("#pragma tuner problem(n: size) problem_constraint(n % 16 == 0 && n > 0)"))
    CHECK_EQ(problem.at("n").as_integer() % 16, 0);
}

TEST_CASE("a number that is no size is made smaller where nothing else is quick, as far as the kernel accepts that") {
  const auto number = [](const std::string& problem) {
    const auto found = problems("#pragma tuner problem(n: exact = " + problem);
    REQUIRE_EQ(found.size(), 1);
    return found[0].count("n") == 0 ? 0 : found[0].at("n").as_integer();
  };
  CHECK_EQ(number("1000)"), 0);  // the default
  CHECK_EQ(number("1048576)"), 4096);
  CHECK_EQ(number("1000000) problem_constraint(n >= 1000000)"), 0);
  CHECK_THROWS_WITH_AS(problems("#pragma tuner problem(n: exact = 100000000) problem_constraint(n >= 100000000)"),
                       doctest::Contains("n >= 100000000"), Error);
}

TEST_CASE("where every problem takes long, those that take least are derived") {
  const std::string text =
      "#pragma tuner kernel(k) problem(n: size) grid(132) block(256) out(y, float, n) param(A, 1)\n";
  const auto slow = host::small_problems(
      std::make_shared<const KernelDescription>(parse_descriptions(text, "k.cu").front()), known_device("H200"), {});
  REQUIRE_EQ(slow.size(), 2);
  CHECK_EQ(slow[0].at("n").as_integer(), 37);
  CHECK_EQ(slow[1].at("n").as_integer(), 4096);  // more than a block
}

TEST_CASE("sizes that a constraint orders still differ") {
  const auto found = problems(
      "#pragma tuner problem(n: size, height: size, pitch: size, rows: size)\n"
      "#pragma tuner problem_constraint(n <= pitch) problem_constraint(height <= rows)");
  CHECK_GE(std::count_if(found.begin(), found.end(),
                         [](const ProblemValues& values) { return values.at("n") != values.at("height"); }),
           3);
}

TEST_CASE("where the defaults violate a constraint, the sentence names both") {
  const std::string text =
      "#pragma tuner kernel(k) problem(n: size) grid(n + 1) block(A) out(y, float, n)\n"
      "#pragma tuner param(A, 32, 64; default 64) constraint(A < 64)\n";
  CHECK_THROWS_WITH_AS(
      host::small_problems(std::make_shared<const KernelDescription>(parse_descriptions(text, "k.cu").front()),
                           known_device("H200"), {}),
      doctest::Contains("A=64: "), Error);
}

TEST_CASE("where nothing can be derived the sentence asks for a problem") {
  CHECK_THROWS_WITH_AS(problems("#pragma tuner problem(n: size, depth: constant)"),
                       doctest::Contains("give one with --problem"), Error);
}

TEST_CASE("where a T1 file fixes sizes that are too large the sentence says what to lower in a copy") {
  KernelDescription description = parse_descriptions(
                                      "#pragma tuner kernel(k) problem(n: exact = 100000000) problem_constraint(n == "
                                      "100000000) grid(n) block(64) out(y, float, n)\n",
                                      "k.cu")
                                      .front();
  description.place.file = "k.json: KernelSpecification.KernelName";
  CHECK_THROWS_WITH_AS(
      host::small_problems(std::make_shared<const KernelDescription>(description), known_device("H200"), {}),
      doctest::Contains("lower ProblemSize, Size and FillValue in a copy of the file, or give exactly these sizes"),
      Error);
}
