// `tuner explain` where there is no GPU.
#include <doctest/doctest.h>

#include "tests/cli/stored.hpp"

using namespace tuner::test;

namespace {

/// As `tuner explain --json` prints it, as far as it is needed here.
const std::string kFound =
    R"({"format": 1, "kernel": "scale", "device": "NVIDIA H200", "mode": "cold",
        "from": {"name": "the baseline", "configuration": "BLOCK=128"},
        "to": {"name": "the winner", "configuration": "BLOCK=256"},
        "time": {"ratio": 0.5, "low": 0.49, "high": 0.51}, "blocks": 12})";

}  // namespace

TEST_CASE("what was found before answers the question that it was found for, and no other") {
  const User user;
  const auto store = open_database(user);
  record(*store, decision_on_h200("scale", "n=1000"));
  check_error(user.run({"explain", "1"}), 1, {"Nothing was found about it before."});
  const cache::DecisionText found{cache::TextKind::insight, "explain", kFound};
  store->record_texts(store->list_decisions({}).front().row, {&found, 1});
  check_out(user.run({"explain", "1"}), 0, {"the winner takes 0.5000 (0.4900-0.5100) of the time of the baseline"});
  check_out(user.run({"explain", "1", "--against", "BLOCK=128"}), 0, {"the winner takes 0.5000"});
  check_error(user.run({"explain", "1", "--against", "BLOCK=64"}), 1, {"and nothing against BLOCK=64."});
  check_out(user.run({"explain", "1@BLOCK=256"}), 0, {"the winner takes 0.5000"});
  check_error(user.run({"explain", "1@BLOCK=64"}), 1, {"about the winner is kept, and nothing about BLOCK=64."});
  check_error(user.run({"explain", "2@BLOCK=64"}), 1, {"There is no decision number 2"});
  check_error(user.run({"explain", "1@"}), 2, {"names no configuration after the @"});
}

TEST_CASE("what was found before and cannot be read is said to be there, and so is a problem that is damaged") {
  const User user;
  const auto store = open_database(user);
  record(*store, decision_on_h200("scale", "n=1000"));
  const cache::DecisionText newer{cache::TextKind::insight, "explain", R"({"format": 99})"};
  store->record_texts(store->list_decisions({}).front().row, {&newer, 1});
  check_error(user.run({"explain", "1"}), 1,
              {"damaged, or of a newer version. `tuner explain FILE` on its GPU finds it anew."});
  check_error(user.run({"explain", "1", "--against", "BLOCK=128"}), 1, {"damaged, or of a newer version."});
  check_out(user.run({"show", "1"}), 0, {"What was found about it before cannot be read"});
  check_err(user.run({"report", "1", "-o", "page.html"}), 0,
            {"warning: The page does not say why the winner of decision 1 wins. What was found about it before cannot "
             "be read"});
  const Result refused = user.run({"report", "1", "-o", "page.html"});
  check_error(refused, 2);
  CHECK_FALSE(contains(refused.err, "why the winner"));
  record(*store, decision_on_h200("scale", "n=1=2,,"));
  check_error(user.run({"explain", "2"}), 5,
              {"is damaged: the problem of decision 2 is \"n=1=2,,\"", "Give the kernel's file"});
  check_error(user.run({"compare", "1", "2"}), 5, {"is damaged: the problem of decision 2"});
}

TEST_CASE("a file that is wrong is named, also where there is no GPU") {
  const User user;
  check_error(user.run({"explain", "nowhere.cu"}), 2, {"nowhere.cu does not exist"});
}

TEST_CASE("a number that no decision has ends every command with the same sentence and exit code") {
  const User user;
  const std::vector<Words> all{{"show", "7"},
                               {"report", "7", "-o", "report.html"},
                               {"explain", "7"},
                               {"compare", "7", "1"},
                               {"compare", "1", "7"}};
  for (const Words& words : all) check_error(user.run(words), 1, {"Nothing is stored in ", "decisions.db yet"});
  record(*open_database(user), decision_on_h200("scale", "n=1000"));
  for (const Words& words : all) {
    check_error(user.run(words), 1, {"There is no decision number 7; `tuner list` shows the numbers."});
  }
}
