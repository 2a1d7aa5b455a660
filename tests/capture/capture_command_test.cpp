// The real program, around one with the fake driver and a fake CUPTI.
#include "tests/cli/program.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>

using namespace tuner::test;

namespace {

struct UserWithGpu : User {
  UserWithGpu() {
    environment["TUNER_DRIVER"] = TUNER_FAKE_DRIVER;
    environment["TUNER_CUPTI"] = TUNER_FAKE_CUPTI_FILE;
  }
};

/// `tuner capture OPTIONS -- PROGRAM WORDS`.
Result capture(const Words& options, const Words& words) {
  Words arguments = joined({"capture"}, options);
  arguments = joined(arguments, {"--", TUNER_CAPTURED_PROGRAM});
  return UserWithGpu().run(joined(arguments, words));
}

}  // namespace

TEST_CASE("a profile is printed below what the program prints") {
  const Result result = capture({}, {"print", "launch", "settle"});
  check_out(result, 0,
            {"printed\n3 kernels, 8 launches: 32.00 us of GPU time in ", "Kernels\n",
             "62.5 %         4  5.000 us  40.0 %         40    1024           yes      scale<float>\n", "CUB ",
             "Launch shapes\n", "56.2 %         3  6.000 us   0.0 %  64    256        512  scale<float>\n"});
}

TEST_CASE("with --json standard output has nothing but the profile") {
  const Result result = capture({"--json"}, {"print", "launch", "settle"});
  check_out(result, 0);
  CHECK(contains(result.err, "printed\n"));
  const auto profile = nlohmann::json::parse(result.out);
  CHECK(profile["launches"] == 8);
  CHECK(profile["exit_code"] == 0);
  CHECK(profile["complete"].is_boolean());
  const auto& kernel = profile["kernels"][0];
  CHECK(kernel["kernel"] == "scale<float>");
  CHECK(kernel["mangled"] == "_Z5scaleIfEvPT_i");
  CHECK(kernel["library"].is_null());
  CHECK(kernel["capture"] == true);
  CHECK(kernel["share"] == doctest::Approx(0.625));
  CHECK(kernel["shapes"][0]["grid"] == nlohmann::json({64, 1, 1}));
  CHECK(kernel["shapes"][0]["mean_us"] == doctest::Approx(6));
  CHECK(profile["kernels"][2]["library"] == "CUB");
}

TEST_CASE("the exit code of capture is the program's, unless no kernel was seen") {
  CHECK(capture({}, {"launch", "settle", "three"}).exit_code == 3);
  CHECK(capture({}, {"launch", "die"}).exit_code == 128 + 9);
  CHECK(capture({"--stop", "1"}, {"launch", "long"}).exit_code == 0);
  CHECK(capture({"--stop", "1s"}, {"long"}).exit_code == 1);
  check_out(capture({}, {"print"}), 1, {"No use of CUDA was seen"});
}

TEST_CASE("a program that ends at once leaves a warning that its last launches may be missing") {
  const Result result = capture({}, {"launch", "settle", "_exit"});
  CHECK(result.exit_code == 3);
  check_has(result.out, {"scale<float>"});
  check_has(result.err, {"tuner: warning: The program ended without its exit handlers"});
}

TEST_CASE("a program that uses CUPTI itself leaves one sentence") {
  const Result result = capture({}, {"subscribe", "launch"});
  CHECK(result.exit_code == 1);
  check_has(result.err, {"tuner: warning: Kernels cannot be seen, because the program, or a tool that watches it"});
}

TEST_CASE("what cannot be asked of capture is one sentence") {
  const User user;
  check_error(user.run({"capture"}), 2, {"needs a program to run"});
  check_error(user.run({"capture", "--", "/nowhere/program"}), 2, {"/nowhere/program could not be started"});
  check_error(user.run({"capture", "--stop", "soon", "--", "true"}), 2, {"--stop needs a duration", "`soon`"});
  check_error(user.run({"capture", "--stop", "0", "--", "true"}), 2, {"--stop needs a whole number"});
}

TEST_CASE("options behind the two dashes are the program's") {
  check_out(UserWithGpu().run({"capture", "--json", "--", "sh", "-c", "exit 5", "--help", "--stop", "x"}), 5,
            {"\"--help\""});
}

