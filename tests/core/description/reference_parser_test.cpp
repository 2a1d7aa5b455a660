// What the reference directive says: parsed, bound to a problem, and hashed.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/task/filter_kernel.hpp"
#include "tests/core/task/npy_file.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const DeviceInfo kReferenceDevice = known_device("H200");

/// A kernel of four arguments and one array in constant memory; `reference` stands on line 7.
std::string text_with(const std::string& reference) {
  return "#pragma tuner kernel(scale)\n"
         "#pragma tuner problem(n: size, TYPE: constant = float)\n"
         "#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(PATH, direct, staged)\n"
         "#pragma tuner define(TILE = 4 * BLOCK)\n"
         "#pragma tuner grid(ceil_div(n, TILE)) block(BLOCK) shared(BLOCK)\n"
         "#pragma tuner in(x, TYPE, n) constant(w, float, 3) out(y, TYPE, n) inout(sum, TYPE, 1) scalar(n, int32)\n"
         "#pragma tuner " +
         reference + "\n";
}

Task task_with(const std::string& reference) {
  return Task(describe(text_with(reference)), {{"n", 1000}}, kReferenceDevice);
}

std::string geometry_of(const std::string& reference) {
  const Task task = task_with(reference);
  return task.reference_geometry(*task.baseline()).text();
}

std::string macros_with(const std::string& reference) {
  const Task task = task_with(reference);
  std::string text;
  for (const Macro& macro : task.reference_macros(*task.baseline())) text += macro.name + "=" + macro.text + ";";
  return text;
}

std::string complaint_about(const std::string& reference) {
  return first_line_of([&] {
    const Task task = task_with(reference);
    task.reference_geometry(*task.baseline());
  });
}

}  // namespace

TEST_CASE("a reference without clauses is launched as the baseline is, with its arguments and macros") {
  const Task task = task_with("reference(plain)");
  CHECK(task.description().reference.kernel == "plain");
  CHECK(task.reference_geometry(*task.baseline()) == task.geometry(*task.baseline()));
  CHECK(task.reference_arguments() == std::vector<std::size_t>{0, 2, 3, 4});
  CHECK(macros_with("reference(plain)") ==
        "TYPE=float;BLOCK=128;PATH_direct=0;PATH_staged=1;PATH=PATH_direct;TILE=512;");
}

TEST_CASE("a reference has a launch of its own, in which tuned parameters stand for their defaults") {
  CHECK(geometry_of("reference(plain; grid(n, 2) block(32) shared(0))") == "grid=1000x2x1 block=32x1x1 shared=0");
  CHECK(geometry_of("reference(plain; grid(ceil_div(n, BLOCK)))") == "grid=8x1x1 block=128x1x1 shared=128");
}

TEST_CASE("constants of the reference are macros and names for it alone, and replace those of the kernel") {
  const std::string both = "reference(plain; grid(ceil_div(n, BLOCK * EACH)) define(EACH = 2) define(BLOCK = 50))";
  CHECK(geometry_of(both) == "grid=10x1x1 block=50x1x1 shared=50");
  CHECK(macros_with(both) == "TYPE=float;BLOCK=50;PATH_direct=0;PATH_staged=1;PATH=PATH_direct;TILE=200;EACH=2;");
  // Its source is compiled for candidates too, which keep what they have.
  const Task task = task_with(both);
  std::string candidates;
  for (const Macro& macro : task.macros(task.space().parse("BLOCK=64")))
    candidates += macro.name + "=" + macro.text + ";";
  CHECK(candidates == "TYPE=float;BLOCK=64;PATH_direct=0;PATH_staged=1;PATH=PATH_direct;TILE=256;EACH=2;");
  CHECK(contains(macros_with("reference(plain; define(PATH = staged))"), ";PATH=PATH_staged;"));
  CHECK(complaint_about("reference(plain; define(EACH = 2)) constraint(EACH == 2)") ==
        "k.cu:7:61: unknown name `EACH`; the kernel declares BLOCK, PATH, TILE, TYPE, n");
}

TEST_CASE("a reference takes the arguments that it names, in its own order") {
  const Task task = task_with("reference(plain; args(n, sum, y, x))");
  CHECK(task.reference_arguments() == std::vector<std::size_t>{4, 3, 2, 0});
}

