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

TEST_CASE("a problem without sizes is taken as it is, unless it takes long") {
  CHECK_EQ(problems("#pragma tuner problem(n: exact = 1000000)").size(), 1);
  CHECK_THROWS_WITH_AS(problems("#pragma tuner problem(n: exact = 100000000)"),
                       doctest::Contains("has no size that could be reduced"), Error);
}

TEST_CASE("where nothing can be derived the sentence asks for a problem") {
  CHECK_THROWS_WITH_AS(problems("#pragma tuner problem(n: size, depth: constant)"),
                       doctest::Contains("give one with --problem"), Error);
}
