#include "tuner/core/task/problem_list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/attack/chance.hpp"
#include "tests/core/support.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// The problems' canonical texts, a blank between two.
std::string list_of(std::string_view text) {
  std::string all;
  for (const ProblemValues& problem : parse_problems(text)) all += (all.empty() ? "" : " ") + problem_text(problem);
  return all;
}

std::string refusal_of_list(const std::string& text) {
  return error_of(Errc::bad_problem, [&] { parse_problems(text); });
}

std::string refusal_of_file(const std::string& text) {
  return error_of(Errc::bad_problem, [&] { parse_problem_file(text, "sizes.txt"); });
}

}  // namespace

TEST_CASE("several values of a name are a problem each, those of several names every combination, the last fastest") {
  CHECK(list_of("n=1000") == "n=1000");
  CHECK(list_of("n=1000,10000,100000") == "n=1000 n=10000 n=100000");
  CHECK(list_of("rows=1,2,cols=64,128") == "cols=64,rows=1 cols=128,rows=1 cols=64,rows=2 cols=128,rows=2");
  CHECK(list_of(" n = 1 , 2 ,m=3") == "m=3,n=1 m=3,n=2");
  CHECK(list_of("n=5,5") == "n=5 n=5");
  CHECK(parse_problems("  ") == std::vector<ProblemValues>(1));
}

TEST_CASE("a value in a list is what it is alone") {
  CHECK(list_of("n=64K,1<<20,1 << 4,0x10,-3,+5,1e3,a=1.5") ==
        "a=1.5,n=65536 a=1.5,n=1048576 a=1.5,n=16 a=1.5,n=16 a=1.5,n=-3 a=1.5,n=5 a=1.5,n=1000.0");
  CHECK(list_of("TYPE=float,double,n=2") == "TYPE=float,n=2 TYPE=double,n=2");
  CHECK(list_of("T=\"a,b\",\"c=d\",\"1..4\",true") == "T=\"a,b\" T=\"c=d\" T=1..4 T=true");
  for (const char* text :
       {"rows=528,columns=0x10,TYPE=float ,alpha=0.5", "n=1<<20", "n=1M,m=-1e-3", "T=\"x y\"", "n=1,"})
    CHECK(parse_problems(text) == std::vector{parse_problem(text)});
}

TEST_CASE("a range counts every integer, by a factor or by a step, to its end or below") {
  CHECK(list_of("n=1..4") == "n=1 n=2 n=3 n=4");
  CHECK(list_of("n=1..4,8,16..18") == "n=1 n=2 n=3 n=4 n=8 n=16 n=17 n=18");
  CHECK(list_of("n=64..512 x2") == "n=64 n=128 n=256 n=512");
  CHECK(list_of("n=64..500 x2,m=1..2") == "m=1,n=64 m=2,n=64 m=1,n=128 m=2,n=128 m=1,n=256 m=2,n=256");
  CHECK(list_of("n=0..100 +25") == "n=0 n=25 n=50 n=75 n=100");
  CHECK(list_of("n=0..100 step 25") == list_of("n=0..100 +25"));  // as for parameters
  CHECK(list_of("n=0..99 + 50") == "n=0 n=50");
  CHECK(list_of("n=-2..+1") == "n=-2 n=-1 n=0 n=1");
  CHECK(list_of("n=0x10..0x20 x2") == "n=16 n=32");
  CHECK(list_of("n=1K..1<<12 x2") == "n=1024 n=2048 n=4096");
  CHECK(list_of("n=1e3..1e5 x10") == "n=1000 n=10000 n=100000");
  CHECK(list_of("n=7..7") == "n=7");
  CHECK(list_of("n=9223372036854775806..9223372036854775807") == "n=9223372036854775806 n=9223372036854775807");
  CHECK(list_of("n=-9223372036854775808..9223372036854775807 +9223372036854775807") ==
        "n=-9223372036854775808 n=-1 n=9223372036854775806");
  CHECK(list_of("n=4611686018427387904..9223372036854775807 x4") == "n=4611686018427387904");
}

