#include "tuner/core/header/sizes_header.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/sizes/asking.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using test::asking;

/// Calls `visit` for problems inside and outside of what was tuned.
template <class Visit>
void for_grid(Visit visit) {
  for (std::int64_t m = 0; m <= 130; m += m < 12 ? 1 : 13) {
    for (std::int64_t n = 0; n <= 10100; n += n < 80 ? 1 : 61) visit(m, n, n % 5 == 0 ? "half" : "float");
  }
}

TEST_CASE("a header says what the rule says, for every question and every problem of a grid") {
  if (std::system("g++ --version > /dev/null 2>&1") != 0) return;
  const std::vector<std::pair<std::string, double>> questions{
      {"m * n", 5000},
      {"(m * n) ** 5", 1e18},
      {"ceil_div(n, 32) * ceil_div(m, 7) // 3 - m", 5},
      {"n % 32 == 0 and m > 4", 0},
      {"m / n < 0.001 or not n & 1 and m in (3, 5, 8)", 0},
      {"min(m, n, 40) + max(2 * m, n) - abs(m - n) + (n << 2) - (n >> 1) + next_pow2(m)", 9000},
      {"int(x * 1.5) + floor(x - 3.3) + ceil(-x) - round_up(-m, -4) + -n % 7 + n % -5", 20},
      {"1000 / (n - 36) if n > 30 else float(m)", 3},
      {"is_pow2(m) ? n : m", 1700},
      {"TYPE == 'float' ? ~n ^ 3 | m : 0", -2900},
      {"1 < m <= x * 4 != n", 0},
      {"x + 0.1 * n / m - float(n)", -70},
      {"m * n * 36028797018963968 // 8", 1e18}};
  const test::TemporaryFolder folder;
  std::string includes, calls, expected;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    KernelSizes sizes = asking({questions[i]});
    sizes.kernel += std::to_string(i);
    folder.write(fmt::format("rule{}.hpp", i), sizes_header(sizes, {"app::tuned", "2026-01-02"}));
    includes += fmt::format("#include \"rule{}.hpp\"\n", i);
    calls += fmt::format("print(app::tuned::ns__odd{}::choose);\n", i);
    std::array<std::size_t, 3> seen{};
    for_grid([&](std::int64_t m, std::int64_t n, const char* type) {
      const ProblemValues problem{{"TYPE", type}, {"m", m}, {"n", n}, {"x", 0.25 * static_cast<double>(m)}};
      const auto leaf = sizes.rule.choose(problem);
      expected += fmt::format("{}\n", leaf ? static_cast<int>(leaf->configuration) : -1);
      ++seen[leaf ? leaf->configuration : 2];
    });
    CAPTURE(questions[i].first);
    for (const std::size_t count : seen) CHECK(count > 0);
  }
  folder.write("use.cpp", includes + R"(#include <cstdio>
namespace t = app::tuned::ns__odd0;
static_assert(t::choose("float", 8, 8, 40.0) == t::not_covered);
static_assert(t::choose("double", 8, 8, 4.0) == t::not_covered);
static_assert(t::configurations[t::choose("float", 1, 6, 0.25)].BLOCK == 0);
static_assert(t::configurations[0].FAST && t::configurations[0].KIND == t::KIND_wide);
void print(int choose(const char*, std::int64_t, std::int64_t, double)) {
  for (std::int64_t m = 0; m <= 130; m += m < 12 ? 1 : 13) {
    for (std::int64_t n = 0; n <= 10100; n += n < 80 ? 1 : 61) {
      std::printf("%d\n", choose(n % 5 == 0 ? "half" : "float", m, n, 0.25 * static_cast<double>(m)));
    }
  }
}
int main() {
)" + calls + "}\n");
  const std::string at = test::shell_word(folder.path().string());
  REQUIRE(std::system(("cd " + at +
                       " && g++ -std=c++17 -Wall -Wextra -Wshadow -Wconversion -Werror -fsanitize=undefined "
                       "-fsanitize-undefined-trap-on-error use.cpp -o use && ./use > out")
                          .c_str()) == 0);
  CHECK(test::read_bytes(folder / "out") == expected);
}

TEST_CASE("what C++ has no plain arithmetic or no name for is refused") {
  for (const char* question : {"log2(n)", "sqrt(m)", "x % 2", "x // 2", "n ** m", "sizeof(TYPE)", "max(n, x)",
                               "m if n > 3 else x", "missing + 1", "x ** 2"}) {
    CAPTURE(question);
    CHECK_THROWS_WITH_AS(sizes_header(asking({{question, 1}}), {}), doctest::Contains(question), Error);
  }
  KernelSizes sizes = asking({{"n", 1}});
  sizes.rule.domain[1].property = "int";
  CHECK_THROWS_WITH_AS(sizes_header(sizes, {}), doctest::Contains("`int`"), Error);
  sizes = asking({{"n", 1}});
  sizes.configurations[0] = "a b=1";
  CHECK_THROWS_WITH_AS(sizes_header(sizes, {}), doctest::Contains("`a b`"), Error);
}

}  // namespace
}  // namespace tuner
