#include "tuner/engine/session/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "tests/engine/session/laboratory.hpp"
#include "tests/support/errors.hpp"
#include "tuner/engine/session/final_race.hpp"

namespace tuner::engine {
namespace {

TEST_CASE("an exhaustive session measures every configuration once and keeps the fastest") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune();
  CHECK(laboratory.task.space().size() == 11);
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.baseline == kBaseline);
  CHECK(report.decision.verified);
  REQUIRE(report.decision.speedup);
  CHECK(*report.decision.speedup == doctest::Approx(2.2 / 1.25).epsilon(0.01));
  check_counters(report, {{"asked", 11}, {"compiled", 11}, {"timed", 11}, {"stored", 11}});
  CHECK(laboratory.rows().size() == 11);
  CHECK(laboratory.decided()->configuration == kFastest);
  CHECK(*report.bytes_per_second == doctest::Approx(12000 / (report.decision.time_ns / 1e9)));
}

TEST_CASE("the reference runs before anything is compared with it") {
  Laboratory laboratory;
  laboratory.device.needs_support = true;
  laboratory.tune();
  REQUIRE_FALSE(laboratory.device.screened.empty());
  CHECK(laboratory.device.screened.front() == kBaseline);
}

TEST_CASE("each failure is a row of its class and the winner stays the same") {
  const std::map<std::string, Outcome> failing{{"BLOCK=32,UNROLL=1", Outcome::illegal_access},
                                               {"BLOCK=32,UNROLL=2", Outcome::wrong_result},
                                               {"BLOCK=128,UNROLL=4", Outcome::run_timeout},
                                               {kNext, Outcome::launch_refused}};
  Laboratory laboratory(changed([&](const std::string& configuration, Behaviour& behaviour) {
    if (failing.contains(configuration)) behaviour.run = failing.at(configuration);
    if (configuration == "BLOCK=32,UNROLL=4") behaviour.compile = Outcome::compile_error;
  }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  for (const auto& [configuration, outcome] : failing) CHECK(laboratory.row(configuration).outcome == outcome);
  CHECK(laboratory.row("BLOCK=32,UNROLL=4").outcome == Outcome::compile_error);
  check_counters(report, {{"failed", 5}, {"failed_illegal_access", 1}, {"failed_compile_error", 1}});
  CHECK(report.failures.size() == 5);
  CHECK(laboratory.rows().size() == 11);
}

TEST_CASE("the same binary with another launch is a candidate of its own") {
  Laboratory laboratory(unroll_ignored);
  laboratory.tune();
  CHECK(laboratory.row("BLOCK=128,UNROLL=2").duplicate_of.empty());  // its grid is half as large
}

TEST_CASE("a binary that is the same with the same launch is run once and its time serves all") {
  Laboratory laboratory(one_block_task(), unroll_ignored);
  const TuneReport report = laboratory.tune();
  check_counters(report, {{"compiled", 4}, {"deduplicated", 7}, {"no_effect", 2}});
  CHECK(laboratory.device.screened.size() == 4);
  CHECK(laboratory.rows().size() == 11);
  for (const cache::Trial& row : laboratory.rows()) CHECK(row.time_ns.has_value());
}

TEST_CASE("a candidate that shares the baseline's binary and compiles first does not keep the baseline waiting") {
  Laboratory laboratory(one_block_task(), unroll_ignored, 100);  // answers everything at once, the baseline last
  CHECK(laboratory.tune().decision.counters.at("deduplicated") == 7);
  CHECK(laboratory.device.screened.front() == kBaseline);
}

TEST_CASE("a slow candidate is killed early and has a lower bound, not a time") {
  const auto slow_at_the_end = except(kFastest, [](Behaviour& behaviour) { behaviour.time_ns = 1e7; });
  Laboratory laboratory(slow_at_the_end);  // the last that is asked for
  const TuneReport report = laboratory.tune();
  const cache::Trial& slow = laboratory.row(kFastest);
  CHECK(slow.outcome == Outcome::ok);
  CHECK(slow.censored);
  CHECK(slow.samples_ns.size() == 1);
  CHECK(slow.time_ns == slow.samples_ns.front());
  CHECK(laboratory.device.raced.count(kFastest) == 0);
  CHECK(report.decision.counters.at("timed") == 11);
  Laboratory recording(slow_at_the_end);
  recording.tune({.early_kill = false});
  for (const cache::Trial& row : recording.observer.trials) {
    CHECK(row.samples_ns.size() == 3);
    CHECK_FALSE(row.censored);
  }
}

TEST_CASE("a baseline that --where excludes is still the reference, and is not counted as asked") {
  Laboratory laboratory(ordinary, {"BLOCK >= 128"});
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.baseline == kBaseline);
  CHECK(report.decision.counters.at("asked") == static_cast<std::int64_t>(laboratory.task.space().size()));
  CHECK(laboratory.rows().size() == laboratory.task.space().size() + 1);
}

TEST_CASE(
    "a reference kernel that the description names is compiled and run first, and the baseline is checked with it") {
  const std::string text =
      kernel_with_line("reference(plain_saxpy)") + "__global__ void plain_saxpy(const float* x, float* y, int n) {}\n";
  Laboratory laboratory(make_task({}, text), ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(std::count(laboratory.compile.submitted.begin(), laboratory.compile.submitted.end(), "plain_saxpy") == 1);
  CHECK(laboratory.device.screened.front() == "reference");
  CHECK(count(laboratory.device.screened, kBaseline) == 1);
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.counters.at("asked") == 11);
}

TEST_CASE("a budget of evaluations is kept exactly") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune({.strategy = "random", .budget = {.evaluations = 5}, .seed = 3});
  CHECK(report.decision.counters.at("asked") == 5);
  CHECK_FALSE(report.decision.configuration.empty());
}

