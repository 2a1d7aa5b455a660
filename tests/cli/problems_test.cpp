// Several problems in short form, where no GPU is needed to see what becomes of them.
#include <doctest/doctest.h>

#include <string>

#include "tests/cli/program.hpp"

using namespace tuner::test;

namespace {

const std::string kScaled = data_file("scale.cu");
const std::string kScaledRecording = data_file("scale.csv");

}  // namespace

TEST_CASE("a mistake in any of several problems is one sentence, with a GPU or without") {
  const User user;
  const auto refuses = [&](const std::string& problem, const Words& parts) {
    check_error(user.run({"tune", kScaled, "--problem", "n=4", "--problem", problem}), 2, parts);
  };
  refuses("n=1,many,3", {"The problem value n=many is not a number"});
  refuses("n=1..3,-1", {"n=-1 is a size and cannot be negative"});
  refuses("n=1..4,m=1", {"has no problem property `m`"});
  refuses("n=8..1", {"The range `n=8..1` ends below its beginning"});
  refuses("n=1..10000", {"There are more than 10,000 problems"});
  // Good ones are refused only because there is no GPU.
  check_error(user.run({"tune", kScaled, "--problem", "n=1..4,64..8192 x2"}), 3, {"driver", "--replay"});
}

TEST_CASE("a file of problems is read or refused in one sentence, damaged or not") {
  const User user;
  const auto refuses = [&](const std::string& text, const Words& parts) {
    user.folder().write("sizes.txt", text);
    check_error(user.run({"tune", kScaled, "--problems", "sizes.txt"}), 2, parts);
  };
  refuses("n=1\n# two\nm=2\n", {"tuner: sizes.txt:3: The kernel `scale` has no problem property `m`"});
  refuses("n=1 weight=3.5", {"tuner: sizes.txt:1: The problem value n=\"1 weight=3.5\" is not a number"});
  refuses("n=1\nn=64..8192 y2\n", {"tuner: sizes.txt:2: The range "});
  refuses("# none\n", {"sizes.txt has no problem"});
  refuses(std::string("n=1\0", 4), {"sizes.txt is not a text"});
  refuses(std::string((std::size_t{16} << 20U) + 1, '\n'), {"sizes.txt is larger than 16 MiB"});
  refuses(std::string(std::size_t{1} << 20U, 'n'), {"sizes.txt:1: ", "not NAME=VALUE"});
  check_error(user.run({"tune", kScaled, "--problems", "missing.txt"}), 2,
              {"The file of problems missing.txt does not exist"});
  check_error(user.run({"tune", kScaled, "--problems", "."}), 2, {". is a folder"});
  check_error(user.run({"tune", kScaled, "--problems", "/dev/zero"}), 2, {"is neither a file nor a pipe"});
  user.folder().write("sizes.txt", "\r\nn=1..3 # small ones\r\nn=64");
  check_error(user.run({"tune", kScaled, "--problems", "sizes.txt"}), 3, {"driver"});
}

TEST_CASE("what takes one problem refuses a list") {
  const User user;
  for (const Words& command : {Words{"describe", kScaled},
                               {"compare", kScaled, "@BLOCK=64"},
                               {"explain", kScaled},
                               {"forget", "scale"},
                               {"export", "some.db"}}) {
    check_error(user.run(joined(command, {"--problem", "n=1,2"})), 2, {"The problem `n=1,2` has several values"});
    check_error(user.run(joined(command, {"--problem", "n=1..2"})), 2, {"give one value for each name"});
  }
  check_error(user.run({"tune", "--replay", kScaledRecording, "--problem", "n=16777216,5"}), 2, {"one problem", "2"});
  user.folder().write("sizes.txt", "n=1,2\n");
  for (const Words& several : {Words{"--problem", "n=1,2"}, {"--problem", "n=1", "--problems", "sizes.txt"}})
    check_error(user.run(joined({"tune", kScaled, "--record", "new.csv"}, several)), 2, {"one problem to one file"});
}

TEST_CASE("a replay takes its one problem from a file, and prints no table of one") {
  const User user;
  user.folder().write("sizes.txt", "n=16M\n");
  const Result result = user.run({"tune", "--replay", kScaledRecording, "--problems", "sizes.txt"});
  check_out(result, 0, {"Winner"});
  CHECK_FALSE(contains(result.out, "winner's difference"));
}

TEST_CASE("check takes several problems in short form") {
  check_out(User().run({"check", kScaled, "--host", "--problem", "n=1,100", "--configurations", "1"}), 0,
            {"n=1", "n=100"});
}
