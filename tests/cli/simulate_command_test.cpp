#include <doctest/doctest.h>
#include <signal.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

/// A bowl with its lowest point at WIDTH=32, DEPTH=4; DEPTH=7 does not compile, and of MODE nothing depends.
std::string bowl(const std::string& columns = ",rel_sd,compile_ms,bench_ms",
                 const std::string& values = ",0.02,300,20") {
  std::string text =
      "#space 1\n#kernel bowl\n#gpu NVIDIA H200\n#param WIDTH 1,2,4,8,16,32,64,128\n#param DEPTH 1,2,3,4,5,6,7,8\n"
      "#param MODE plain,fast\n#restriction WIDTH * DEPTH <= 512 and not (MODE == fast and WIDTH == 1)\n"
      "WIDTH,DEPTH,MODE,status,time_ms" +
      columns + "\n";
  for (int w = 0; w < 8; ++w) {
    for (int d = 1; d <= 8; ++d) {
      for (const char* mode : {"plain", "fast"}) {
        if ((1 << w) * d > 512 || (w == 0 && std::string(mode) == "fast")) continue;
        const double time = 1 + 0.1 * (w - 5) * (w - 5) + 0.05 * (d - 4) * (d - 4);
        text += std::to_string(1 << w) + "," + std::to_string(d) + "," + mode +
                (d == 7 ? ",compile_error," : ",ok," + std::to_string(time)) + values + "\n";
      }
    }
  }
  return text;
}

json simulated(const User& user, const Words& words) {
  const Result result = user.run(joined({"simulate", "--json"}, words));
  CHECK(result.err == "");
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

/// All that does not depend on how busy the machine is.
json without_cpu(json object) {
  for (json& strategy : object["strategies"]) {
    strategy["mean"].erase("suggestion_us");
    for (json& space : strategy["spaces"]) space.erase("suggestion_us");
  }
  return object;
}

const json& mean(const json& object, std::size_t strategy = 0) {
  return object["strategies"][strategy]["mean"];
}

}  // namespace

TEST_CASE("strategies are scored on every recording, in one table with the mean") {
  const User user;
  user.folder().write("one.csv", bowl());
  user.folder().write("two.csv", bowl());
  const Result result = user.run({"simulate", "one.csv", "two.csv", "--strategy", "random,model", "--repeats", "3"});
  check_out(result, 0,
            {"2 recordings, 3 runs each, 200 evaluations, seed 0", "score_f200", "\nrandom\n  one ", "\nmodel\n  one ",
             "\n  two ", "\nmean of 2\n  random ", "\n  model "});
  CHECK(result.err.empty());
}

TEST_CASE("the error of a score from a single run was said to be nothing") {
  const User user;
  user.folder().write("one.csv", bowl());
  check_out(user.run({"simulate", "one.csv", "--repeats", "1"}), 0,
            {"standard error of its mean: unknown, from one run"});
}

TEST_CASE("the JSON has curves, their marks, standard errors and what is known of the space") {
  const User user;
  user.folder().write("bowl.csv", bowl());
  const json object = simulated(user, {"bowl.csv", "--strategy", "random", "--strategy", "model", "--repeats", "40",
                                       "--budget", "60", "--seed", "2"});
  CHECK(object["format"] == 1);
  CHECK(object["budget"] == 60);
  CHECK(object["promising"].is_null());
  const json& space = object["spaces"][0];
  CHECK(space["name"] == "bowl");
  CHECK(space["device"] == "NVIDIA H200");
  CHECK(space["rows"] == 112);
  CHECK(space["valid_rows"] == 99);
  CHECK(space["optimum_us"].get<double>() == doctest::Approx(1000));
  CHECK(space["unit_s"].is_null());
  CHECK(space["random_fractions"].size() == 60);
  REQUIRE(object["strategies"].size() == 2);
  const json& random = mean(object, 0);
  CHECK(random["fractions"].size() == 60);
  REQUIRE(random["at"].size() == 2);  // 100 and 200 lie beyond the budget
  CHECK(random["at"][1]["evaluations"] == 50);
  CHECK(random["at"][1]["fraction"]["mean"] == random["fractions"][49]);
  CHECK(std::abs(random["score"]["mean"].get<double>()) < 4 * random["score"]["standard_error"].get<double>());
  CHECK(std::abs(random["fractions"][9].get<double>() - space["random_fractions"][9].get<double>()) < 0.05);
  CHECK(mean(object, 1)["score"]["mean"] > 0.2);
  CHECK(mean(object, 1)["suggestion_us"]["p99"] >= mean(object, 1)["suggestion_us"]["mean"]);
}