TEST_CASE("the winner of an earlier session races again even if the strategy does not ask for it") {
  for (const bool reuse : {true, false}) {
    Laboratory laboratory;
    laboratory.tune();
    laboratory.device.screened.clear();
    laboratory.tune({.strategy = "random", .budget = {.evaluations = 1}, .seed = 1, .reuse = reuse});
    const auto& finalists = laboratory.device.finalists;
    CHECK(count(finalists, kFastest) == 1);
    CHECK(count(laboratory.device.screened, kFastest) == (reuse ? 0 : 1));
    CHECK(laboratory.decided()->configuration == kFastest);
  }
}

TEST_CASE("a finalist that faults in the race leaves it, and the next best wins") {
  Laboratory laboratory(except(kFastest, [](Behaviour& behaviour) { behaviour.fails_from_block = 3; }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kNext);
  CHECK(report.failures.size() == 1);
  CHECK(report.failures.front().outcome == Outcome::illegal_access);
  CHECK(laboratory.rows().size() == 12);  // it was timed, and then it failed: two rows
}

TEST_CASE("a finalist that faults once in the race and runs well alone keeps its place") {
  Laboratory laboratory(except(kFastest, [](Behaviour& behaviour) { behaviour.faults = {2}; }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.failures.empty());
  CHECK(laboratory.rows().size() == 11);
}

TEST_CASE("a finalist that faults alone too, or once more, or takes too long, leaves the race") {
  struct Case {
    std::vector<int> faults;
    Outcome fault;
    int samples;  ///< that it was asked for
  };
  for (const Case& one : {Case{{1, 2}, Outcome::illegal_access, 3}, Case{{1, 3}, Outcome::illegal_access, 4},
                          Case{{1}, Outcome::run_timeout, 2}}) {
    Laboratory laboratory(except(kFastest, [&](Behaviour& behaviour) {
      behaviour.faults = one.faults;
      behaviour.fault = one.fault;
    }));
    const TuneReport report = laboratory.tune();
    CHECK(report.decision.configuration == kNext);
    REQUIRE(report.failures.size() == 1);
    CHECK(report.failures.front().outcome == one.fault);
    CHECK(laboratory.device.raced[kFastest] == one.samples);
  }
}

Finalist qualified(Candidates& candidates, const Task& task, const std::string& configuration) {
  return {.id = candidates.add(task.space().parse(configuration)), .qualified = true};
}

FinalResult final_race(Candidates& candidates, DeviceBench& bench, const std::vector<Finalist>& entrants,
                       const FinalRaceOptions& options) {
  const std::atomic<bool> stop = false;
  return run_final_race(entrants, options, {candidates, bench.device, stop, [](EntryId, const CandidateFailure&) {}});
}

TEST_CASE("an entrant that rested to the end of a race and was not found slower has not had its race") {
  const Task task = make_task();
  Candidates candidates(task, {});
  std::vector<Finalist> entrants;
  for (const char* block : {"32", "64", "128", "256"}) {
    for (const char* unroll : {"1", "2"}) {
      entrants.push_back(qualified(candidates, task, std::string("BLOCK=") + block + ",UNROLL=" + unroll));
    }
  }
  const auto rested = [&](double budget_ns) {
    DeviceBench bench(task, [](const DeviceRequest& request) {
      DeviceReply reply;
      if (const auto* block = std::get_if<RunBlock>(&request)) {
        BlockResult& result = reply.result.emplace<BlockResult>();
        for (const std::size_t slot : block->order) result.samples_ns.push_back(1000 + 50 * static_cast<double>(slot));
      }
      return reply;
    });
    FinalRaceOptions options;
    options.tournament.budget_ns = budget_ns;
    return final_race(candidates, bench, entrants, options).rested;
  };
  CHECK(rested(1) == std::vector<EntryId>{{4}, {5}, {6}, {7}});  // a single block says nothing yet
  CHECK(rested(1e9).empty());
}

TEST_CASE("a worker that is lost again and again ends the race, unless blocks go well in between") {
  const Task task = make_task();
  Candidates candidates(task, {});
  const std::vector<Finalist> entrants{qualified(candidates, task, "BLOCK=32,UNROLL=1"),
                                       qualified(candidates, task, kBaseline)};
  const auto race = [&](int every) {
    DeviceBench bench(task, [every, blocks = 0](const DeviceRequest& request) mutable {
      DeviceReply reply;
      const auto* block = std::get_if<RunBlock>(&request);
      if (!block) return reply;
      const bool alone = block->order.size() == 1;
      if (!alone && ++blocks % every == 0) reply.outcome = Outcome::worker_lost;
      reply.result = BlockResult{.samples_ns = std::vector<double>(block->order.size(), 1000)};
      return reply;
    });
    FinalRaceOptions options;
    options.tournament.race.min_blocks = 20;
    return final_race(candidates, bench, entrants, options).blocks;
  };
  CHECK_THROWS_AS(race(1), Error);
  CHECK(race(2) >= 20);
}

TEST_CASE("of two samples the shorter is a candidate's time") {
  const Task task = make_task();
  Candidates candidates(task, {});
  const EntryId entry = candidates.add(task.space().parse(kBaseline));
  measure(candidates, entry, {130, 100});
  CHECK(candidates.best_ns() == 100);
  CHECK(candidates[entry].trial.time_ns == 100);
}

TEST_CASE("an answer to another request made a candidate right that was never timed") {
  const Task task = make_task();
  Candidates candidates(task, {});
  const EntryId entry = candidates.add(task.space().parse("BLOCK=64,UNROLL=1"));
  candidates.request(entry);
  candidates.compiled(entry, {});
  CHECK_THROWS_AS(candidates.ran(entry, {.result = BlockResult{.samples_ns = {100}}}), Error);
}

TEST_CASE("a finalist that faults in the race takes those with the same binary with it") {
  Laboratory laboratory(one_block_task(), [](const std::string& configuration) {
    Behaviour behaviour = unroll_ignored(configuration);
    behaviour.time_ns = configuration.starts_with("BLOCK=256") ? 1000 : 1100;
    if (configuration.starts_with("BLOCK=256")) behaviour.fails_from_block = 3;
    return behaviour;
  });
  const TuneReport report = laboratory.tune();
  CHECK_FALSE(report.decision.configuration.starts_with("BLOCK=256"));
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures.front().count == 1);
  CHECK(laboratory.rows().size() == 11 + 2);  // BLOCK=256 with UNROLL 1 and 2
}

TEST_CASE("a winner that does not reproduce the reference on fresh inputs gives way") {
  Laboratory laboratory(except(kFastest, [](Behaviour& behaviour) { behaviour.confirm = Outcome::wrong_result; }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kNext);
  CHECK(report.decision.verified);
  CHECK(report.failures.front().outcome == Outcome::wrong_result);
}

TEST_CASE("when every finalist faults in the race there is no winner, and no exception either") {
  Laboratory laboratory(changed([](const auto&, Behaviour& behaviour) { behaviour.fails_from_block = 2; }));
  const TuneReport report = laboratory.tune();
  CHECK_FALSE(report.decision.verified);
  CHECK(report.finalists.empty());
  CHECK_FALSE(laboratory.decided().has_value());
}

TEST_CASE("an earlier winner that --where excludes is not replaced by something slower") {
  Laboratory laboratory;
  laboratory.tune();
  const Task narrow = make_task({"BLOCK == 32"});
  laboratory.tune(narrow);
  CHECK(laboratory.decided()->configuration == kFastest);
}

TEST_CASE("a configuration whose launch makes no sense is a row, not the end") {
  Laboratory laboratory(make_task({}, kernel_with("block(BLOCK)", "block(BLOCK / (UNROLL == 4 ? 3 : 1))")), ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.counters.at("failed_launch_refused") == 3);
  CHECK(report.failures.front().example_message.find("ceil_div") != std::string::npos);
}

TEST_CASE("answers to what an earlier session asked are of no interest") {
  Laboratory laboratory;
  laboratory.device.submit(1u << 30, PrepareProblem{});
  CHECK(laboratory.tune().decision.configuration == kFastest);
}

TEST_CASE("a budget of time ends the search soon, with what was measured so far raced") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune({.budget = {.time = std::chrono::milliseconds(0)}});
  CHECK(report.out_of_time);
  CHECK_FALSE(report.interrupted);
  CHECK(report.decision.counters.at("asked") < 11);
  CHECK(report.decision.counters.at("asked") == report.decision.counters.at("timed"));
  CHECK(laboratory.decided().has_value());
}

TEST_CASE("of configurations with one binary the same is named whichever compiled first") {
  const auto same_everything = [](const std::string& configuration) {
    Behaviour behaviour = ordinary("BLOCK=256");
    behaviour.binary = configuration.starts_with("BLOCK=256") ? "fast" : "";
    if (behaviour.binary.empty()) behaviour = ordinary("BLOCK=32");
    return behaviour;
  };
  for (const std::size_t room : {1, 3, 100}) {
    Laboratory laboratory(one_block_task(), same_everything, room);
    CHECK(laboratory.tune().decision.configuration == kNext);
  }
}

TEST_CASE("a baseline that fails ends the session with a sentence, and its row is kept") {
  Laboratory laboratory(except(kBaseline, [](Behaviour& behaviour) { behaviour.run = Outcome::launch_refused; }));
  const std::string message = test::error_of(Errc::baseline_failed, [&] { laboratory.tune(); });
  CHECK(message.find(kBaseline) != std::string::npos);
  CHECK(laboratory.row(kBaseline).outcome == Outcome::launch_refused);
  CHECK_FALSE(laboratory.rows().empty());
}

TEST_CASE("a problem whose buffers do not fit is refused with a sentence") {
  Laboratory laboratory;
  laboratory.device.prepare = Outcome::out_of_memory;
  CHECK_THROWS_WITH_AS(laboratory.tune(), doctest::Contains("n=1000"), Error);
}

TEST_CASE("a session that is stopped keeps what was measured and claims nothing more") {
  Laboratory laboratory;
  laboratory.stop_after(4);
  const TuneReport report = laboratory.tune();
  CHECK(report.interrupted);
  CHECK_FALSE(report.decision.configuration.empty());
  CHECK_FALSE(report.decision.verified);
  CHECK_FALSE(report.decision.speedup.has_value());
  CHECK(laboratory.rows().size() >= 4);
  CHECK(laboratory.rows().size() < 11);
  CHECK_FALSE(laboratory.decided().has_value());
}

/// A database on a full disk.
class FullStore final : public cache::MemoryStore {
 public:
  void record_trials(std::span<const cache::Trial>) override { fail(); }
  std::int64_t record_decision(const cache::Decision&) override { fail(); }
  void record_quarantine(const cache::Quarantined&) override { fail(); }

 private:
  [[noreturn]] static void fail() { throw Error(Errc::store_unavailable, "The disk is full."); }
};

TEST_CASE("a database that cannot be written costs one warning and not the result") {
  Laboratory laboratory;
  FullStore full;
  const SessionParts parts{laboratory.compile, laboratory.device, full, nullptr, laboratory.observer, laboratory.stop};
  const TuneReport report = run_session(laboratory.task, {}, parts);
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.counters.at("stored") == 0);
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings.front().find("The disk is full.") != std::string::npos);
}

