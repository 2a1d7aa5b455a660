#include "tuner/core/task/awkward_problems.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"

namespace tuner {
namespace {

const DeviceInfo kH200 = known_device("H200");

Task matrix_task(const std::string& further, const ProblemValues& problem) {
  return Task(test::describe("#pragma tuner kernel(copy)\n"
                             "#pragma tuner problem(rows: size, columns: size)\n"
                             "#pragma tuner param(BLOCK, 32, 64; default 32)\n"
                             "#pragma tuner grid(rows) block(BLOCK)\n"
                             "#pragma tuner in(a, float, rows * columns) out(b, float, rows * columns)\n" +
                             further + "\n"),
              problem, kH200);
}

std::vector<std::string> texts(const Task& task, const AwkwardOptions& options = {.block = 64}) {
  const search::Configuration configurations[] = {task.space().defaults()};
  std::vector<std::string> result;
  for (const Task& awkward : awkward_problems(task, configurations, options)) {
    result.push_back(problem_text(awkward.problem()));
  }
  return result;
}

constexpr const char* kDomain = "#pragma tuner problem_constraint(rows >= 1 && columns >= 1)";

TEST_CASE("awkward problems are one less and one more, smaller than a block, and primes") {
  CHECK(texts(matrix_task(kDomain, {{"rows", 500}, {"columns", 1024}})) ==
        std::vector<std::string>{"columns=1023,rows=499", "columns=1025,rows=501", "columns=1024,rows=63",
                                 "columns=63,rows=500", "columns=1024,rows=499", "columns=1021,rows=500"});
}

TEST_CASE("a domain is declared when every size stands in a problem constraint") {
  CHECK(declares_domain(matrix_task(kDomain, {{"rows", 5}, {"columns", 5}}).description()));
  const Task half = matrix_task("#pragma tuner problem_constraint(rows >= 1)", {{"rows", 500}, {"columns", 1024}});
  CHECK_FALSE(declares_domain(half.description()));
  CHECK(texts(half).empty());
}

TEST_CASE("data from a file keeps the sizes that its argument's length depends on") {
  const auto with = [](const std::string& argument) {
    return texts(matrix_task(kDomain + std::string("\n#pragma tuner ") + argument, {{"rows", 500}, {"columns", 1024}}));
  };
  CHECK(with("constant(weights, float, 49, file(\"w.npy\"))").size() == 6);
  CHECK(with("in(row, float, columns, file(\"row.npy\"))") ==
        std::vector<std::string>{"columns=1024,rows=63", "columns=1024,rows=499"});
  CHECK(with("in(all, float, rows * columns, file(\"all.npy\"))").empty());
}

TEST_CASE("where tiles must divide, the nearest size that the domain accepts stands in") {
  const Task task = matrix_task("#pragma tuner problem_constraint(rows % 4 == 0 && columns % 32 == 0)",
                                {{"rows", 512}, {"columns", 1024}});
  CHECK(texts(task) == std::vector<std::string>{"columns=992,rows=480", "columns=1056,rows=544", "columns=1024,rows=32",
                                                "columns=32,rows=512", "columns=32,rows=32"});
}

TEST_CASE("awkward problems satisfy the configuration's constraints and are no larger than about the tuned one") {
  const Task odd = matrix_task(std::string(kDomain) + "\n#pragma tuner constraint(columns % 2 == 1 || BLOCK == 64)",
                               {{"rows", 100}, {"columns", 1001}});
  for (const std::string& text : texts(odd)) {
    const auto comma = text.find(',');
    CHECK((text[comma - 1] - '0') % 2 == 1);
  }
  // One more column would be twice the memory.
  const Task narrow = matrix_task(kDomain, {{"rows", 10000000}, {"columns", 1}});
  for (const std::string& text : texts(narrow)) CHECK(text.starts_with("columns=1,"));
}

TEST_CASE("a large space is not listed for an awkward size") {
  std::string parameters;
  for (char name = 'A'; name < 'G'; ++name) {
    parameters += std::string("#pragma tuner param(P") + name + ", 0, 1, 2, 3, 4, 5, 6, 7)\n";
  }
  const Task task = matrix_task(parameters + kDomain, {{"rows", 500}, {"columns", 1024}});
  const search::Configuration configurations[] = {task.space().defaults()};
  const auto found = awkward_problems(task, configurations, {});
  REQUIRE(found.size() == 6);
  CHECK(found.front().space().size() == 0);
  CHECK(found.front().geometry(configurations[0]).grid[0] == 499);
}

}  // namespace
}  // namespace tuner
