// Processes that are killed while they work: the program itself, or what works for it.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

// 34 right ones and 112 faults, all classes but compile_timeout among them, which would take long each time.
const std::string kSome =
    "KIND != compiles_forever && (VARIANT in (0, 4, 6, 9, 12, 15) || KIND == right && FLAVOUR == 3)";
constexpr int kSize = 24 + 10 + 6 * 18 + 2 * 2;

void check_unchanged(const std::vector<Row>& before, const std::vector<Row>& now) {
  REQUIRE(before.size() <= now.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i].everything == now[i].everything);
}

bool may_be_repeated(const std::string& outcome) {
  return outcome == "out_of_memory" || outcome == "illegal_access" || outcome == "run_timeout" ||
         outcome == "worker_lost";
}

// What the fake driver notes down for every launch of a failing kind.
std::string journal_line(const std::string& configuration) {
  return "launch " + kind_of(configuration) +
         " time=40000 variant=" + configuration.substr(configuration.rfind('=') + 1) + ",0";
}

}  // namespace

TEST_CASE("killed at a quarter, a half and three quarters, the program keeps what it stored and does not repeat it") {
  const Tuner user;
  std::vector<Row> stored;
  for (const int percent : {25, 50, 75}) {
    CAPTURE(percent);
    const std::size_t enough = static_cast<std::size_t>(kSize * percent / 100);
    Running program(user, user.words({kSearched, kSome}));
    REQUIRE(eventually([&] { return user.count_rows() >= enough || program.ended(); }));
    if (program.ended()) {
      const Result told = program.finish();
      FAIL("it ended before, with " << told.exit_code << ": " << told.out << told.err);
    }
    program.signal(SIGKILL);
    CHECK(program.finish().exit_code == 128 + SIGKILL);
    CHECK(user.all_processes_end());
    const std::vector<Row> now = user.rows();
    check_unchanged(stored, now);
    stored = now;
  }

  std::map<std::string, std::size_t> launches;
  for (const Row& row : stored) {
    if (row.outcome == "ok" || row.outcome == "out_of_memory") continue;
    const std::string launch = journal_line(row.configuration);
    launches[launch] = user.count_in_journal(launch);
  }
  const TuneReport told = user.tune({kSearched, kSome});
  check_winner(told, kFastest);
  CHECK(told.counters.at("asked") == kSize);
  CHECK(told.counters.at("screened") + told.counters.at("reused") == kSize);
  CHECK(told.counters.at("screened") < kSize);
  const std::vector<Row> all = user.rows();
  check_unchanged(stored, all);
  std::map<std::string, int> times;
  user.check_outcomes();
  for (const Row& row : all) {
    CAPTURE(row.configuration);
    // A row is added again only where the failure may have been bad luck, or for what is quarantined.
    if (++times[row.configuration] > 1) CHECK(may_be_repeated(row.outcome));
  }
  CHECK(times.size() == kSize);
  for (const auto& [configuration, launched] : launches) CHECK(launched == user.count_in_journal(configuration));

  const TuneReport again = user.tune({"KIND == right && FLAVOUR == 3"});
  CHECK(again.counters.at("screened") == 0);
  CHECK(user.count_rows() == all.size());
}

TEST_CASE("workers that are killed at random cost neither the session nor its winner") {
  const Tuner user;
  std::mt19937 random(20);
  Running program(user, user.words({"KIND in (right, wrong, unwritten)"}));
  // A candidate that loses two workers is given up, and a device that loses three in a row: between two kills there is
  // a whole block of the race, and between two of compilers more than can have been compiled ahead.
  std::size_t launches = 20, loads = 4;
  std::map<std::string, int> kills;
  const auto may_kill = [&](const Process& process) {
    if (process.role == "device") return user.count_in_journal("launch") >= launches;
    return process.role == "compile" && user.count_in_journal("load") >= loads;
  };
  while (!program.ended()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
    std::vector<Process> victims = user.processes();
    std::erase_if(victims, [&](const Process& process) { return !may_kill(process); });
    if (victims.empty()) continue;
    const Process& victim = victims[random() % victims.size()];
    if (kill(victim.pid, SIGKILL) != 0) continue;
    ++kills[victim.role];
    if (victim.role == "device") launches = user.count_in_journal("launch") + 100;
    if (victim.role == "compile") loads = user.count_in_journal("load") + 40;
  }
  const TuneReport told = read_report(program.finish());
  CHECK(kills["device"] >= 3);
  CHECK(kills["compile"] >= 2);
  check_winner(told, kFastest);
  CHECK(user.count_rows() == 96);
  user.check_outcomes();
  CHECK(user.all_processes_end());
}
