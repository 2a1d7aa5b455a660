// Generators as directives and identities spell them.
#include <doctest/doctest.h>

#include "tests/core/support.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

Task generated_task(const std::string& directives, ProblemValues problem = {{"n", 1000}}) {
  return Task(describe(kernel_text("#pragma tuner " + directives)), problem, known_device("H200"));
}

std::string why_not_bound(const std::string& directives, ProblemValues problem = {{"n", 1000}}) {
  return first_line_of([&] { generated_task(directives, problem); });
}

std::string hash_with(const std::string& directives) {
  return generated_task(directives).reuse_hash();
}

}  // namespace

TEST_CASE("the numbers of a generator are expressions of the problem") {
  const Task task = generated_task("let(mid = n // 2) in(a, float, n, uniform(-mid, mid if TYPE == float else 1))");
  CHECK(task.arguments().at(1).generators.at(0).parameters == std::array<double, 2>{-500, 500});
  CHECK(complaint("in(a, float, n, uniform(0, BLOCKDIMX))") ==
        "k.cu:6:42: `BLOCKDIMX` is a tuned parameter; the content of `a` must be the same for every configuration");
}

TEST_CASE("permutations are bound, and refused where their numbers do not fit") {
  const Task task = generated_task("in(a, int32, n, permutation(n))");
  CHECK(task.arguments().at(1).generators == std::vector<BoundGenerator>{{Generator::Kind::permutation, {1000, 0}}});
  CHECK(why_not_bound("in(a, uint8, n, permutation(n))") ==
        "k.cu:6: the content of `a` is permutation(1000), which does not fit uint8.");
  CHECK(why_not_bound("in(a, int32, n, permutation(n / 3))") ==
        "k.cu:6: the content of `a` is permutation(333.3333333333333), which needs a whole number of at least 1.");
}

TEST_CASE("the last of the offsets has a name that lengths, lets and scalars can use") {
  const Task task = generated_task(
      "in(column, int32, start_last, index(n)) in(start, int32, n + 1, offsets(n, 12.5, 8)) let(many = 2 * start_last) "
      "scalar(m, int32, value many) scalar(k, int32, value start_last)");
  const std::vector<BoundArgument> arguments = task.arguments();
  CHECK(arguments.at(1).length == 12500);
  CHECK(arguments.at(2).generators == std::vector<BoundGenerator>{{Generator::Kind::offsets, {12.5, 8}}});
  CHECK(arguments.at(3).value == search::Value(25000));
  CHECK(arguments.at(4).value == search::Value(12500));
}

TEST_CASE("a description with offsets is printed as it was written") {
  const std::string written =
      "in(start, int32, n + 1, offsets(n, 12.5, 8)) in(column, int32, start_last, sorted(permutation(n))) "
      "in(p, float4, n, uniform(0, 1), uniform(0, 2), iota(0, 1), constant(1))";
  const KernelDescription description = describe(kernel_text("#pragma tuner " + written));
  const std::string text = to_text(description);
  CHECK(contains(text, "in(start, int32, n + 1, offsets(n, 12.5, 8))"));
  CHECK(contains(text, "in(column, int32, start_last, sorted(permutation(n)))"));
  CHECK(contains(text, "in(p, float4, n, uniform(0, 1), uniform(0, 2), iota(0, 1), constant(1))"));
  CHECK_FALSE(contains(text, "let("));
  CHECK(to_text(describe(text)) == text);
}

TEST_CASE("the name of the last offset is taken, and cannot depend on what is tuned") {
  CHECK(complaint("let(start_last = 1) in(start, int32, n + 1, offsets(n, 3, 1))") ==
        "k.cu:6:59: `start_last` is already declared as a let or define on line 6");
  CHECK(complaint("in(start, int32, n + 1, offsets(n, BLOCKDIMX, 1)) in(c, int32, start_last)") ==
        "k.cu:6:50: `BLOCKDIMX` is a tuned parameter; the content of `start` must be the same for every "
        "configuration");
}

TEST_CASE("offsets that cannot be are refused with their numbers") {
  const std::string is = "k.cu:6: the content of `start` is offsets(1000, ";
  CHECK(why_not_bound("in(start, int32, n, offsets(n, 3, 1))") ==
        is + "3, 1), which has 1001 values, one more than rows, but the length is 1000.");
  CHECK(why_not_bound("in(start, int32, n + 1, offsets(n, 3, 4))") ==
        is + "3, 4), which needs a spread from 0 to the mean, so that no row has less than nothing.");
  CHECK(why_not_bound("in(start, int32, n + 1, offsets(n, 1e7, 0))") ==
        is + "10000000, 0), whose last value does not fit int32.");
}

TEST_CASE("generators can be sorted, files and offsets cannot") {
  CHECK(generated_task("in(a, int32, n, sorted(index(n)))").arguments().at(1).generators.at(0).is_sorted);
  CHECK(complaint("in(a, int32, n, sorted)") ==
        "k.cu:6:31: a generator has the form sorted(GENERATOR), as in sorted(uniform(0, 1))");
  CHECK(complaint("in(a, int32, n, sorted(file(\"x.npy\")))") ==
        "k.cu:6:37: only generated numbers that are not in order yet can be sorted");
  CHECK(complaint("in(a, int32, n, sorted(3))") ==
        "k.cu:6:38: `3` is not a generator (constant, iota, uniform, normal, index, file, permutation, offsets)");
}

TEST_CASE("there is one generator for all lanes, or one for each") {
  const Task task = generated_task("in(a, float2, n, uniform(0, 1), constant(1))");
  CHECK(task.arguments().at(1).generators ==
        std::vector<BoundGenerator>{{Generator::Kind::uniform, {0, 1}}, {Generator::Kind::constant, {1, 0}}});
  CHECK(complaint("in(a, float4, n, uniform(0, 1), constant(1))") ==
        "k.cu:6:21: `a` has 2 generators, but `float4` has 4 lanes: give one for all elements, or one a lane");
  CHECK(complaint("in(a, float, n, uniform(0, 1), constant(1))") ==
        "k.cu:6:21: `a` has 2 generators, but `float` has one number an element: give one for all elements");
  CHECK(complaint("in(a, float2, n, uniform(0, 1), file(\"x.npy\"))") ==
        "k.cu:6:47: `file` fills all of `a`, so there is no other generator beside it");
  // The type is known with the problem only.
  CHECK(
      why_not_bound("problem(V: constant = float2) in(a, V, n, uniform(0, 1), iota())", {{"n", 10}, {"V", "float4"}}) ==
      "k.cu:6: the content of `a` cannot be generated: `a` has 2 generators, but `V` has 4 lanes: give one for all "
      "elements, or one a lane.");
}

TEST_CASE("trials are reused only where the generators are the same") {
  CHECK(hash_with("in(a, int32, n, index(n))") != hash_with("in(a, int32, n, permutation(n))"));
  CHECK(hash_with("in(a, int32, n, index(n))") != hash_with("in(a, int32, n, sorted(index(n)))"));
  CHECK(hash_with("in(a, int2, n, index(n))") != hash_with("in(a, int2, n, index(n), index(n))"));
}