TEST_CASE("scores depend on the seed, and neither on threads nor on what else is simulated") {
  const User user;
  user.folder().write("one.csv", bowl());
  user.folder().write("two.csv", bowl(",compile_ms", ",1"));
  const auto with = [&](const Words& more) {
    return without_cpu(simulated(user, joined({"one.csv", "--strategy", "model", "--repeats", "9"}, more)));
  };
  const json one = with({"--workers", "1"});
  CHECK(with({"--workers", "4"}) == one);
  CHECK(with({"--seed", "1"})["strategies"] != one["strategies"]);
  const json more =
      without_cpu(simulated(user, {"two.csv", "one.csv", "--strategy", "random,model", "--repeats", "9"}));
  CHECK(more["strategies"][1]["spaces"][1] == one["strategies"][0]["spaces"][0]);
}

TEST_CASE("--batch, --noise and --permute change the search, not what it is judged by") {
  const User user;
  user.folder().write("bowl.csv", bowl());
  const Words words{"bowl.csv", "--strategy", "model", "--repeats", "30", "--budget", "60"};
  const json plain = simulated(user, words);
  for (const Words& options : {Words{"--batch", "8"}, {"--noise"}, {"--permute"}}) {
    CAPTURE(options[0]);
    const json other = simulated(user, joined(words, options));
    CHECK(other["spaces"] == plain["spaces"]);
    CHECK(mean(other)["fractions"] != mean(plain)["fractions"]);
    CHECK(std::abs(mean(other)["score"]["mean"].get<double>() - mean(plain)["score"]["mean"].get<double>()) < 0.3);
  }
}

TEST_CASE(
    "--cost seconds counts in units of the mean row's time, and rows without times cost what the middle row does") {
  const User user;
  std::string text = "#space 1\n#kernel f\n#gpu X1\n#param A 1,2,3,4\nA,status,time_ms,compile_ms,verify_ms,bench_ms\n";
  user.folder().write("costs.csv", text + "1,ok,4,1000,500,500\n2,ok,2,900,50,50\n3,ok,1,,,\n4,ok,8,3000,0,1000\n");
  const json object = simulated(
      user, {"costs.csv", "--strategy", "exhaustive", "--cost", "seconds", "--budget", "4", "--repeats", "1"});
  CHECK(object["cost"] == "seconds");
  // 2, 1, 2 (the middle of 1, 2 and 4) and 4 seconds: 2.25 in the mean; done after 0.89, 1.33, 2.22 and 4 units.
  CHECK(object["spaces"][0]["unit_s"].get<double>() == doctest::Approx(2.25));
  CHECK(mean(object)["fractions"] == json({0.25, 0.5, 1.0, 1.0}));
  user.folder().write("none.csv", "#space 1\n#kernel f\n#gpu X1\n#param A 1,2\nA,status,time_ms\n1,ok,4\n2,ok,1\n");
  check_error(user.run({"simulate", "none.csv", "--cost", "seconds"}), 2, {"has no times for compiling and timing"});
  check_error(user.run({"simulate", "none.csv", "--noise"}), 2, {"rel_sd"});
}

