#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "tests/cli/program.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

const std::string kWinner = "BLOCK=256,LAYOUT=strided,UNROLL=4";
const std::string kScaleBaseline = "BLOCK=128,LAYOUT=strided,UNROLL=1";

const std::string kRecording = data_file("scale.csv");
const std::string kKernel = data_file("scale.cu");

json report_of(const Result& result) {
  const json object = json::parse(result.out);
  REQUIRE(object["format"] == 1);
  REQUIRE(object["reports"].size() == 1);
  return object["reports"][0];
}

/// A recording so large that its replay takes seconds: a test can interrupt it.
std::string large_recording() {
  std::string text = "#space 1\n#kernel large\n#gpu NVIDIA H200\n#problem n=1\n";
  std::string values;
  for (int i = 0; i < 400; ++i) values += (i == 0 ? "" : ",") + std::to_string(i);
  text += "#param A " + values + "\n#param B " + values + "\n#baseline A=0,B=0\nA,B,status,time_ms\n";
  for (int a = 0; a < 400; ++a) {
    for (int b = 0; b < 400; ++b) {
      text += std::to_string(a) + "," + std::to_string(b) + ",ok," + std::to_string(1000 - a - b) + ".5\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a replay of a kernel that takes a structure by value makes none") {
  const User user;
  std::string text = read_bytes(kKernel);
  text.replace(text.find("scalar(n, int32)"), 16, "scalar(n, int32) value(by, int2, n, 2)");
  text.replace(text.find("float* y, int n"), 15, "float* y, int n, int2 by");
  const std::string kernel = user.folder().write("scale.cu", text);
  check_out(user.run({"tune", kernel, "--replay", kRecording}), 0, {"BLOCK=256 LAYOUT=strided UNROLL=4"});
}

TEST_CASE("a replay finds the recorded winner, says what it replayed, and stores in replay.db") {
  const User user;
  const Result result = user.run({"tune", "--replay", kRecording});
  const std::string replays = user.data() / "replay.db";
  check_out(result, 0,
            {"BLOCK=256 LAYOUT=strided UNROLL=4", "nothing was compiled or launched", "scale.csv",
             "recorded on NVIDIA H200 at 2025-03-01T12:30:00Z", replays});
  CHECK(result.err.empty());
  CHECK(!std::filesystem::exists(user.data() / "decisions.db"));

  const Result served = user.run({"list"});
  check_out(served, 0);
  CHECK(served.out.empty());
  check_out(user.run({"list", "--db", replays}), 0, {"scale"});
}

TEST_CASE("the JSON of a replay has the winner, its speed-up with an interval, failures and counters") {
  const json report = report_of(User().run({"--json", "tune", "--replay", kRecording}));
  CHECK(report["winner"]["configuration"] == kWinner);
  CHECK(report["baseline"]["configuration"] == kScaleBaseline);
  CHECK(report["speedup"]["low"] > 1.3);
  CHECK(report["speedup"]["low"] < report["speedup"]["ratio"]);
  CHECK(report["speedup"]["ratio"] < report["speedup"]["high"]);
  CHECK(report["replayed"] == true);
  CHECK(report["space_size"] == 22);
  CHECK(report["counters"]["asked"] == 22);
  CHECK(report["counters"]["stored"] == 22);
  CHECK(report["counters"]["failed_wrong_result"] == 2);
  CHECK(report["failures"].size() == 2);
}

TEST_CASE("whoever says what a gain is worth is warned where that decides nothing") {
  const User user;
  const Words replay{"tune", "--replay", kRecording, "--percent-worth", "8s"};
  for (const Words& all : {Words{}, {"--effort", "full"}, {"--effort", "quick", "--budget", "9"}})
    check_err(user.run(joined(replay, all)), 0, {"--percent-worth has no effect on this search"});
  for (const std::string effort : {"quick", "normal"})
    CHECK(user.run(joined(replay, {"--effort", effort})).err.empty());
}

TEST_CASE("two replays with the same seed print the same bytes, whatever the folders") {
  const User one;
  const User other;
  const Words words{"tune",   "--replay", kRecording, "--seed", "5",         "--strategy",
                    "random", "--budget", "12",       "--json", "--no-times"};
  const Result first = one.run(words);
  check_out(first, 0);
  CHECK(first.out == other.run(words).out);
  CHECK(first.out == one.run(words).out);
  CHECK(json::parse(first.out)["reports"][0]["counters"]["asked"] == 12);
}

TEST_CASE(
    "the recording that is shipped replays to its recorded winner, whatever the seed, the same seed to the byte") {
  const std::string shipped = (std::filesystem::path(TUNER_RECORDINGS) / "prefetch__H200.csv").string();
  std::smatch winner;
  const std::string text = read_bytes(shipped);
  REQUIRE(std::regex_search(text, winner, std::regex("#winner (.*)")));
  for (const std::string seed : {"0", "11", "12"}) {
    const User first, second;
    const Words arguments{"tune", "--replay", shipped, "--strategy", "random", "--seed", seed, "--json", "--no-times"};
    const Result result = first.run(arguments);
    REQUIRE(result.exit_code == 0);
    CHECK(report_of(result)["winner"]["configuration"] == winner[1].str());
    CHECK(report_of(result)["counters"]["asked"] == 708);
    CHECK(second.run(arguments).out == result.out);
  }
}

TEST_CASE("rules that stop a search combine, and the report names the one that was met") {
  const auto stopped = [](const Words& rules) {
    const json report =
        report_of(User().run(joined({"--json", "tune", "--replay", kRecording, "--strategy", "random"}, rules)));
    CHECK(report["interrupted"] == false);
    CHECK(report["winner"].is_object());
    return report;
  };
  const json by_share = stopped({"--budget", "12,60min", "--budget", "50%"});
  CHECK(by_share["counters"]["asked"] == 11);
  CHECK(by_share["stopped_because"] == "50 % of the space, 11 configurations, were tried");
  CHECK(by_share["budget"]["configurations"] == 12);
  CHECK(by_share["budget"]["share"] == 0.5);
  CHECK(contains(stopped({"--stop-at", "1.01x"})["stopped_because"], "times as fast as the baseline"));
  CHECK(contains(stopped({"--stop-at", "10s", "--budget", "20"})["stopped_because"], "10.00 s are enough"));
  CHECK(
      contains(stopped({"--stop-after-idle", "2", "--budget", "20"})["stopped_because"], "2 configurations in a row"));
  CHECK(stopped({"--stop-when-gain-below", "2%"})["stopped_because"].is_null());  // 22 are too few to say
}

TEST_CASE("what no rule can be made of is refused in a sentence, and so is a warm start of a replay") {
  for (const auto& [words, hint] :
       std::vector<std::pair<Words, std::string>>{{{"--budget", "200%"}, "10%"},
                                                  {{"--budget", "5", "--budget", "6"}, "twice"},
                                                  {{"--stop-at", "fast"}, "1.5x"},
                                                  {{"--stop-after-idle", "0"}, "whole number of 1 or more"},
                                                  {{"--stop-when-gain-below", "little"}, "2%"},
                                                  {{"--no-warm-start"}, "has no effect on a replay"},
                                                  {{"--no-source"}, "has no effect on a replay"}}) {
    check_error(User().run(joined({"tune", "--replay", kRecording}, words)), 2, {hint});
  }
}

TEST_CASE("--where leaves out recorded configurations") {
  const json report = report_of(User().run({"tune", "--replay", kRecording, "--where", "BLOCK <= 128", "--json"}));
  CHECK(report["space_size"] == 12);
  CHECK(report["winner"]["configuration"] == "BLOCK=128,LAYOUT=strided,UNROLL=4");
}

TEST_CASE("a file of another version than the recorded one is a warning, the same version is none") {
  const User user;
  const Result other = user.run({"tune", kKernel, "--replay", kRecording, "--problem", "n=16777216"});
  check_err(other, 0, {"tuner: warning: "});
  check_out(other, 0, {"Warning: "});

  // `describe` prints the identity that a recording of this very file would carry.
  const std::string description = user.run({"describe", kKernel, "--problem", "n=16777216"}).out;
  std::smatch match;
  REQUIRE(std::regex_search(description, match, std::regex("// identity +([^\n]+(\n//  +[^\n]+)*)\n")));
  const std::string identity = std::regex_replace(match[1].str(), std::regex("\n// *"), "");
  const std::string text = std::regex_replace(read_bytes(kRecording), std::regex("#kernel scale\n"),
                                              "#kernel scale\n#identity " + identity + "\n");
  user.folder().write("same.csv", text);
  const Result same = user.run({"tune", kKernel, "--replay", "same.csv"});
  check_out(same, 0);
  CHECK(same.err.empty());

  user.folder().write("changed.csv", std::regex_replace(text, std::regex("#identity (.*)"), "#identity $1x"));
  CHECK(contains(user.run({"tune", kKernel, "--replay", "changed.csv"}).err, "another version"));
}

TEST_CASE("a database that cannot be written is one warning, and the winner is printed all the same") {
  const User user;
  user.folder().write("file", "a file, no folder");
  const Result result = user.run({"tune", "--replay", kRecording, "--db", "file/tuner"});
  check_out(result, 0, {"BLOCK=256 LAYOUT=strided UNROLL=4", "Not stored"});
  check_err(result, 0, {"not stored"});
  CHECK(lines(result.err) == 1);
  CHECK(read_bytes(user.home() / "file") == "a file, no folder");
}

TEST_CASE("without any home folder the winner is printed all the same") {
  User user;
  user.environment.erase("HOME");
  const Result result = user.run({"tune", "--replay", kRecording});
  check_err(result, 0, {"TUNER_DB"});
  check_out(result, 0, {"BLOCK=256 LAYOUT=strided UNROLL=4"});
}

TEST_CASE("every candidate failed: no winner, exit code 1") {
  const User user;
  std::string text = std::regex_replace(read_bytes(kRecording), std::regex(",ok,[^\n]*"),
                                        ",launch_refused,,,1,0,0,,,,,,,,,,,,,too large");
  user.folder().write("failed.csv", text);
  check_out(user.run({"tune", "--replay", "failed.csv"}), 1, {"No winner", "launch_refused"});
}

TEST_CASE("a recording without samples has a speed-up whose uncertainty is said not to be known") {
  const User user;
  user.folder().write("plain.csv",
                      "#space 1\n#kernel f\n#gpu NVIDIA H200\n#param A 1,2\nA,status,time_ms\n1,ok,2.0\n2,ok,1.0\n");
  const json report = report_of(user.run({"tune", "--replay", "plain.csv", "--json"}));
  CHECK(report["winner"]["configuration"] == "A=2");
  CHECK(report["speedup"]["ratio"] == 2.0);
  CHECK(report["speedup"]["low"].is_null());
  CHECK(report["finalists"][1]["relative_low"].is_null());
  const Result text = user.run({"tune", "--replay", "plain.csv"});
  check_out(text, 0, {"uncertainty is unknown"});
  CHECK(!contains(text.out, "confidence"));
}

TEST_CASE("a terminal sees a progress line that is erased, and colour only without NO_COLOR") {
  User user;
  const auto tuned = [&] { return Running(user, {"tune", "--replay", kRecording}, Terminal::error).finish(); };
  const Result coloured = tuned();
  check_err(coloured, 0, {"\r\x1b[K", "\x1b[36m", "searching"});
  CHECK(coloured.err.rfind("\r\x1b[K") == coloured.err.size() - 4);
  CHECK(!contains(coloured.out, "\x1b"));

  user.environment["NO_COLOR"] = "1";
  const Result plain = tuned();
  check_err(plain, 0, {"searching"});
  CHECK(!contains(plain.err, "\x1b[36m"));

  user.environment["TERM"] = "dumb";
  CHECK(tuned().err.empty());
}

TEST_CASE("Ctrl-C keeps what was measured, prints the best of it and returns 130") {
  const User user;
  user.folder().write("large.csv", large_recording());
  const std::filesystem::path database = user.data() / "replay.db";
  Running running(user, {"tune", "--replay", "large.csv", "--json"});
  // The first rows are committed a quarter of a second after the session begins.
  while (!running.ended() && (!std::filesystem::exists(database) || std::filesystem::file_size(database) < 200'000)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  REQUIRE_MESSAGE(!running.ended(), "the replay was over before it could be interrupted");
  running.signal(SIGINT);
  const Result result = running.finish();
  CHECK(result.exit_code == 130);
  const json report = report_of(result);
  CHECK(report["interrupted"] == true);
  CHECK(report["winner"]["configuration"].is_string());
  CHECK(report["counters"]["stored"] > 0);
  CHECK(report["counters"]["stored"] < 160'000);
}