TEST_CASE("what is finished reaches the database in batches while the session goes on, or at its end") {
  const auto stored_meanwhile = [](std::chrono::milliseconds row_delay) {
    Laboratory laboratory;
    std::optional<std::size_t> stored;
    laboratory.device.on_submit = [&] {
      if (laboratory.device.screened.size() == 8 && !stored) stored = laboratory.rows().size();
    };
    laboratory.tune({.row_delay = row_delay});
    CHECK(laboratory.rows().size() == 11);
    return stored.value();
  };
  CHECK(stored_meanwhile(std::chrono::milliseconds(0)) >= 2);
  CHECK(stored_meanwhile(std::chrono::hours(1)) == 0);
}

TEST_CASE(
    "a winner faster than memory was passed over, because it was slower than the memory's clock or there was none") {
  constexpr double kPeak = 4.8e12;
  const auto told = [](double bytes_per_s, bool knows_clock) {
    const int n = static_cast<int>(bytes_per_s / 12 * 1.25e-4);  // the fastest takes 125 us
    DeviceInfo device = known_device("H200");
    device.memory_bus_bits = 6144;
    device.memory_clock_khz = knows_clock ? static_cast<int>(kPeak / 2 / 768 / 1e3) : 0;
    Laboratory laboratory(Task(parse_descriptions(kKernel, "saxpy.cu").front(), {{"n", n}}, device, {}), ordinary);
    SessionOptions options;
    int asked = 0;
    options.memory_rates = [&] {
      ++asked;
      return MemoryRates{.memory = 0.85 * kPeak, .l2_cache = 2 * kPeak};
    };
    const TuneReport report = laboratory.tune(options);
    return std::pair(asked, beyond_memory_in(report.decision.counters).has_value());
  };
  for (const bool knows_clock : {true, false}) {
    CHECK(told(0.95 * kPeak, knows_clock) == std::pair(1, true));
    CHECK(told(1.5 * kPeak, knows_clock) == std::pair(1, true));
  }
  CHECK(told(0.85 * kPeak, true) == std::pair(0, false));
  CHECK(told(0.7 * kPeak, false) == std::pair(1, false));
}

TEST_CASE("the same seed gives the same trials") {
  const auto run = [] {
    Laboratory laboratory;
    laboratory.tune({.strategy = "random", .seed = 9});
    std::vector<std::string> rows;
    for (const cache::Trial& trial : laboratory.observer.trials) rows.push_back(trial.configuration);
    return rows;
  };
  CHECK(run() == run());
}

}  // namespace
}  // namespace tuner::engine
