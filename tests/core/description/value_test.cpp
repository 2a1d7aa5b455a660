// value(NAME, TYPE, E, ...): vectors and structures by value.
#include <doctest/doctest.h>

#include "tests/core/support.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kWithValue =
    "#pragma tuner kernel(k) problem(n: size = 1000) let(HALF = n / 2) param(BLOCK, 32, 64) grid(n) block(BLOCK)\n"
    "#pragma tuner out(y, float, n) value(it, Pair<float, Pair<int, bool> >, HALF, {{n * 2, true}, 3})\n"
    "__global__ void k(float* y, Pair<float, Pair<int, bool> > it) {}\n";

Task task_with_value(const std::string& text) {
  return Task(describe(text), {}, known_device("H200"));
}

std::string value_kernel_with(const std::string& before, const std::string& after) {
  std::string text = kWithValue;
  return text.replace(text.find(before), before.size(), after);
}

}  // namespace

TEST_CASE("a structure by value has a type with commas and a number for each member") {
  const Task task = task_with_value(kWithValue);
  const Argument& it = task.description().arguments[1];
  CHECK(it.type == "Pair<float, Pair<int, bool> >");
  REQUIRE(it.members.size() == 4);
  CHECK(it.members[1].opening == 2);
  CHECK(it.members[2].closing == 1);
  CHECK(contains(to_text(task.description()), "value(it, Pair<float, Pair<int, bool> >, HALF, {{n * 2, true}, 3})"));
  CHECK(contains(to_text(task), "it Pair<float, Pair<int, bool> > made of 500.0, 2000, true, 3"));
  CHECK(to_text(describe(to_text(task.description()))) == to_text(task.description()));
  const std::vector<search::Value> values{500.0, 2000, true, 3};
  CHECK(task.arguments()[1].values == values);
}

TEST_CASE("a mistake in a value by its place") {
  CHECK(contains(complaint("value(it)"), "value needs a name, a type and what its members hold"));
  CHECK(contains(complaint("value(it, )"), "a type is missing here"));
  CHECK(contains(complaint("value(it, Pair<int, 3)"), "the `<` of this type has no `>`"));
  CHECK(contains(complaint("value(it, int3, n, {}, 1)"), "an expression is missing here"));
  CHECK(contains(complaint("value(it, int3, n, , 1)"), "an expression is missing here"));
  CHECK(contains(complaint("value(it, int3, n,)"), "an expression is missing here"));
  CHECK(contains(complaint("value(it, int3, n, BLOCKDIMX, 1)"), "BLOCKDIMX"));
  CHECK(contains(complaint("value(it, int3, m, 1, 1)"), "`m`"));
  CHECK(contains(complaint("value(result, int3, 1, 1, 1)"), "is already declared on line 5"));
  CHECK(contains(complaint("value(it, T, " + std::string(100, '{') + '1' + std::string(100, '}') + ')'),
                 "braces are nested too deeply"));
}

TEST_CASE("a scalar of a vector or of a structure names the directive for it") {
  CHECK(contains(complaint("scalar(by, float3, value 1)"), "write value(by, float3, E, E, E)"));
  CHECK(contains(complaint("scalar(camera, Camera, value 0)"), "is described with value(NAME, TYPE, E, ...)"));
}

TEST_CASE("a number that is infinity in the type of its scalar was passed without a word") {
  const auto said = [](const std::string& scalar) {
    std::string text = value_kernel_with("value(it", scalar + " value(it");
    text.replace(text.find("Pair<float, Pair<int, bool> > it)"), 0, "float z, ");
    return error_of([&] { task_with_value(text).arguments(); });
  };
  CHECK(contains(said("scalar(z, float, value 1e300)"), "the value of `z` is 1e+300, which does not fit float32"));
  CHECK(contains(said("scalar(z, half, value -70000)"), "which does not fit float16"));
  CHECK(said("scalar(z, float, value 3.4028235e38)") == "no error");
  CHECK(said("scalar(z, double, value 1e300)") == "no error");
}

TEST_CASE("kernels with another type or other members are others, and those without values are what they were") {
  const Task task = task_with_value(kWithValue);
  for (const std::string& other :
       {value_kernel_with("HALF, {", "n / 2, {"), value_kernel_with("{{n * 2, true}, 3}", "n * 2, true, 3"),
        value_kernel_with("Pair<int, bool> >, HALF", "Pair<int, int> >, HALF"),
        value_kernel_with("true}, 3", "true}, 4")}) {
    CAPTURE(other);
    CHECK(task_with_value(other).reuse_hash() != task.reuse_hash());
    CHECK(task_with_value(other).kernel_identity() != task.kernel_identity());
  }
  CHECK(describe(kernel_text()).arguments.front().members.empty());
}

TEST_CASE("a structure by value may be given by its bytes") {
  const std::string bytes = value_kernel_with("HALF, {{n * 2, true}, 3}", "bytes \"0000803f00ff\"");
  const Task task = task_with_value(bytes);
  CHECK(task.description().arguments[1].members.empty());
  CHECK(contains(to_text(task.description()), "value(it, Pair<float, Pair<int, bool> >, bytes \"0000803f00ff\")"));
  CHECK(to_text(describe(to_text(task.description()))) == to_text(task.description()));
  CHECK(task.arguments()[1].values == std::vector<search::Value>{0, 0, 128, 63, 0, 255});
  const Task other = task_with_value(value_kernel_with("HALF, {{n * 2, true}, 3}", "bytes \"0000803f00fe\""));
  CHECK(other.reuse_hash() != task.reuse_hash());
  CHECK(other.kernel_identity() != task.kernel_identity());
}

TEST_CASE("bytes that are no bytes are refused by their place") {
  CHECK(contains(complaint("value(it, int3, bytes \"00\", 1)"), "the bytes stand in quotes"));
  for (const std::string digits : {"", "0", "0g", "00 00", "FF"}) {
    CAPTURE(digits);
    CHECK(contains(complaint("value(it, int3, bytes \"" + digits + "\")"), "each byte is two digits"));
  }
  CHECK(contains(complaint("value(it, int3, bytes \"" + std::string(65536, '0') + "\")"), "no more than 32764 bytes"));
}
