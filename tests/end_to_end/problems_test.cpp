// Several problems in short form, tuned one after the other.
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

const std::string kFewRight = "KIND == right && VARIANT in (0, 1, 12)";  // 12 configurations

/// The call without its own problem, and as text.
Words call(const Tuner& user, const std::string& where, const Words& more) {
  Words words = user.words({where});
  const auto problem = std::ranges::find(words, "--problem");
  words.erase(problem, problem + 2);
  std::erase(words, "--json");
  return joined(std::move(words), more);
}

std::vector<std::string> problems_of(const Json& reports) {
  std::vector<std::string> problems;
  for (const Json& report : reports) problems.push_back(report["problem"]);
  return problems;
}

}  // namespace

TEST_CASE("three sizes of a list are tuned together, and a table and what is known over sizes follow the reports") {
  const Tuner user;
  const Result result = user.run(call(user, kFewRight, {"--problem", "n=1000,2000..4000 x2"}));
  check_out(result, 0, {"  problem    n=1000\n", "  problem    n=2000\n", "  problem    n=4000\n"});
  const std::size_t table = result.out.find("\nproblem ");
  REQUIRE(table != std::string::npos);
  CHECK(table > result.out.rfind("Winner"));
  const std::size_t blank = result.out.find("\n\n", table);
  REQUIRE(blank != std::string::npos);
  const std::string rows = result.out.substr(table + 1, blank - table);
  check_has(result.out.substr(blank), {"1 configuration for 3 problems of `faults`"});
  CHECK(std::ranges::count(rows, '\n') == 4);
  CHECK(rows.starts_with("problem "));
  check_has(rows,
            {" speed-up over baseline ", "\nn=1000 ", "\nn=2000 ", "\nn=4000 ", "x (", " FLAVOUR=2 VARIANT=12\n"});
  CHECK(user.count_rows() == 36);
  // One of them has no table.
  CHECK_FALSE(contains(user.run(call(user, kFewRight, {"--problem", "n=1000"})).out, "winner's difference"));
}

TEST_CASE("problems of a file are tuned after those of the command, each once, into one JSON object") {
  const Tuner user;
  user.folder().write("sizes.txt", "# what the program asks for\r\n\r\nn=2000 # twice\r\nn=1000..3000 +1000");
  const Result result = user.run(call(user, kFewRight, {"--problem", "n=1e3", "--problems", "sizes.txt", "--json"}));
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  check_has(result.err, {"2 of the 5 problems were given before, for example n=1000; each is tuned once."});
  const Json reports = Json::parse(result.out)["reports"];
  CHECK(problems_of(reports) == std::vector<std::string>{"n=1000", "n=2000", "n=3000"});
  CHECK(user.count_rows() == 36);
  user.folder().write("sizes.txt", "n=1000 weight 2\nn=1000 weight 3\n");
  check_has(user.run(call(user, kFewRight, {"--problems", "sizes.txt"})).err,
            {"1 of the 2 problems was given before, for example n=1000; each is tuned once, with its first weight."});
}

TEST_CASE("Ctrl-C in the second of three problems keeps the first") {
  const Tuner user;
  Running program(user, call(user, "KIND == right", {"--problem", "n=1000,2000,3000", "--json"}));
  REQUIRE(eventually([&] { return user.count_rows() > 66 || program.ended(); }));
  REQUIRE(!program.ended());
  program.signal(SIGINT);
  const Result result = program.finish();
  CHECK(result.exit_code == 130);
  const Json reports = Json::parse(result.out)["reports"];
  REQUIRE(problems_of(reports) == std::vector<std::string>{"n=1000", "n=2000"});
  // The one in the middle is tuned first, then the one that is farthest from it.
  CHECK(reports[1]["winner"]["configuration"] == kFastest);
  CHECK_FALSE(reports[1]["interrupted"].get<bool>());
  CHECK(reports[0]["interrupted"].get<bool>());
  check_out(user.run({"list"}), 0, {"n=2000"});
  CHECK(user.all_processes_end());
}

TEST_CASE("a problem that the kernel refuses is found before the first is tuned") {
  const Tuner user;
  check_err(user.run(call(user, kFewRight, {"--problem", "n=1000,2000000,3000"})), 2,
            {"does not accept the problem n=2000000"});
  user.folder().write("sizes.txt", "n=1000\n\nn=0\n");
  check_err(user.run(call(user, kFewRight, {"--problems", "sizes.txt"})), 2,
            {"sizes.txt:3: The kernel `faults` does not accept the problem n=0"});
  CHECK(user.count_rows() == 0);
  CHECK(user.count_in_journal("launch") == 0);
}
