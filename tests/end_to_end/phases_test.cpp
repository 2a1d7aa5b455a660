// Where a session's time goes.
#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;
using Json = nlohmann::json;

TEST_CASE("the phases of two sessions follow each other, from the beginning of the command to its end") {
  const Tuner user;
  const auto begin = std::chrono::steady_clock::now();
  const Result result =
      user.run(user.words({"KIND == right && VARIANT < 3"}, {"--problem", "n=2000", "--problem", "n=3000"}));
  const double lasted = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const Json reports = Json::parse(result.out)["reports"];
  REQUIRE(reports.size() >= 2);
  double all = 0;
  for (const Json& report : reports) {
    const Json& time = report["time_spent"];
    double sum = 0;
    for (const char* phase : {"starting_s", "waiting_s", "loading_s", "verifying_s", "timing_s", "exchanging_s",
                              "deciding_s", "ending_s"}) {
      INFO(phase);
      CHECK(time[phase].get<double>() >= 0);
      sum += time[phase].get<double>();
    }
    CHECK(sum == doctest::Approx(time["total_s"].get<double>()));
    CHECK(time["starting_s"].get<double>() > 0);
    CHECK(time["ending_s"].get<double>() == 0);
    all += time["total_s"].get<double>();
  }
  CHECK(all <= lasted);
  const Result one = user.run(user.words({"KIND == right && VARIANT < 3"}));
  CHECK(Json::parse(one.out)["reports"][0]["time_spent"]["ending_s"].get<double>() > 0);
}
