#include "bench/kernels/lists.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tests/support/temporary_folder.hpp"

using namespace tuner::bench;
using tuner::test::contains;
namespace fs = std::filesystem;

namespace {

/// A file of this text that goes away.
class Written {
 public:
  Written(const std::string& name, const std::string& text) : path_(folder_.write(name, text)) {}
  operator const fs::path&() const { return path_; }

 private:
  tuner::test::TemporaryFolder folder_;
  fs::path path_;
};

template <typename Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    return text.substr(text.rfind('/') + 1);
  }
  return "none";
}

}  // namespace

TEST_CASE("a table says what is tuned, how far and beside whom") {
  const Written table("k.table",
                      "# comment\n\nplain | one | | | |\nsecond | two:inner | n = 5,  TYPE=float | 300 | copy | "
                      "speed-up 2.5, copy 0.9\n");
  const std::vector<BenchProblem> problems = read_table(table);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].name == "plain");
  CHECK(problems[0].file == "kernel_sources/one.cu");
  CHECK(problems[0].kernel.empty());
  CHECK(problems[0].problem.empty());
  CHECK_FALSE(problems[0].budget);
  CHECK(problems[0].peer.empty());
  CHECK(problems[1].file == "kernel_sources/two.cu");
  CHECK(problems[1].kernel == "inner");
  CHECK(problems[1].budget == 300);
  CHECK(problems[1].peer == "copy");
  CHECK(problems[0].hopes.empty());
  REQUIRE(problems[1].hopes.size() == 2);
  CHECK(problems[1].hopes[0].figure == "speed-up");
  CHECK(problems[1].hopes[0].least == 2.5);
  CHECK(problems[1].hopes[1].figure == "copy");
  CHECK(find_problem(table, "second").kernel == "inner");
  CHECK(contains(complaint([&] { find_problem(table, "third"); }), "third"));
}

TEST_CASE("commas, blanks or both stand between assignments") {
  const Written study("k.study",
                      "as the tuner writes it | n=5,m=6 | A=1,B=2\nwith blanks | n=5 m=6 | A=1   B=2\n"
                      "with both | n=5, m=6 | A=1, B=\"--x=y\"\nthe defaults | |\n");
  const std::vector<StudyLine> lines = read_study(study);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].label == "as the tuner writes it");
  for (int i = 0; i < 3; ++i) CHECK(lines[i].problem == "n=5,m=6");
  CHECK(lines[0].configuration == "A=1,B=2");
  CHECK(lines[1].configuration == "A=1,B=2");
  CHECK(lines[2].configuration == "A=1,B=\"--x=y\"");
  CHECK(lines[3].configuration.empty());
}

TEST_CASE("a line that is not understood is named by file and number") {
  const Written short_table("k.table", "a | b | c | 1 | d | peer 1\n# comment\ntoo | few\n");
  CHECK(complaint([&] { read_table(short_table); }) ==
        "k.table:3: expected: name | file | problem | budget | peer | hopes");
  const Written twice("k.table", "a | b | | | |\na | c | | | |\n");
  CHECK(complaint([&] { read_table(twice); }) == "k.table:2: there are two of this name");
  const Written budget("k.table", "a | b | | all | |\n");
  CHECK(complaint([&] { read_table(budget); }) == "k.table:1: a budget is a number of configurations");
  const Written hope("k.table", "a | b | | | | fast 3\n");
  CHECK(complaint([&] { read_table(hope); }) == "k.table:1: a hope is speed-up, copy or peer, and a number");
  const Written study("k.study", "label | n=5\n");
  CHECK(complaint([&] { read_study(study); }) == "k.study:1: expected: label | problem | configuration");
  const Written nameless("k.study", " | n=5 | A=1\n");
  CHECK(complaint([&] { read_study(nameless); }) == "k.study:1: a line needs a label");
  const Written curve("k.curve", "label | n=5 | A=1\n");
  CHECK(complaint([&] { read_curve(curve); }) == "k.curve:1: expected first: over NAME");
  CHECK(complaint([] { read_study("/nowhere/k.study"); }) == "k.study cannot be read");
}

TEST_CASE("a study is about the kernel whose name it has, in whatever file that is") {
  const Written table("k.table", "first | one | | | |\nsecond | two:inner | | | |\nthird | two:other | | | |\n");
  CHECK(subject_of("one.study", table).file == "kernel_sources/one.cu");
  CHECK(subject_of("other.study", table).file == "kernel_sources/two.cu");
  CHECK(subject_of("other.study", table).kernel == "other");
  CHECK(contains(complaint([&] { subject_of("two.study", table); }), "names no kernel two"));
}
