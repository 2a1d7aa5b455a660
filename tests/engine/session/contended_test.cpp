// Tuning while another program is at work on the same GPU.
#include <doctest/doctest.h>

#include <memory>
#include <random>

#include "tests/engine/session/laboratory.hpp"
#include "tuner/engine/measure/interruptions.hpp"
#include "tuner/engine/session/repeated_blocks.hpp"

namespace tuner::engine {
namespace {

/// The other program's turns of two milliseconds fall into samples, the more often the longer these are.
std::function<double(double)> turns(unsigned seed) {
  auto random = std::make_shared<std::mt19937>(seed);
  return [random](double time_ns) {
    constexpr double kTurnNs = 2e6;
    std::uniform_real_distribution<double> uniform(0, 1);
    const double switches = time_ns / kTurnNs;
    const double whole = std::floor(switches);
    return kTurnNs * (whole + (uniform(*random) < switches - whole ? 1 : 0)) * (0.9 + 0.2 * uniform(*random));
  };
}

BehaviourOf slowed_down(double factor) {
  return changed([=](const auto&, Behaviour& behaviour) { behaviour.time_ns *= factor; });
}

TEST_CASE("the winner is found although another program interrupts, whether kernels are short or long") {
  for (const double slower : {0.5, 2.0, 5.0}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      CAPTURE(slower);
      CAPTURE(seed);
      Laboratory laboratory(make_task(), slowed_down(slower));
      laboratory.device.interruption = turns(seed);
      const TuneReport report = laboratory.tune({.contended = true});
      CHECK(report.decision.contended);
      CHECK(report.decision.configuration == kFastest);
      CHECK(report.decision.time_ns == doctest::Approx(1.25e5 * slower).epsilon(0.01));
    }
  }
}

TEST_CASE("what was measured beside a program is taken over by the next such session, and by no other") {
  Laboratory laboratory;
  CHECK(laboratory.tune({.contended = true}).decision.counters.at("screened") == 11);
  CHECK(laboratory.tune({.contended = true}).decision.counters.at("reused") == 11);
  const TuneReport alone = laboratory.tune();
  CHECK(alone.decision.counters.at("reused") == 0);
  CHECK_FALSE(alone.decision.contended);
  // Its winner races again all the same.
  Laboratory other;
  other.tune({.contended = true});
  other.tune({.strategy = "random", .budget = {.evaluations = 1}, .seed = 1});
  CHECK(count(other.device.finalists, kFastest) == 1);
  CHECK(other.decided()->configuration == kFastest);
}

TEST_CASE("other processes on the GPU are no news to a session that knows of them") {
  Laboratory laboratory;
  laboratory.device.other_processes = {"4711 (solver)"};
  CHECK(laboratory.tune({.contended = true}).decision.contended);
  CHECK(laboratory.observer.warnings.empty());
}

TEST_CASE("the configuration in use races to the end, and the report says what the winner gains over it") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune({.serving = "BLOCK=32,UNROLL=4"});
  REQUIRE(report.gain_low);
  CHECK(*report.gain_low == doctest::Approx(3.4 / 1.25).epsilon(0.02));
  CHECK(*report.gain_low <= 3.4 / 1.25 * 1.001);
  const auto& finalists = laboratory.device.finalists;
  CHECK(std::count(finalists.begin(), finalists.end(), "BLOCK=32,UNROLL=4") == 1);

  CHECK(Laboratory().tune({.serving = kFastest}).gain_low == 1.0);
  const TuneReport of_baseline = Laboratory().tune({.serving = kBaseline});
  REQUIRE(of_baseline.gain_low);
  CHECK(*of_baseline.gain_low == doctest::Approx(*of_baseline.decision.speedup_low).epsilon(1e-6));
  CHECK_FALSE(Laboratory().tune({.serving = "BLOCK=7"}).gain_low);
  CHECK_FALSE(Laboratory().tune().gain_low);
}

TEST_CASE("the configuration in use races even if the strategy does not ask for it") {
  Laboratory laboratory;
  const TuneReport report =
      laboratory.tune({.strategy = "random", .budget = {.evaluations = 1}, .seed = 1, .serving = kFastest});
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.gain_low == 1.0);
}

TEST_CASE("so many samples are taken that hardly ever all of them are interrupted") {
  CHECK(samples_against_interruptions(50e3) == 2);
  CHECK(samples_against_interruptions(500e3) == 4);
  CHECK(samples_against_interruptions(1.5e6) == 6);
  CHECK(samples_against_interruptions(50e6) == 6);
}

TEST_CASE("a block is repeated and keeps the shortest sample of each; a failure ends the repetition") {
  std::vector<std::vector<double>> samples{{10, 30}, {20, 20}, {30, 40}};
  int asked = 0;
  bool fails = false;
  const Task task = make_task();
  DeviceBench bench(task, [&](const DeviceRequest&) {
    DeviceReply reply;
    BlockResult& block = reply.result.emplace<BlockResult>();
    block.samples_ns = samples[static_cast<std::size_t>(asked++) % 3];
    block.disturbed = asked == 2;
    reply.launches = 2;
    if (fails && asked == 2) reply.outcome = Outcome::illegal_access;
    return reply;
  });
  const DeviceReply reply = run_repeatedly(bench.device, {{0, 1}, 1}, 3);
  CHECK(asked == 3);
  CHECK(reply.result_of<RunBlock>().samples_ns == std::vector<double>{10, 20});
  CHECK(bench.device.launches() == 6);
  CHECK(reply.result_of<RunBlock>().disturbed);
  asked = 0;
  fails = true;
  CHECK(run_repeatedly(bench.device, {{0, 1}, 1}, 3).outcome == Outcome::illegal_access);
  CHECK(asked == 2);
}

}  // namespace
}  // namespace tuner::engine