TEST_CASE("mistakes in a reference are refused where they stand") {
  CHECK(complaint_about("reference(plain; gird(n))") ==
        "k.cu:7:32: `gird` is not a clause of reference; valid clauses are grid, block, shared, args and define; did "
        "you mean `grid`?");
  CHECK(complaint_about("reference(plain; grid)") == "k.cu:7:32: grid needs arguments in parentheses");
  CHECK(complaint_about("reference(plain; )") ==
        "k.cu:7:25: after the `;` come grid(...), block(...), shared(...), args(...) or define(...)");
  CHECK(complaint_about("reference(plain; grid(1) grid(2))") == "k.cu:7:40: grid is given twice for the reference");
  CHECK(complaint_about("reference(plain; grid(m))").starts_with("k.cu:7:37: unknown name `m`"));
  CHECK(complaint_about("reference(plain; define(EACH))") ==
        "k.cu:7:39: define needs NAME = EXPRESSION, as in define(BLOCK = 256)");
  CHECK(complaint_about("reference(plain; define(min = 1))") ==
        "k.cu:7:39: `min` already has a meaning and cannot be a constant of the reference");
  CHECK(complaint_about("reference(plain; args(x, z, y, n))") ==
        "k.cu:7:40: the reference takes `z`, which is not an argument of the kernel; use a macro for anything else "
        "that it needs, as in define(COUNT = n)");
  CHECK(contains(complaint_about("reference(plain; args(x, w, y, n))"), "`w`, which is not an argument"));
  CHECK(complaint_about("reference(plain; args(x, y, x))") == "k.cu:7:43: `x` is given twice for the reference");
  CHECK(complaint_about("reference(plain; args(x, sum, n))") ==
        "k.cu:7:37: the reference does not take `y`, which the kernel writes, so there would be nothing to compare it "
        "with; add it to args");
  CHECK(contains(complaint_about("reference(plain; args(x, y, n))"), "does not take `sum`"));
  CHECK(complaint_about("reference(plain; grid(n - 1000))") ==
        "k.cu: the reference's grid x of `scale` for BLOCK=128,PATH=direct: `n - 1000` is 0, but must be at least 1.");
}

TEST_CASE("a description is written as it was read, clauses of reference and outputs included") {
  const std::string reference =
      "reference(plain; define(EACH = 2) grid(n // EACH, 2) block(32) shared(0) args(n, sum, y, z)) out(z, float, n, "
      "rtol 0.5, "
      "expect file(\"z \\\"1\\\".npy\"), partial)";
  const KernelDescription once = describe(text_with(reference));
  const std::string text = to_text(once);
  CHECK(contains(text,
                 "#pragma tuner reference(plain; define(EACH = 2) grid(n // EACH, 2) block(32) shared(0) args(n, "
                 "sum, y, z))\n"));
  CHECK(contains(text, "#pragma tuner out(z, float, n, rtol 0.5, expect file(\"z \\\"1\\\".npy\"), partial)\n"));
  CHECK(to_text(describe(text)) == text);
}

TEST_CASE("clauses that say what is right apply to outputs alone") {
  CHECK(complaint_about("in(z, float, n, partial)") == "k.cu:7:31: `partial` does not apply to `z`, which is an input");
  CHECK(contains(complaint_about("inout(z, float, n, partial)"), "does not apply"));
  CHECK(contains(complaint_about("in(z, float, n, expect file(\"z.npy\"))"), "does not apply"));
  CHECK(complaint_about("out(z, float, n, partial 3)") == "k.cu:7:40: `partial` takes no value");
  CHECK(complaint_about("out(z, float, n, expect \"z.npy\")") ==
        "k.cu:7:39: the expected output is in a file, as in expect file(\"y.npy\")");
  CHECK(contains(complaint_about("out(z, float, n, expect file(z))"), "must be in quotes"));
}

TEST_CASE("what counts the elements of an output in any order is another output, and an integer") {
  const auto complains = [](const std::string& directives, const char* words) {
    return contains(complaint_about(directives), words);
  };
  const std::string nothing = complaint_about("out(c, int32, 1)");
  CHECK(complaint_about("out(z, float, n, unordered) out(c, int32, 1)") == nothing);
  CHECK(complaint_about("out(z, float, n, unordered by c) out(c, int32, 1)") == nothing);
  CHECK(complains("out(z, float, n, unordered by d) out(c, int32, 1)",
                  "`d` is no output of this kernel that could count"));
  CHECK(complains("out(z, int32, n, unordered by z)", "`z` is no output"));
  CHECK(complains("out(z, float, n, unordered by c) out(c, float, 1)", "so its type is an integer, not float"));
  CHECK(complains("out(z, float, n, unordered by c) out(c, bool, 1)", "so its type is an integer, not bool"));
  CHECK(complains("out(z, float, n, unordered for c) out(c, int32, 1)", "as in `unordered by count`"));
  CHECK(complains("out(z, float, n, unordered, partial)", "cannot be `partial` and `unordered`"));
  CHECK(complains("in(z, float, n, unordered)", "does not apply"));
  for (const char* clause : {"rtol 0.5", "atol 1", "at most 1", "partial"}) {
    CHECK(complains("out(z, float, n, unordered by c) out(c, int32, 1, " + std::string(clause) + ")",
                    "so it must be exact"));
  }
}

