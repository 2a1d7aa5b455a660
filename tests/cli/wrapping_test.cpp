#include <doctest/doctest.h>

#include <sstream>

#include "tests/cli/program.hpp"

using namespace tuner::test;

namespace {

/// A user who keeps recording and databases in a folder whose path is long and has spaces.
struct LongPath {
  User user;
  std::string folder =
      (user.home() / ("a folder " + std::string(60, 'x') + " and more") / std::string(60, 'y')).string();
  std::string recording = folder + "/scale, the recording.csv";

  LongPath() {
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(data_file("scale.csv"), recording);
  }
  Result piped(const Words& words) const { return user.run(joined(words, {"--db", folder})); }
  Result on_terminal(const Words& words, unsigned short columns) const {
    return Running(user, joined(words, {"--db", folder}), Terminal::output, columns).finish();
  }
  Words tune() const { return {"tune", "--replay", recording}; }
};

/// Of the lines that may be wrapped: not those with a path or the name of a device or source, nor what failures said.
std::size_t longest_line(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    bool whole = contains(line, path);
    for (const char* part : {"  device  ", "  source  ", "  compile_error  ", "  wrong_result  "}) {
      whole = whole || contains(line, part);
    }
    if (!whole) longest = std::max(longest, line.size());
  }
  return longest;
}

}  // namespace

TEST_CASE("a report was wrapped inside the path of its recording and database, and inside phrases") {
  const LongPath place;
  const Result result = place.piped(place.tune());
  check_out(result, 0,
            {"  replayed   " + place.recording + ", recorded on NVIDIA H200 at ",
             "; nothing was compiled or launched here\n", "\nStored in " + place.folder + "/replay.db\n"});
  CHECK(result.err.empty());
}

TEST_CASE("doctor wrapped the paths of databases") {
  const LongPath place;
  REQUIRE(place.piped(place.tune()).exit_code == 0);
  for (const bool terminal : {false, true}) {
    const Result result = terminal ? place.on_terminal({"doctor"}, 60) : place.piped({"doctor"});
    check_has(result.out, {place.folder + "/decisions.db: does not exist yet; the first `tuner tune` creates it\n",
                           place.folder + "/replay.db with 1 decision\n"});
  }
}

TEST_CASE("on a terminal lines are as long as it is wide, but no more than 100 columns, and paths stay whole") {
  const LongPath place;
  for (const auto& [columns, widest] : {std::pair<unsigned short, std::size_t>{80, 80}, {200, 100}, {0, 100}}) {
    CAPTURE(columns);
    const Result result = place.on_terminal(place.tune(), columns);
    check_out(result, 0, {place.recording + ",", "\nStored in " + place.folder + "/replay.db\n"});
    const std::size_t longest = longest_line(result.out, place.folder);
    CHECK(longest <= widest);
    CHECK(longest + 30 > widest);
  }
}

TEST_CASE("what is stored is listed and shown in lines as wide as the terminal, elsewhere in one line each") {
  const LongPath place;
  REQUIRE(place.piped(place.tune()).exit_code == 0);
  const Words show{"show", "scale", "--db", place.folder + "/replay.db"};
  check_out(place.user.run(show), 0,
            {"  speed-up   1.436x (1.431-1.442) over the baseline's 129.3 us, 99.73 % confidence, 4 paired samples\n"});
  const Result shown = Running(place.user, show, Terminal::output, 70).finish();
  CHECK_FALSE(contains(shown.out, "99.73 % confidence, 4 paired samples\n"));
  CHECK(longest_line(shown.out, place.folder) <= 70);
}

TEST_CASE("help is the same on a terminal and elsewhere") {
  const User user;
  for (const char* command : {"tune", "export"}) {
    const std::string help = user.run({"help", command}).out;
    CHECK(Running(user, {"help", command}, Terminal::output, 60).finish().out == help);
  }
}

TEST_CASE("errors and warnings are not wrapped, on a terminal neither") {
  const LongPath place;
  const std::string missing = place.folder + "/not there.csv";
  check_error(Running(place.user, {"tune", "--replay", missing}, Terminal::error, 60).finish(), 2, {missing});
}
