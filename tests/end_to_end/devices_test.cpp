// Several problems on several GPUs of one machine at the same time.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;
using Json = nlohmann::json;

namespace {

const std::string kTwelveRight = "KIND == right && VARIANT in (0, 1, 12)";  // 12 configurations

/// A user with three GPUs.
struct ThreeGpus : Tuner {
  ThreeGpus() { environment["FAKE_DRIVER"] = "noise=3 numbered devices=3"; }

  Words call(const std::string& where, const Words& more) const {
    Words all = words({where});
    const auto problem = std::ranges::find(all, "--problem");
    all.erase(problem, problem + 2);
    return joined(std::move(all), more);
  }
  std::size_t contexts_on(int gpu) const { return count_in_journal("on GPU " + std::to_string(gpu)); }
};

std::vector<std::string> winners_of(const Json& reports) {
  std::vector<std::string> winners;
  for (const Json& report : reports) winners.push_back(report["winner"]["configuration"]);
  return winners;
}

}  // namespace

TEST_CASE("problems are tuned on all GPUs at the same time, each on one, and all are found in one database") {
  const ThreeGpus user;
  const Result result = user.run(user.call(kTwelveRight, {"--problem", "n=1000..5000 +1000", "--devices", "all"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json reports = Json::parse(result.out)["reports"];
  CHECK(winners_of(reports) == std::vector<std::string>(5, kFastest));
  CHECK(user.count_rows() == 5 * 12);
  for (const int gpu : {0, 1, 2}) CHECK(user.contexts_on(gpu) == 1);
  check_out(user.run({"list"}), 0, {"n=1000", "n=2000", "n=3000", "n=4000", "n=5000"});
  CHECK(user.all_processes_end());
}

TEST_CASE("a list of GPUs names those that are used, and no more are than there are problems") {
  const ThreeGpus user;
  const Result two = user.run(user.call(kTwelveRight, {"--problem", "n=1000,2000,3000", "--devices", "0,2"}));
  INFO(two.err);
  CHECK(two.exit_code == 0);
  CHECK(user.contexts_on(0) == 1);
  CHECK(user.contexts_on(1) == 0);
  CHECK(user.contexts_on(2) == 1);

  const Result fewer = user.run(user.call(kTwelveRight, {"--problem", "n=4000,5000", "--devices", "0-2"}));
  CHECK(fewer.exit_code == 0);
  CHECK(user.contexts_on(0) == 2);
  CHECK(user.contexts_on(1) == 1);
  CHECK(user.contexts_on(2) == 1);
  check_has(fewer.err, {"Each of several problems is tuned on one GPU, and there are fewer problems: of the 3 GPUs of "
                        "--devices, the first 2 are used."});
}

TEST_CASE("where a GPU is lost for good another goes on with its problem, and nothing is lost") {
  ThreeGpus user;
  user.environment["FAKE_DRIVER"] = "noise=3 numbered devices=3 lost_after=300 lost_device=1";
  const Result result = user.run(user.call(kTwelveRight, {"--problem", "n=1000..6000 +1000", "--devices", "0-2"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  check_has(result.err, {"GPU 1 was abandoned", "The others go on without GPU 1"});
  CHECK(winners_of(Json::parse(result.out)["reports"]) == std::vector<std::string>(6, kFastest));
  user.check_outcomes();  // no configuration is blamed for what the GPU did
  CHECK(user.all_processes_end());
}

TEST_CASE("where the last GPU is lost the command ends as with one") {
  ThreeGpus user;
  user.environment["FAKE_DRIVER"] = "noise=3 numbered devices=3 lost_after=100";
  const Result result = user.run(user.call(kTwelveRight, {"--problem", "n=1000..6000 +1000", "--devices", "0-2"}));
  CHECK(result.exit_code == 6);
  check_has(result.err, {"was abandoned"});
  CHECK(user.all_processes_end());
}

TEST_CASE("Ctrl-C ends the sessions on all GPUs, and keeps what they have") {
  const ThreeGpus user;
  Running program(user, user.call("KIND == right", {"--problem", "n=1000..8000 +1000", "--devices", "all"}));
  REQUIRE(eventually([&] { return user.count_rows() > 40 || program.ended(); }));
  REQUIRE(!program.ended());
  program.signal(SIGINT);
  const Result result = program.finish();
  INFO(result.err);
  CHECK(result.exit_code == 130);
  const Json reports = Json::parse(result.out)["reports"];
  CHECK(reports.size() <= 3);
  CHECK(std::ranges::all_of(reports, [](const Json& report) { return report["interrupted"].get<bool>(); }));
  CHECK(user.count_rows() > 40);
  CHECK(user.all_processes_end());
}

TEST_CASE("GPUs of different kinds, GPUs that are not there, and what is no list are refused in a sentence") {
  ThreeGpus user;
  const auto refused = [&](const Words& more, int exit_code, const std::string& sentence) {
    const Result result = user.run(user.call(kTwelveRight, joined({"--problem", "n=1000,2000,3000,4000"}, more)));
    check_err(result, exit_code, {sentence});
    CHECK(user.count_rows() == 0);
  };
  refused({"--devices", "0-3"}, 3, "There is no GPU 3 here: there are 3, numbered from 0.");
  for (const char* list : {"0,", "x", "2-1", "0-", "-1", "0;1", "1024"}) {
    refused({"--devices", list}, 2, "does not say which GPUs: give all, numbers such as 0,2, or a range such as 0-3");
  }
  refused({"--devices", "all", "--device", "1"}, 2, "--device names one GPU and --devices several");
  user.environment["FAKE_DRIVER"] = "noise=3 numbered devices=3 other_device=2";
  refused({"--devices", "all"}, 2, "--devices names GPUs of different kinds: 0 is Fake GPU");
}
