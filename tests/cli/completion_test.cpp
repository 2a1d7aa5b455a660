// What `tuner complete WORDS...` tells a shell. The shells themselves are tried by the scripts in tests/cli/shells.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/stored.hpp"

using namespace tuner::test;

namespace {

/// The answer, its words sorted and without what they mean. Whatever stands on a line, that is no failure.
Words answer(const User& user, const Words& line) {
  const Result result = user.run(joined({"complete"}, line));
  CAPTURE(result.command);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  Words words;
  std::istringstream lines(result.out);
  for (std::string word; std::getline(lines, word);) words.push_back(word.substr(0, word.find('\t')));
  REQUIRE_FALSE(words.empty());
  std::sort(words.begin() + 1, words.end());
  return words;
}

/// A user with a kernel file and two decisions.
struct Tuned : User {
  Tuned() {
    folder().write("scale.cu", read_bytes(data_file("scale.cu")));
    const auto database = open_database(*this);
    record(*database, decision_on_h200("scale", "n=1000"));
    record(*database, decision_on_h200("sum", "kind=fast,n=4096"));
  }
};

}  // namespace

TEST_CASE("commands, options and fixed values are completed from the tables of the help") {
  const User user;
  CHECK(answer(user, {"de"}) == Words{"words", "describe", "devices"});
  CHECK(answer(user, {"--js"}) == Words{"words", "--json"});
  CHECK(answer(user, {"--db", "x", "lis"}) == Words{"words", "list"});
  CHECK(answer(user, {"help", "dir"}) == Words{"words", "directives"});
  CHECK(answer(user, {"report", "-"}) == Words{"words", "--db", "--force", "--help", "--json", "--version", "-o"});
  CHECK(answer(user, {"fleet", "status", "--"}) ==
        Words{"words", "--help", "--json", "--queue", "--version", "--watch"});
  CHECK(answer(user, {"report", "--force", "--f"}) == Words{"words"});
  CHECK(answer(user, {"tune", "--problem", "n=1", "--problem"}) == Words{"words", "--problem", "--problems"});
  CHECK(answer(user, {"tune", "--mode", ""}) == Words{"words", "cold", "warm"});
  CHECK(answer(user, {"tune", "--mode=w"}) == Words{"words", "--mode=warm"});
  CHECK(answer(user, {"tune", "--if-busy", ""}) == Words{"words", "ignore", "leave", "wait"});
  CHECK(answer(user, {"forget", "--only", ""}) == Words{"words", "decisions", "quarantine", "trials"});
  CHECK(answer(user, {"simulate", "--strategy", "random,mo"}) == Words{"words", "random,model"});
  CHECK(answer(user, {"describe", "--device-name", "H2"}) == Words{"words", "H200"});
}

TEST_CASE("files and folders are left to the shell, where they are meant") {
  const User user;
  CHECK(answer(user, {"tune", ""}) == Words{"files"});
  CHECK(answer(user, {"tune", "--record="}) == Words{"files"});
  CHECK(answer(user, {"list", "--db", ""}) == Words{"files"});
  CHECK(answer(user, {"check", "-I", "in"}) == Words{"folders"});
  CHECK(answer(user, {"check", "-Iin"}) == Words{"folders"});
  CHECK(answer(user, {"pack", ""}) == Words{"folders"});
  CHECK(answer(user, {"tune", "--seed", ""}) == Words{"words"});
  CHECK(answer(user, {"doctor", "x"}) == Words{"words"});
}

TEST_CASE("the kernel file on the line tells problems, parameters, buffers and kernels") {
  const Tuned user;
  CHECK(answer(user, {"tune", "scale.cu", "--problem", ""}) == Words{"open", "n="});
  CHECK(answer(user, {"tune", "scale.cu", "--problem", "n="}) == Words{"open"});
  CHECK(answer(user, {"tune", "scale.cu", "--kernel", ""}) == Words{"words", "scale"});
  CHECK(answer(user, {"tune", "scale.cu", "--pad="}) == Words{"open", "--pad=x=", "--pad=y="});
  CHECK(answer(user, {"tune", "scale.cu", "--where", "BLOCK >= 64 && L"}) == Words{"open", "BLOCK >= 64 && LAYOUT"});
  CHECK(answer(user, {"check", "scale.cu", "--config", "BLOCK=64,"}) ==
        Words{"open", "BLOCK=64,LAYOUT=", "BLOCK=64,UNROLL="});
  CHECK(answer(user, {"check", "scale.cu", "--config", "BLOCK=64,UNROLL="}) ==
        Words{"open", "BLOCK=64,UNROLL=1", "BLOCK=64,UNROLL=2", "BLOCK=64,UNROLL=4"});
  CHECK(answer(user, {"explain", "scale.cu@LAYOUT=b"}) == Words{"open", "scale.cu@LAYOUT=blocked"});
  CHECK(answer(user, {"compare", "scale.cu@baseline", "@w"}) == Words{"open", "@winner"});
  CHECK(answer(user, {"explain", "scale.cu", "--against", "ba"}) == Words{"open", "baseline"});
}