TEST_CASE("--promising hands over the best or worst rows of another recording, whatever its columns' order") {
  const User user;
  user.folder().write("bowl.csv", bowl());
  // Columns in another order, one value that the bowl does not have, one row that it excludes, one failure.
  user.folder().write(
      "other.csv",
      "#space 1\n#kernel bowl\n#gpu NVIDIA A100\n#param MODE fast,slow\n#param DEPTH 4,5\n#param WIDTH "
      "1,32\n#restriction WIDTH == 32 or DEPTH == 4\nMODE,DEPTH,WIDTH,status,time_ms\n"
      "fast,4,1,ok,0.5\nfast,4,32,ok,1\nfast,5,32,ok,9\nslow,4,1,run_error,\nslow,4,32,ok,2\nslow,5,32,ok,3\n");
  const auto with = [&](const Words& more) {
    return simulated(user, joined({"bowl.csv", "--strategy", "random", "--repeats", "5", "--budget", "30"}, more));
  };
  const json best = with({"--promising", "other.csv"});
  CHECK(best["promising"] == json({{"file", "other.csv"}, {"rows", "best"}, {"count", 5}}));
  CHECK(best["spaces"][0]["promising"] == 2);
  CHECK(mean(best)["fractions"][0] == 1.0);  // WIDTH=32, DEPTH=4 is the optimum
  CHECK(with({"--promising", "other.csv", "--permute"})["strategies"][0]["mean"]["fractions"][0] == 1.0);
  const json worst = with({"--promising", "other.csv:worst", "--promising-count", "1"});
  CHECK(worst["spaces"][0]["promising"] == 1);
  CHECK(mean(worst)["fractions"][0].get<double>() == doctest::Approx(1 / 1.05));  // WIDTH=32, DEPTH=5
  const json itself = with({"--promising", "bowl.csv:best", "--promising-count", "3"});
  CHECK(itself["spaces"][0]["promising"] == 3);
  CHECK(mean(itself)["fractions"][0] == 1.0);
}

TEST_CASE("the recording that comes with the kernels can be simulated") {
  const std::string shipped = (std::filesystem::path(TUNER_RECORDINGS) / "prefetch__H200.csv").string();
  const json object = simulated(User(), {shipped, "--repeats", "5", "--permute", "--noise"});
  CHECK(object["spaces"][0]["rows"] == 708);
  CHECK(mean(object)["fractions"][199] > 0.95);
}

TEST_CASE("what cannot be simulated is one sentence and exit code 2") {
  const User user;
  user.folder().write("bowl.csv", bowl());
  user.folder().write("text.csv", "a,b\n1,2\n");
  user.folder().write("failed.csv", "#space 1\n#kernel f\n#gpu X1\n#param A 1\nA,status,time_ms\n1,compile_error,\n");
  for (const auto& [words, hint] :
       std::vector<std::pair<Words, std::string>>{{{}, "needs a recorded space"},
                                                  {{"nofile.csv"}, "nofile.csv does not exist"},
                                                  {{"text.csv"}, "text.csv:1: it does not start with"},
                                                  {{"failed.csv"}, "Every configuration in failed.csv failed"},
                                                  {{"bowl.csv", "--budget", "0"}, "from 1 to"},
                                                  {{"bowl.csv", "--strategy", "randm"}, "did you mean `random`?"},
                                                  {{"bowl.csv", "--strategy", "random,"}, "known: auto"},
                                                  {{"bowl.csv", "--cost", "time"}, "evaluations, seconds"},
                                                  {{"bowl.csv", "--promising", "nofile.csv"}, "nofile.csv"},
                                                  {{"bowl.csv", "--promising-count", "2"}, "--promising"}}) {
    check_error(user.run(joined({"simulate"}, words)), 2, {hint});
  }
}

TEST_CASE("Ctrl-C ends a simulation without scores and with 130") {
  const User user;
  user.folder().write("bowl.csv", bowl());
  Running running(user, {"simulate", "bowl.csv", "--repeats", "100000", "--strategy", "model", "--workers", "1"},
                  Terminal::error);
  REQUIRE(running.says("of 100000 runs"));
  running.signal(SIGINT);
  const Result result = running.finish();
  check_err(result, 130, {"of 100000 runs", "no score"});
  CHECK(result.out.empty());
}