TEST_CASE("what is no list is one sentence") {
  CHECK(refusal_of_list("1000") ==
        "The problem `1000` has a part `1000` that is not NAME=VALUE; write, for example, rows=528,row_length=65536.");
  CHECK(refusal_of_list("n=1,2=3").starts_with("The problem `n=1,2=3` has a part `2=3` that is not NAME=VALUE"));
  CHECK(refusal_of_list("n=1,,2") == "The problem `n=1,,2` has nothing after a comma.");
  CHECK(refusal_of_list("n=") == "The problem value n is empty; write n=1024, for example.");
  CHECK(refusal_of_list("n=1,m=2,n=3") ==
        "The problem `n=1,m=2,n=3` gives n twice; write all its values after one n=.");
  CHECK(refusal_of_list("n=1,99999999999999999999")
            .starts_with("The problem value n=99999999999999999999 cannot be read."));
  CHECK(refusal_of_list("n=\"a").starts_with("The problem value n=\"a cannot be read."));
}

TEST_CASE("a range that is none says what is wrong with it") {
  for (const char* range :
       {"n=1..", "n=..4", "n=..", "n=1...4", "n=1..4..8", "n=1.5..4", "n=1..4 step", "n=1..4 x", "n=1..4 +",
        "n=1..4 x1.5", "n=a..b", "n=1..true", "n=64..8192x2", "n=1..4 weight=2", "n=1..1e300"}) {
    CAPTURE(range);
    CHECK(contains(refusal_of_list(range), "` is none: write it with integers, and a blank before a factor or a step"));
  }
  CHECK(refusal_of_list("n=4..1") == "The range `n=4..1` ends below its beginning; the smaller number comes first.");
  CHECK(refusal_of_list("n=0..8 x2") ==
        "The range `n=0..8 x2` begins below 1; one with a factor begins with 1 or more.");
  CHECK(refusal_of_list("n=1..8 x1") == "The range `n=1..8 x1` does not grow; the factor is 2 or more.");
  CHECK(refusal_of_list("n=1..8 +0") == "The range `n=1..8 +0` does not grow; the step is 1 or more.");
  CHECK(refusal_of_list("n=1..8 +-1") == "The range `n=1..8 +-1` does not grow; the step is 1 or more.");
}

