#include <doctest/doctest.h>

#include <regex>

#include "tests/cli/program.hpp"

using namespace tuner::test;

namespace {

const Words kCommands{"tune",    "check",    "compare", "explain", "simulate", "list", "show", "report",
                      "forget",  "wanted",   "export",  "import",  "fleet",    "pull", "pack", "prune",
                      "recover", "describe", "new",     "devices", "doctor",   "help"};

const std::string kProgram = shell_word(TUNER_PROGRAM);

}  // namespace

TEST_CASE("--help lists every command and every exit code on standard output") {
  const Result result = User().run({"--help"});
  check_out(
      result, 0,
      {"  0  ", "  1  ", "  2  ", "  3  ", "  4  ", "  5  ", "  6  ", "  7  ", "  8  ", "  9  ", " 70  ", "130  "});
  CHECK(result.err.empty());
  for (const std::string& command : kCommands) CHECK(contains(result.out, "\n  " + command + " "));
  CHECK(longest_line(result.out) <= 100);
}

TEST_CASE("the help of every command has a purpose, two examples and its exit codes, and fits 100 columns") {
  const User user;
  for (const std::string& command : kCommands) {
    CAPTURE(command);
    const Result result = user.run({"help", command});
    check_out(result, 0, {"\n\nUsage: tuner " + command, "\nExit codes\n    0  done\n"});
    CHECK(result.err.empty());
    CHECK(lines(result.out.substr(0, result.out.find("\n\n") + 1)) == 2);
    const std::string examples = result.out.substr(result.out.find("\nExamples\n"));
    CHECK(lines(examples) >= 6);
    CHECK(longest_line(result.out) <= 100);
    CHECK(user.run({command, "--help"}).out == result.out);
    CHECK(user.run({"--help", command}).out == result.out);
  }
}

TEST_CASE("help lists the directives") {
  const Result result = User().run({"help", "directives"});
  check_out(result, 0,
            {"\nDirectives\n", "problem_constraint(n >= 1)", "; argument", "iota(0, 1)", "args(values, sums)"});
  CHECK(longest_line(result.out) <= 100);
  check_out(User().run({"--help"}), 0, {"tuner help directives"});
}

TEST_CASE("help prints manual pages, with the date that is asked for") {
  User user;
  user.environment["SOURCE_DATE_EPOCH"] = "86400";
  check_out(user.run({"help", "--man"}), 0, {".TH TUNER 1 \"1970-01-02\" \"tuner ", ".SH ENVIRONMENT\n"});
  check_out(user.run({"help", "tune", "--man"}), 0,
            {".TH TUNER\\-TUNE 1 ", "\n\\fB\\-\\-seed\\fR \\fIN\\fR\nrandom seed"});
  user.environment["SOURCE_DATE_EPOCH"] = "9000000000000000000";
  check_out(user.run({"help", "list", "--man"}), 0, {".TH TUNER\\-LIST 1 \"20"});
  check_error(user.run({"help", "directives", "--man"}), 2, {"`tuner help directives`"});
}

TEST_CASE("--version prints name and version") {
  const Result result = User().run({"--version"});
  CHECK(result.exit_code == 0);
  CHECK(std::regex_match(result.out, std::regex("tuner [0-9]+\\.[0-9]+\\.[0-9]+\n")));
}

TEST_CASE("a mistyped command or option is answered with the nearest one and exit code 2") {
  const User user;
  for (const auto& [words, hint] : std::vector<std::pair<Words, std::string>>{
           {{"lst"}, "Did you mean `tuner list`?"},
           {{"tune", "--probelm", "n=1"}, "Did you mean --problem?"},
           {{"tune", "--replay=x", "--strategy", "exhastive"}, "did you mean `exhaustive`?"},
           {{"tune", "--replay=x", "--strategy", "genetic"}, "use `model`"},
           {{"tune", "--replay=x", "--mode", "hot"}, "cold, warm"},
           {{"kernel.cu"}, "`tuner tune kernel.cu`"},
           {{"my $HOME kernel.cu"}, "`tuner tune 'my $HOME kernel.cu'`"},
           {{"(a)&b.cu"}, "`tuner tune '(a)&b.cu'`"},
           {{"help", "tunes"}, "Did you mean `tuner tune`?"},
           {{"--seed", "3", "tune"}, "must follow the command's name"},
           {{"list", "more"}, "Usage: tuner list"},
           {{"list", "--kernel"}, "needs a value"},
           {{"tune", "-I"}, ": -I needs a value"},
           {{"tune", "--replay=x", "--where", ""}, "--where needs a value"},
           {{"tune", "--replay=x", "--seed", "99999999999999999999"}, "from 0 to 18446744073709551615"},
           {{"list", "--json=1"}, "takes no value"},
           {{"list", "-=x"}, "has no option -"},
           {{"list", "---"}, "has no option ---"},
           {{"list", "---=x"}, "has no option ---"},
           {{"list", "--=x"}, ""},
           {{"-=x"}, "There is no option -"},
           {{"---", "list"}, "There is no option ---"},
           {{"tune", "x.cu", "--force"}, "add --record FILE"},
           {{"tune", "--seed", "1", "--seed", "2"}, "given twice"},
           {{"tune", "--replay=x", "--seed", "-1"}, ""},
           {{"tune", "--replay=x", "--seed", "12x"}, "whole number"},
           {{"tune", "--replay=x", "--workers", "0"}, "from 1 to"},
           {{"tune", "--replay=x", "--budget", "soon"}, "60s"},
           {{"tune", "--replay=x", "--launch-timeout", "2"}, "2s"},
           {{"tune", "--replay=x", "--no-times"}, "--json"},
           {{"tune", "--replay=x", "--record=y"}, "exclude each other"},
           {{}, "tuner --help"},
           {{"show"}, "tuner show prefetch"},
           {{"describe"}, "tuner describe kernel_sources"},
       }) {
    check_error(user.run(words), 2, {hint});
  }
}

// The program only sees its descriptors, so a shell has to redirect them.
TEST_CASE("output that cannot be written is an error, a reader that has seen enough is none") {
  const User user;
  const auto errors = [&] { return read_bytes(user.home() / "errors"); };
  CHECK(user.in_shell(kProgram + " --help > /dev/full 2> errors") == 1);
  CHECK(contains(errors(), "could not be written"));
  CHECK(user.in_shell(kProgram + " --help >&- 2> errors") == 1);
  CHECK(contains(errors(), "is it closed"));
  CHECK(user.in_shell("exec 3> >(exec true) && wait $! && exec " + kProgram + " help tune >&3 2> errors") == 0);
  CHECK(errors().empty());
}
