// What tuning a missed problem is likely to save, from what is known of its kernel.
#include "tuner/cli/stored/wanted_value.hpp"

#include <doctest/doctest.h>

using namespace tuner;
using cli::by_value;
using cli::ValuedWanted;

namespace {

cache::DecisionKey value_key(const std::string& kernel, const std::string& problem, const std::string& device = "gpu") {
  return {kernel, kernel + ":1", problem, device, "cold", "time"};
}

cache::Wanted missed(const std::string& kernel, const std::string& problem, std::int64_t launched,
                     const std::string& rung = "baseline") {
  cache::Wanted wanted;
  wanted.key = value_key(kernel, problem);
  wanted.launched = launched;
  wanted.rung = rung;
  if (rung == "near size") wanted.time_ns = 1000;
  return wanted;
}

cache::Decision decided(const std::string& kernel, const std::string& problem, double baseline_ns, double speedup,
                        const std::string& device = "gpu") {
  cache::Decision decision;
  decision.key = value_key(kernel, problem, device);
  decision.time_ns = baseline_ns / speedup;
  decision.baseline_time_ns = baseline_ns;
  decision.speedup = speedup;
  return decision;
}

std::optional<double> no_work(const cache::Wanted&, const std::string&) {
  return std::nullopt;
}

/// "n=12" is 12.
std::optional<double> work_is_n(const cache::Wanted&, const std::string& problem) {
  return std::stod(problem.substr(2));
}

ValuedWanted only(const cache::Wanted& wanted, const std::vector<cache::Decision>& decisions,
                  const cli::WorkOf& work_of = no_work) {
  const std::vector<ValuedWanted> all = by_value({wanted}, decisions, work_of);
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("where nothing is known, a stated time and gain are assumed, and a winner nearby leaves little to gain") {
  const cli::WantedValue baseline = only(missed("k", "n=1", 10), {}).value;
  CHECK(baseline.time_ns == cli::kAssumedTimeNs);
  CHECK(baseline.gain == cli::kAssumedGainOverBaseline);
  CHECK(baseline.saving_ns == doctest::Approx(10 * 100e3 * 0.2));
  CHECK(baseline.time_from == "assumed");
  CHECK(baseline.gain_from == "assumed");
  const cli::WantedValue near = only(missed("k", "n=1", 10, "near size"), {decided("k", "n=2", 5000, 2)}).value;
  CHECK(near.time_ns == 1000);
  CHECK(near.time_from == "served");
  CHECK(near.gain == cli::kAssumedGainOverWinner);
  CHECK(near.saving_ns == doctest::Approx(10 * 1000 * 0.03));
}

TEST_CASE("time and gain of a baseline are medians of what decisions of its kernel say") {
  const std::vector<cache::Decision> decisions{decided("k", "n=1", 1000, 1.25), decided("k", "n=2", 2000, 2),
                                               decided("k", "n=3", 9000, 4), decided("other", "n=4", 1e6, 10)};
  const cli::WantedValue value = only(missed("k", "n=8", 3), decisions).value;
  CHECK(value.time_ns == 2000);
  CHECK(value.time_from == "decisions");
  CHECK(value.gain == doctest::Approx(0.5));
  CHECK(value.gain_from == "decisions");
  CHECK(value.saving_ns == doctest::Approx(3000));
}

TEST_CASE("a time is scaled by work where the description has it") {
  const std::vector<cache::Decision> decisions{decided("k", "n=10", 1000, 2), decided("k", "n=20", 1800, 2),
                                               decided("k", "n=40", 4400, 2)};
  const cli::WantedValue value = only(missed("k", "n=1000", 1), decisions, work_is_n).value;
  CHECK(value.time_ns == doctest::Approx(100'000));
  CHECK(value.time_from == "decisions by work");
}

TEST_CASE("decisions of the same kind of GPU come before those of others, which are better than nothing") {
  const cache::Decision here = decided("k", "n=1", 1000, 2), there = decided("k", "n=1", 8000, 2, "another");
  CHECK(only(missed("k", "n=8", 1), {there, here, there}).value.time_ns == 1000);
  CHECK(only(missed("k", "n=8", 1), {there}).value.time_ns == 8000);
}

TEST_CASE("entries are ordered by what they may save, and those that could not be tuned come last") {
  cache::Wanted failed = missed("k", "n=1", 1'000'000);
  failed.trouble = "It does not compile.";
  const std::vector<ValuedWanted> all = by_value(
      {failed, missed("k", "n=2", 5), missed("k", "n=3", 4000, "near size"), missed("k", "n=4", 50)}, {}, no_work);
  std::vector<std::string> problems;
  for (const ValuedWanted& each : all) problems.push_back(each.wanted.key.problem);
  // 50 * 100 us * 20 % are more than 4000 * 1 us * 3 %.
  CHECK(problems == std::vector<std::string>{"n=4", "n=3", "n=2", "n=1"});
}
