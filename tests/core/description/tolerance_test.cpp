// Tolerances and how many elements may be beyond them, as directives and identities spell them.
#include <doctest/doctest.h>

#include "tests/core/support.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

Task tolerant_task(const std::string& clauses, std::int64_t n = 1000) {
  return Task(describe(kernel_text("#pragma tuner out(y, float, n, " + clauses + ")")), {{"n", n}},
              known_device("H200"));
}

std::string why_not_tolerated(const std::string& clauses, std::int64_t n = 1000) {
  return first_line_of([&] { tolerant_task(clauses, n); });
}

}  // namespace

TEST_CASE("tolerances are expressions of the problem") {
  const std::string clauses = "rtol 1e-6 * sqrt(n), atol 0 if TYPE == float else 1";
  CHECK(tolerant_task(clauses, 10000).arguments().at(1).rtol == doctest::Approx(1e-4));
  CHECK(tolerant_task(clauses, 100).arguments().at(1).rtol == doctest::Approx(1e-5));
  CHECK(tolerant_task(clauses).arguments().at(1).atol == 0);
  CHECK(complaint("out(y, float, n, rtol 1e-3 * BLOCKDIMX)") ==
        "k.cu:6:44: `BLOCKDIMX` is a tuned parameter; the tolerance of `y` must be the same for every configuration");
}

TEST_CASE("so many elements as the description says may be beyond the tolerance") {
  CHECK(tolerant_task("rtol 1e-3").arguments().at(1).may_differ == 0);
  CHECK(tolerant_task("at most 3").arguments().at(1).may_differ == 3);
  CHECK(tolerant_task("at most n // 100").arguments().at(1).may_differ == 10);
  CHECK(complaint("out(y, float, n, at least 3)") ==
        "k.cu:6:32: how many elements may differ is said as in `at most 10`");
  CHECK(complaint("in(y, float, n, at most 3)") == "k.cu:6:31: `at` does not apply to `y`, which is an input");
  CHECK(why_not_tolerated("at most 3 - n") ==
        "k.cu:6: the number of elements that may differ of `y` is -997; it cannot be negative.");
}

TEST_CASE("a tolerance that is no number from 0 is refused, before there is a problem where that is possible") {
  CHECK(complaint("out(y, float, n, rtol -1e-3)") == "k.cu:6:37: a tolerance cannot be negative, as -1e-3 is");
  CHECK(contains(complaint("out(y, float, n, rtol 1 / 0)"), "k.cu:6:37: "));
  CHECK(contains(complaint("out(y, float, n, rtol \"a\")"), "k.cu:6:37: "));
  CHECK(why_not_tolerated("atol 1 - n") == "k.cu:6: the atol of `y` is -999; a tolerance is a number from 0.");
}

TEST_CASE("tolerances are printed as they were written, numbers in their shortest form") {
  const std::string text =
      to_text(describe(kernel_text("#pragma tuner out(y, float, n, rtol 1.0e-3, atol 1 / n, at most n // 100)")));
  CHECK(contains(text, "out(y, float, n, rtol 0.001, atol 1 / n, at most n // 100)"));
  CHECK(to_text(describe(text)) == text);
}

TEST_CASE("trials are reused where a tolerance has the same value, not where it has another expression") {
  CHECK(tolerant_task("rtol 1e-3").reuse_hash() == tolerant_task("rtol 0.001").reuse_hash());
  CHECK(tolerant_task("rtol 1e-3").reuse_hash() != tolerant_task("rtol 1 / n").reuse_hash());
  CHECK(tolerant_task("rtol 1e-3").reuse_hash() != tolerant_task("rtol 1e-3, at most 1").reuse_hash());
}