TEST_CASE("ten thousand problems are taken, and not one more") {
  CHECK(parse_problems("n=1..10000").size() == kMostProblems);
  CHECK(parse_problems("n=1..100,m=1..100").size() == kMostProblems);
  CHECK(refusal_of_list("n=1..100,m=1..101") ==
        "The problem `n=1..100,m=1..101` stands for more than 10,000 problems, which is the most that one command "
        "takes. Give fewer values.");
  CHECK(contains(refusal_of_list("n=1..10000,0"), "more than 10,000 problems"));
  CHECK(contains(refusal_of_list("n=-9223372036854775808..9223372036854775807"), "more than 10,000 problems"));
  std::string many = "n=1";
  for (int i = 0; i < 200'000; ++i) many += ",1";
  CHECK(refusal_of_list(many).size() < 400);
  std::string names = "a0=1";
  for (int i = 1; i < 20'000; ++i) names += ",a" + std::to_string(i) + "=1";
  CHECK(parse_problems(names).front().size() == 20'000);
}

TEST_CASE("a file has one problem a line, comments and blank lines") {
  const auto given =
      parse_problem_file("\xEF\xBB\xBF# sizes\r\n\r\nn=1..2 # two\r\n  n=8,m=3\r\nT=\"a#b\"", "sizes.txt");
  std::string all;
  for (const GivenProblem& problem : given) all += problem.origin + " " + problem_text(problem.values) + "\n";
  CHECK(all == "sizes.txt:3 n=1\nsizes.txt:3 n=2\nsizes.txt:4 m=3,n=8\nsizes.txt:5 T=\"a#b\"\n");
}

TEST_CASE("a line of a file may say how much its problems count") {
  const auto given = parse_problem_file("n=1,2 weight 2.5  # often\nn=3\nname=weight\nn=4\tweight\t1e3\n", "sizes");
  REQUIRE(given.size() == 5);
  CHECK(given[0].weight == 2.5);
  CHECK(given[1].weight == 2.5);
  CHECK(problem_text(given[1].values) == "n=2");
  CHECK(given[2].weight == 1);
  CHECK(problem_text(given[3].values) == "name=weight");
  CHECK(given[4].weight == 1000);
  for (const char* bad : {"0", "-1", "nan", "inf", "much", "1x", "1e308", "1e-320", "1000001", "1e-7"}) {
    CAPTURE(bad);
    CHECK(contains(refusal_of_file(std::string("n=1 weight ") + bad), "is no number from 0.000001 to 1000000"));
  }
  CHECK(parse_problem_file("kind=bias, weight\nname= weight\n", "sizes").size() == 3);  // values, two and one
  CHECK(refusal_of_file("n=1 weight") ==
        "sizes.txt:1: Behind the last word of `n=1 weight` a number is missing; write, "
        "for example, n=1000 weight 2.5.");
}

TEST_CASE("what a file of problems cannot say is one sentence with its line") {
  CHECK(refusal_of_file("") == "sizes.txt has no problem; write one a line, for example rows=528,row_length=65536.");
  CHECK(contains(refusal_of_file("\n# n=1\n"), "has no problem"));
  CHECK(refusal_of_file("n=1\n\nten\n").starts_with("sizes.txt:3: The problem `ten` has a part `ten`"));
  CHECK(refusal_of_file("n=1..4 weight=3.5").starts_with("sizes.txt:1: The range `n=1..4 weight=3.5` is none"));
  CHECK(refusal_of_file("n=1..9000\nn=1..9000\n").starts_with("sizes.txt:2: The file has more than 10,000 problems"));
  CHECK(refusal_of_file(std::string("\0\1\2\xff\n", 5)) ==
        "sizes.txt is not a text; name a file with one problem a line.");
  const std::string long_line = refusal_of_file(std::string(1 << 20, 'n'));
  CHECK(long_line.size() < 1000);
}

TEST_CASE("mutated lists are read or refused, and what is read prints and reads back") {
  attack::Chance chance(20260115, "problems", 0);
  const std::vector<std::string> pieces{"n=",
                                        "m=",
                                        "1",
                                        "64",
                                        "..",
                                        ",",
                                        " x2",
                                        " +25",
                                        "1e3",
                                        "1<<20",
                                        "64K",
                                        "-",
                                        "\"",
                                        "\\",
                                        "true",
                                        "float",
                                        "=",
                                        " ",
                                        "x",
                                        "+",
                                        ".",
                                        "0x",
                                        "#",
                                        "\n",
                                        "9223372036854775807",
                                        "\xff",
                                        std::string(1, '\0')};
  std::size_t read = 0, refused = 0;
  while (read + refused < 20'000) {
    std::string text = chance.once_in(3) ? "" : "n=";
    for (std::size_t left = chance.below(12); left > 0; --left) text += chance.one_of(pieces);
    CAPTURE(text);
    try {
      for (const ProblemValues& problem : parse_problems(text)) {
        REQUIRE(parse_problem(problem_text(problem)) == problem);
        if (parse_problems(text).size() > 8) break;
      }
      ++read;
    } catch (const Error& error) {
      REQUIRE(error.code() == Errc::bad_problem);
      ++refused;
    }
    try {
      parse_problem_file(text, "fuzz");
    } catch (const Error& error) {
      REQUIRE(std::string(error.what()).starts_with("fuzz"));
    }
  }
  CHECK(read >= 1000);
  CHECK(refused >= 1000);
}