TEST_CASE("a database is not lost: what has no new clause keeps the hash it had before there were any") {
  CHECK(task_with("deterministic").reuse_hash() == "f35e57409e65efd74cd0d5b7c0ede215");
  CHECK(task_with("reference(plain) deterministic options(\"--use_fast_math\")").reuse_hash() ==
        "01238077cbbf569e1b3f3dc1ea4ea452");
  CHECK(task_with("deterministic").kernel_identity() == "scale:1ee0db83d8841b0fdf1b7e37fa077569");
}

TEST_CASE("every clause of a reference or output makes trials others") {
  std::vector<std::string> hashes;
  for (const std::string directives :
       {"reference(plain)", "reference(plain; grid(n))", "reference(plain; block(n))", "reference(plain; shared(n))",
        "reference(plain; args(x, y, sum, n))", "reference(plain; define(EACH = 2))",
        "reference(plain; define(EACH = 3))", "out(z, float, n)", "out(z, float, n, partial)"}) {
    hashes.push_back(task_with(directives).reuse_hash());
  }
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
}

namespace {

std::string floats(const std::vector<float>& values) {
  return npy_of("<f4", values);
}

}  // namespace

TEST_CASE("what an output must hold is found in a file, whose content decides whether trials are used again") {
  const TemporaryFolder folder;
  folder.write("x.npy", floats({1, 2, 3, 4}));
  folder.write("y.npy", floats({2, 4, 6, 8}));
  const std::string arguments = "in(x, float, n, file(\"x.npy\")) out(y, float, n, expect file(\"y.npy\"))";
  const Task task = filter_task(folder, arguments);
  const BoundArgument& y = task.arguments_with_data()[2];
  REQUIRE(y.expected);
  CHECK(y.expected->bytes == 16);
  CHECK(y.expected->path == folder.path() / "y.npy");
  CHECK(contains(to_text(task), " expected as in " + (folder.path() / "y.npy").string()));
  const std::string before = task.reuse_hash();
  folder.write("y.npy", floats({2, 4, 6, 9}));
  CHECK(filter_task(folder, arguments).reuse_hash() != before);
}

TEST_CASE("an expected file of another shape or type is refused with its line") {
  const TemporaryFolder folder;
  folder.write("five.npy", floats({1, 2, 3, 4, 5}));
  folder.write("doubles.npy", npy("<f8", "(4,)", bytes_of<double>({1, 2, 3, 4})));
  CHECK(contains(refusal(folder, "out(y, float, n, expect file(\"five.npy\"))"),
                 "filter.cu:4: what is expected of `y`: "));
  CHECK(contains(refusal(folder, "out(y, float, n, expect file(\"five.npy\"))"), "contains 5 numbers"));
  CHECK(contains(refusal(folder, "out(y, float, n, expect file(\"doubles.npy\"))"), "contains float64"));
  CHECK(contains(refusal(folder, "out(y, float, n, expect file(\"none.npy\"))"), "does not exist"));
  CHECK(refusal(folder, "out(y, float, n, expect file(\"five.npy\"))", 5) == "no error");
}

TEST_CASE("a file says what is right only where no input is random") {
  const TemporaryFolder folder;
  folder.write("y.npy", floats({1, 2, 3, 4}));
  const std::string y = " out(y, float, n, expect file(\"y.npy\"))";
  CHECK(refusal(folder, "in(x, float, n)" + y) ==
        "filter.cu:4: the content of `x` is random, but y.npy holds the correct `y` for certain inputs; take `x` from "
        "a file, too, or from iota(…) or constant(…).");
  for (const char* seeded : {"in(x, float, n, normal())", "in(x, int32, n, index(3))", "in(x, bool, n)",
                             "constant(w, float, 3)", "inout(x, double, n)"}) {
    CAPTURE(seeded);
    CHECK(contains(refusal(folder, seeded + y), " is random"));
  }
  for (const char* certain : {"in(x, float, n, iota())", "in(x, int32, n)", "in(x, float, n, constant(2))",
                              "in(x, float, n, file(\"y.npy\"))", "scratch(x, float, n)"}) {
    CAPTURE(certain);
    CHECK(refusal(folder, certain + y) == "no error");
  }
}
