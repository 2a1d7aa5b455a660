// `tuner compare` where there is no GPU: what is stored stands side by side.
#include <doctest/doctest.h>

#include "tests/cli/stored.hpp"

using namespace tuner::test;

TEST_CASE("decisions are compared by what is stored, and nothing is made up of what is not") {
  const User user;
  cache::Decision decision = decision_on_h200("scale", "n=1000", "BLOCK=256");
  decision.launch = "grid=4x1x1 block=256x1x1 shared=0";
  decision.baseline = "BLOCK=128";
  decision.baseline_time_ns = 1500;
  open_database(user)->record_decision(decision);
  const Result text = user.run({"compare", "1", "1"});
  check_out(text, 9, {"UNDECIDED: these are times that are stored", "1.000 us", "grid=4x1x1 block=256x1x1 shared=0"});
  CHECK(text.out.find("registers") == std::string::npos);
  decision.key.problem = "n=2000";
  decision.launch = "";
  open_database(user)->record_decision(decision);
  const Result without = user.run({"compare", "1", "2"});
  check_out(without, 9, {"different problems"});
  CHECK(without.out.find("grid=1x1x1") == std::string::npos);
  check_out(user.run({"compare", "1", "2", "--json"}), 9, {"\"launch\": null"});
}

TEST_CASE(
    "a configuration behind a decision's number is one of its trials, and omitted parameters are the baseline's") {
  const User user;
  cache::Decision decision = decision_on_h200("scale", "n=1000", "BLOCK=256,UNROLL=2");
  decision.baseline = "BLOCK=128,UNROLL=1";
  const std::vector<cache::Trial> trials{trial_of(decision, decision.configuration, 1000, 0),
                                         trial_of(decision, decision.baseline, 1500, 1),
                                         trial_of(decision, "BLOCK=256,UNROLL=1", 1200, 2)};
  const auto store = open_database(user);
  store->record_trials(trials);
  store->record_decision(decision);
  check_out(user.run({"compare", "1@BLOCK=256", "1"}), 9, {"UNROLL     1 ", "1.200 us", "1.000 us"});
  check_out(user.run({"compare", "1@baseline", "@winner"}), 9, {"1@baseline", "1.500 us", "@winner", "1.000 us"});
  check_error(user.run({"compare", "1", "1@BLOCK=512"}), 1, {"No trial of BLOCK=512,UNROLL=1 is stored."});
  check_error(user.run({"compare", "1", "1@WIDTH=2"}), 2,
              {"`WIDTH=2`", "scale, whose decision has BLOCK=128,UNROLL=1"});
}

TEST_CASE("a time that is a lower bound, and a side that is another kernel, are named as such") {
  const User user;
  const cache::Decision decision = decision_on_h200("scale", "n=1000", "BLOCK=256");
  cache::Trial stopped = trial_of(decision, "BLOCK=64", 1200, 0);
  stopped.censored = true;
  const std::vector<cache::Trial> trials{stopped};
  const auto store = open_database(user);
  store->record_trials(trials);
  store->record_decision(decision);
  store->record_decision(decision_on_h200("shift", "n=1000", "BLOCK=256"));
  check_out(user.run({"compare", "1@BLOCK=64", "1"}), 9,
            {"first      1@BLOCK=64 (stopped early: its time is a lower bound)\n", "second     1\n"});
  const Result two = user.run({"compare", "1", "2"});
  check_out(two, 9, {"scale on NVIDIA H200", "second     2 (kernel shift)\n"});
  check_out(user.run({"compare", "1", "2", "--json"}), 9, {"\"name\": \"2\"", "\"kernel shift\""});
}

TEST_CASE("a comparison in Markdown ends its sentence once") {
  const User user;
  open_database(user)->record_decision(decision_on_h200("scale", "n=1000"));
  const Result result = user.run({"compare", "1", "1", "--markdown"});
  check_out(result, 9, {"**scale** on NVIDIA H200, n=1000: UNDECIDED", "| time | 1.000 us | 1.000 us |"});
  CHECK(result.out.find("..") == std::string::npos);
}

TEST_CASE("the only configuration of a kernel without parameters is its winner and its baseline") {
  const User user;
  cache::Decision decision = decision_on_h200("scale", "n=1000", "");
  open_database(user)->record_decision(decision);
  const Result result = user.run({"compare", "1@baseline", "1@winner"});
  check_out(result, 9, {"first      1@baseline\n", "second     1@winner\n", "1.000 us"});
  check_error(user.run({"compare", "1", "1@BLOCK=1"}), 2, {"whose decision has no parameters."});
  decision.key.kernel_name = "sum";
  decision.configuration = "BLOCK=256";
  open_database(user)->record_decision(decision);
  check_error(user.run({"compare", "2", "2@baseline"}), 1, {"No trial of the baseline is stored."});
}
