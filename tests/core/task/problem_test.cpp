#include "tuner/core/task/problem.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

KernelDescription kernel() {
  return describe(
      "#pragma tuner kernel(sum) grid(rows) block(32) out(s, TYPE, rows)\n"
      "#pragma tuner problem(rows: size, columns: size, alpha: exact = 1, TYPE: constant = double, DEPTH: constant = "
      "4)\n"
      "#pragma tuner problem_constraint(rows % 2 == 0)\n");
}

std::string complaint_about(const std::string& problem) {
  return error_of([&] { complete_problem(kernel(), parse_problem(problem)); });
}

}  // namespace

TEST_CASE("problem values are read from text and printed sorted by name") {
  const ProblemValues values = parse_problem(" rows = 528, columns=0x10,TYPE=float ,alpha=0.5");
  CHECK(problem_text(values) == "TYPE=float,alpha=0.5,columns=16,rows=528");
  CHECK(problem_text(parse_problem("rows=1M,columns=1<<4,TYPE=float")) == "TYPE=float,columns=16,rows=1048576");
  CHECK(parse_problem("  ").empty());
  CHECK(parse_problem(problem_text(values)) == values);
}

TEST_CASE("text that is not a list of NAME=VALUE is refused") {
  CHECK(error_of([] { parse_problem("rows=1,columns"); }) ==
        "The problem \"rows=1,columns\" has a part \"columns\" that is not NAME=VALUE; write, for example, "
        "rows=528,row_length=65536.");
  CHECK(error_of([] { parse_problem("rows=1,rows=2"); }) == "The problem \"rows=1,rows=2\" gives rows twice.");
  CHECK(error_of([] { parse_problem("rows="); }) == "The problem value rows is empty; write rows=1024, for example.");
  CHECK(error_of([] {
          parse_problem("rows=99999999999999999999");
        }).starts_with("The problem value rows=99999999999999999999 cannot be read. The integer 99999999999999999999"));
}

TEST_CASE("a complete problem has the defaults, and integers for whole run-time numbers") {
  const ProblemValues values = complete_problem(kernel(), parse_problem("rows=2e3,columns=7,alpha=2.0,DEPTH=2.0"));
  CHECK(problem_text(values) == "DEPTH=2.0,TYPE=double,alpha=2,columns=7,rows=2000");
}

TEST_CASE("a problem value that is missing, unknown or of the wrong kind is named with the next step") {
  CHECK(complaint_about("rows=528") ==
        "The kernel `sum` needs the problem value `columns`: for example --problem rows=528,columns=1024");
  CHECK(complaint_about("") ==
        "The kernel `sum` needs the problem values `rows`, `columns`: for example --problem rows=1024,columns=1024");
  CHECK(complaint_about("rows=1,colums=2") ==
        "The kernel `sum` has no problem property `colums`; did you mean `columns`? It has rows, columns, alpha, TYPE, "
        "DEPTH.");
  CHECK(complaint_about("rows=many,columns=1") ==
        "The problem value rows=many is not a number; give one, as in --problem rows=1024.");
  CHECK(complaint_about("rows=1m,columns=1") ==
        "The problem value rows=1m is not a number; give one, as in --problem rows=1024, 64K, 1M or 1<<20 (K, M and G "
        "are powers of 1024).");
  // A program has no options.
  CHECK(error_of([] { complete_problem(kernel(), parse_problem("rows=528"), ""); }) ==
        "The kernel `sum` needs the problem value `columns`: for example rows=528,columns=1024");
  CHECK(complaint_about("rows=1.5,columns=1") == "The problem value rows=1.5 is a size and must be an integer.");
  CHECK(complaint_about("rows=-1,columns=1") == "The problem value rows=-1 is a size and cannot be negative.");
  CHECK(complaint_about("rows=1,columns=1,TYPE=flaot") ==
        "The problem value TYPE=flaot is not an element type; did you mean `float`?");
  CHECK(complaint_about("rows=1,columns=1,TYPE=3") == "The problem value TYPE=3 is not an element type such as float.");
  CHECK(complaint_about("rows=1,columns=1,DEPTH=deep") ==
        "The problem value DEPTH=deep is not a number; give one, as in --problem DEPTH=1024.");
}

TEST_CASE("a problem that the kernel does not accept is refused with the condition") {
  CHECK(error_of([] {
          Task(kernel(), {{"rows", 3}, {"columns", 1}}, known_device("H200"));
        }) ==
        "The kernel `sum` does not accept the problem DEPTH=4,TYPE=double,alpha=1,columns=1,rows=3: `rows % 2 == 0` "
        "(k.cu:3) "
        "must hold.");
}

TEST_CASE("a bad problem is told apart from a bad description") {
  CHECK(error_of(Errc::bad_problem, [] { complete_problem(kernel(), {}); }).starts_with("The kernel `sum` needs"));
}

TEST_CASE("problems are as far apart as the size that differs most, and not comparable where anything else differs") {
  const KernelDescription sum = kernel();
  const auto far = [&](const char* a, const char* b) {
    return distance(sum, complete_problem(sum, parse_problem(a)), complete_problem(sum, parse_problem(b)));
  };
  CHECK(far("rows=8,columns=16", "rows=8,columns=16") == 0.0);
  CHECK(far("rows=8,columns=16", "rows=2,columns=32") == 2.0);
  CHECK(far("rows=2,columns=32", "rows=8,columns=16") == 2.0);
  CHECK_FALSE(far("rows=8,columns=16", "rows=8,columns=16,alpha=2"));
  CHECK_FALSE(far("rows=8,columns=16", "rows=8,columns=16,TYPE=float"));
  CHECK_FALSE(far("rows=8,columns=16", "rows=0,columns=16"));
  CHECK_FALSE(distance(sum, parse_problem("rows=8,columns=16"), parse_problem("rows=8,columns=16")));  // not complete
}
