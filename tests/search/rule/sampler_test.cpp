#include "search/rule/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tuner::search {
namespace {

const std::vector<PropertyValues> kProblems{
    {{"columns", 333}, {"rows", 4096}}, {{"columns", 1024}, {"rows", 64}}, {{"columns", 5000}, {"rows", 512}}};

Lesson lesson() {
  const std::vector<std::vector<std::optional<double>>> times(kProblems.size(), {100.0, 120.0});
  return lesson_of(kProblems, LossMatrix(times), {}, std::vector<std::size_t>{0, 1});
}

std::vector<PropertyValues> drawn(std::size_t count) {
  const Lesson three = lesson();
  Sampler sampler(three, {0, 1, 2});
  std::vector<PropertyValues> result;
  while (result.size() < count) result.push_back(sampler.next().value().problem);
  return result;
}

bool is_tuned(const PropertyValues& problem, const std::string& property) {
  return std::any_of(kProblems.begin(), kProblems.end(),
                     [&](const PropertyValues& tuned) { return tuned.at(property) == problem.at(property); });
}

TEST_CASE("of a problem drawn nearly every other property is a tuned one's, but it is no tuned problem") {
  std::size_t columns = 0, rows = 0;
  for (const PropertyValues& problem : drawn(2000)) {
    CHECK(std::find(kProblems.begin(), kProblems.end(), problem) == kProblems.end());
    columns += is_tuned(problem, "columns") ? 1 : 0;
    rows += is_tuned(problem, "rows") ? 1 : 0;
  }
  // Half, but for those that would be a tuned problem: of draws between two an eighth, of those around one a quarter.
  CHECK(columns > 750);
  CHECK(columns < 900);
  CHECK(rows > 900);
  CHECK(rows < 1300);  // as divisible as 4096 or 512, many a number is one of them
}

TEST_CASE("the other sizes lie between the tuned ones and half an octave around, as divisible as one of the two") {
  std::size_t others = 0, odd = 0;
  for (const PropertyValues& problem : drawn(2000)) {
    if (is_tuned(problem, "columns")) continue;
    const std::int64_t columns = problem.at("columns").as_integer();
    CHECK(columns >= 235);
    CHECK(columns <= 7072);
    ++others;
    odd += columns % 2 == 1 ? 1 : 0;
  }
  // A third are modelled on 333, which demands no divisibility, and half of those are odd.
  CHECK(odd > others / 9);
  CHECK(odd < others / 4);
}

TEST_CASE("where only names vary, or one problem is known, nothing new is drawn") {
  const std::vector<PropertyValues> named{{{"TYPE", "float"}}, {{"TYPE", "double"}}};
  const std::vector<std::vector<std::optional<double>>> times(2, {100.0, 120.0});
  const Lesson two = lesson_of(named, LossMatrix(times), {}, std::vector<std::size_t>{0, 1});
  CHECK_FALSE(Sampler(two, {0, 1}).next());
  CHECK_FALSE(Sampler(two, {0}).next());
}

TEST_CASE("the same lesson gives the same problems") {
  CHECK(drawn(100) == drawn(100));
}

}  // namespace
}  // namespace tuner::search
