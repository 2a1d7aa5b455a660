// Random search on the recordings of a folder given by TUNER_SPACES_DIR, as the program scores it.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/support/skip.hpp"

namespace {

using nlohmann::json;
using namespace tuner::test;

Words recordings() {
  Words files;
  for (const auto& entry : std::filesystem::directory_iterator(spaces_folder())) {
    if (entry.path().filename().string().ends_with(".csv.gz")) files.push_back(entry.path().string());
  }
  return files;
}

/// Random search, the exact one and that of the strategy.
json simulated(const Words& options) {
  const Words words{"simulate", "--strategy", "random", "--repeats", "300", "--json"};
  const Result result = User().run(joined(joined(words, recordings()), options));
  CHECK(result.err == "");
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

void check_random(const json& object) {
  const json& strategy = object["strategies"][0];
  for (std::size_t i = 0; i < object["spaces"].size(); ++i) {
    CAPTURE(object["spaces"][i]["name"]);
    const json& score = strategy["spaces"][i]["score"];
    // Of ten spaces one may be three standard errors away with little bad luck, four never.
    CHECK(std::abs(score["mean"].get<double>()) < 4 * score["standard_error"].get<double>() + 0.01);
  }
  const json& score = strategy["mean"]["score"];
  CHECK(score["standard_error"] < 0.015);
  CHECK(std::abs(score["mean"].get<double>()) < 3 * score["standard_error"].get<double>());
}

TEST_CASE("random search scores 0 on every recording and in the mean, also where names and columns are others") {
  check_random(simulated({}));
  check_random(simulated({"--permute"}));
}

TEST_CASE("random search by seconds scores 0, too") {
  check_random(simulated({"--cost", "seconds"}));
}

TEST_CASE("the mean fractions of random search are those that another program measured on the same ten recordings") {
  const json object = simulated({});
  if (object["spaces"].size() != 10) {
    MESSAGE("not the ten recordings that were measured");
    return;
  }
  // random_sample of Kernel Tuner 1.4.0, 20 to 30 repeats; the standard error of an average is about 0.015.
  const std::vector<double> measured{0.751, 0.802, 0.851, 0.886};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const json& at = object["strategies"][0]["mean"]["at"][i];
    CHECK(std::abs(at["fraction"]["mean"].get<double>() - measured[i]) < 0.03);
    double exact = 0;
    for (const json& space : object["spaces"]) {
      exact += space["random_fractions"][at["evaluations"].get<std::size_t>() - 1].get<double>() / 10;
    }
    CHECK(std::abs(exact - measured[i]) < 0.03);
  }
  CHECK(std::abs(object["strategies"][0]["mean"]["at"][2]["hit95"]["mean"].get<double>() - 0.320) < 0.03);
}

}  // namespace
