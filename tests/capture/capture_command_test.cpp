// The real program, around one with the fake driver and a fake CUPTI.
#include "tests/cli/program.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

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