TEST_CASE("the database tells kernels, numbers, GPUs and values of problems") {
  const Tuned user;
  CHECK(answer(user, {"show", ""}) == Words{"words", "1", "2", "scale", "sum"});
  CHECK(answer(user, {"report", "scale", "s"}) == Words{"words", "scale", "sum"});
  CHECK(answer(user, {"forget", "--device", ""}) == Words{"words", "NVIDIA H200"});
  CHECK(answer(user, {"forget", "sum", "--problem", ""}) == Words{"open", "kind=", "n="});
  CHECK(answer(user, {"forget", "sum", "--problem", "n="}) == Words{"open", "n=4096"});
  CHECK(answer(user, {"export", "--problem", "n="}) == Words{"open", "n=1000", "n=4096"});
  CHECK(answer(user, {"export", "--problem", "n=", "--db", "elsewhere"}) == Words{"files"});
  CHECK(answer(user, {"--db", "elsewhere", "show", ""}) == Words{"words"});
  CHECK(answer(user, {"compare", "1@B"}) == Words{"open", "1@BLOCK="});
  CHECK(answer(user, {"compare", "1@baseline", "@BLOCK="}) == Words{"open", "@BLOCK=256"});
  CHECK(answer(user, {"compare", "7@B"}) == Words{"open"});
  CHECK_FALSE(std::filesystem::exists(user.home() / "elsewhere"));
}

TEST_CASE("text of others that is no name on one line is not offered, and no answer steers a terminal") {
  const User user;
  const auto database = open_database(user);
  record(*database, decision_on_h200("red\x1b[31m", "n=1"));
  record(*database, decision_on_h200("two\nlines", "n=1"));
  record(*database, decision_on_h200("with\ttab", "n=1"));
  record(*database, decision_on_h200(std::string(100'000, 'x'), "n=1"));
  record(*database, decision_on_h200("plain", "n=\"\xe2\x80\xae\""));
  CHECK(answer(user, {"sizes", ""}) == Words{"words", "plain"});
  const Result all = user.run({"complete", "show", ""});
  CHECK(std::none_of(all.out.begin(), all.out.end(), [](char c) { return c < ' ' && c != '\n' && c != '\t'; }));
  CHECK_FALSE(contains(all.out, "\xe2\x80\xae"));
  CHECK(all.out.size() < 3000);
}

TEST_CASE("a line that makes no sense, and files that cannot be read, have no completions") {
  User user;
  for (const Words& line : {Words{},
                            {""},
                            {"-"},
                            {"--"},
                            {"--", ""},
                            {"nothing", "-"},
                            {"tune", "--nothing", "--mod"},
                            {"tune", "---", ""},
                            {"tune", "--=", "x"},
                            {"tune", "-", "--x=", "="},
                            {"show", "\xff\xfe"},
                            {"tune", "--problem"},
                            {"tune", "missing.cu", "--problem", "a=1,,=,b"},
                            {"tune", "-I"}}) {
    answer(user, line);
  }
  user.folder().write("broken.cu", "#pragma tuner kernel(");
  CHECK(answer(user, {"tune", "broken.cu", "--problem", ""}) == Words{"open"});
  REQUIRE(mkfifo((user.home() / "pipe.cu").c_str(), 0600) == 0);
  CHECK(answer(user, {"tune", "pipe.cu", "--problem", ""}) == Words{"open"});
  CHECK(answer(user, {"tune", ".", "--problem", ""}) == Words{"open"});
  user.folder().write("damaged.db", std::string(10'000, 'x'));
  CHECK(answer(user, {"--db", "damaged.db", "show", ""}) == Words{"words"});
  CHECK(answer(user, {"--db", "wrong", "show", ""}) == Words{"words"});
  user.environment.erase("HOME");
  CHECK(answer(user, {"show", ""}) == Words{"words"});
}