TEST_CASE("an interrupted capture prints what was seen") {
  const UserWithGpu user;
  Running running(user, {"capture", "--json", "--", TUNER_CAPTURED_PROGRAM, "launch", "settle", "tell", "long"});
  REQUIRE(running.says("settled"));
  running.signal(2);
  const Result result = running.finish();
  CHECK(result.exit_code == 130);
  CHECK(contains(result.out, "scale<float>"));
}

TEST_CASE("launches of a kernel are stored in a folder that show prints") {
  const UserWithGpu user;
  const Words command{"capture", "--randomise",          "--json", "--kernel", "adds", "-o", "adds.capture",
                      "--",      TUNER_CAPTURED_PROGRAM, "adds"};
  const Result result = user.run(command);
  check_out(result, 0);
  const auto stored = nlohmann::json::parse(result.out)["stored"];
  CHECK(stored["folder"] == "adds.capture");
  CHECK(stored["launches"] == 1);
  check_out(user.run({"show", "./adds.capture"}), 0, {"adds(int*, int const*, int)", "capture_test_program"});
  check_error(user.run(command), 2, {"adds.capture"});  // it is there, and nothing in it is lost
  check_out(user.run({"show", "./adds.capture"}), 0);
}

TEST_CASE("words that may be pointers to memory that is not stored are a warning, and show repeats it") {
  const UserWithGpu user;
  const std::string words = "1 word of its allocations may be pointers to managed memory (cudaMallocManaged)";
  const Result result = user.run(
      {"capture", "--randomise", "--kernel", "adds", "-o", "c", "--", TUNER_CAPTURED_PROGRAM, "pointer_to_managed"});
  CHECK(result.exit_code == 0);
  check_has(result.err, {"tuner: warning: A stored launch may lack memory: " + words});
  check_has(user.run({"show", "./c"}).out, {words});
}

TEST_CASE("what cannot be stored is one sentence, and leaves no folder") {
  const UserWithGpu user;
  const auto storing = [&](const Words& options, const std::string& word) {
    return user.run(
        joined(joined({"capture", "--randomise", "--json"}, options), {"--", TUNER_CAPTURED_PROGRAM, word}));
  };
  check_has(storing({"--kernel", "absent"}, "adds").err, {"The program launched no kernel `absent`", "adds"});
  check_has(storing({"--kernel", "adds", "--launches", "1000"}, "adds").err, {"did not launch it so often"});
  check_has(storing({"--kernel", "adds"}, "managed").err, {"managed memory"});
  check_has(storing({"--kernel", "adds", "--launches", "0"}, "adds").err, {"counted from 1"});
  check_has(storing({"--kernel", "adds", "--limit", "much"}, "adds").err, {"--limit needs a size"});
  check_has(storing({"--limit", "1GB"}, "adds").err, {"--limit says how launches are stored"});
  for (const auto& entry : std::filesystem::directory_iterator(user.home()))
    CHECK(entry.path().extension() != ".capture");
}

TEST_CASE("a capture that is killed leaves a folder that is complete, or is known not to be") {
  std::mt19937 random(17);
  int complete = 0, incomplete = 0;
  for (int i = 0; i < 60; ++i) {
    const UserWithGpu user;
    {
      const Running running(
          user, {"capture", "--randomise", "--kernel", "adds", "-o", "c", "--", TUNER_CAPTURED_PROGRAM, "adds"});
      std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 120000)(random)));
      running.signal(9);
    }
    if (!std::filesystem::exists(user.home() / "c" / "data")) continue;  // it has hardly begun
    const Result shown = user.run({"show", "./c"});
    const bool is_complete = shown.exit_code == 0;
    ++(is_complete ? complete : incomplete);
    if (!is_complete) CHECK(contains(shown.err, "ncomplete"));
  }
  CHECK(complete + incomplete > 0);
}

TEST_CASE("where files may not become long, the program runs to its end all the same") {
  for (int limit = 1; limit <= 10; ++limit) {
    UserWithGpu user;
    user.before_start = [limit] {
      const rlimit most{static_cast<rlim_t>(limit * 1500), static_cast<rlim_t>(limit * 1500)};
      setrlimit(RLIMIT_FSIZE, &most);
    };
    const Result result = user.run(
        {"capture", "--randomise", "--kernel", "adds", "-o", "c", "--", TUNER_CAPTURED_PROGRAM, "adds", "flushed"});
    CHECK(result.out.find("flushed") != result.out.rfind("flushed"));  // by both runs
    CHECK(std::filesystem::exists(user.home() / "c" / "manifest.json") == (result.exit_code == 0));
  }
}
