#include "tuner/engine/measure/tournament.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Ids = std::vector<EntrantId>;
using Sample = std::function<double(std::size_t)>;

/// Who ran to the end.
Ids awake(Tournament& tournament) {
  const RaceResult result = tournament.result();
  Ids ids;
  for (const EntrantId entrant : result.standings.ids()) {
    if (!result.standings[entrant].rested && !result.standings[entrant].withdrawn) ids.push_back(entrant);
  }
  return ids;
}

std::vector<Finalist> entrants(std::size_t qualified) {
  std::vector<Finalist> result;
  for (std::size_t i = 0; i < qualified; ++i) result.push_back({.id = {1000 + i}, .qualified = true});
  return result;
}

/// And a baseline behind them that did not qualify.
std::vector<Finalist> with_baseline(std::size_t qualified) {
  std::vector<Finalist> result = entrants(qualified);
  result.push_back({.id = {7}, .is_baseline = true});
  return result;
}

void run_block(Tournament& tournament, const Sample& sample) {
  Block block{.order = tournament.next_block()};
  for (const EntrantId entrant : block.order) block.samples_ns.push_back(sample(entrant.index));
  tournament.add_block(block);
}

void run(Tournament& tournament, const Sample& sample) {
  while (!tournament.finished()) run_block(tournament, sample);
}

// Entry i takes i % longer than entry 0, and a little more or less from time to time.
struct Ladder {
  int taken = 0;
  double operator()(std::size_t entry) {
    return 1000 * (1 + 0.01 * static_cast<double>(entry)) * (1 + 0.001 * (taken++ * 7 % 11 - 5));
  }
};

TEST_CASE("few entrants race at once") {
  Tournament tournament(entrants(4), {});
  CHECK(tournament.racing());
  CHECK(tournament.next_block().size() == 4);
  run(tournament, Ladder{});
  CHECK(tournament.result().leader == EntrantId{0});
  CHECK(tournament.result().decided);
}

TEST_CASE("of many, the better ones race, and the baseline with them, which halving never ran") {
  Tournament tournament(with_baseline(40), {});
  CHECK_FALSE(tournament.racing());
  CHECK(tournament.next_block().size() == 40);
  Ladder ladder;
  while (!tournament.racing()) run_block(tournament, std::ref(ladder));
  CHECK(awake(tournament).size() <= HalvingOptions{}.keep + 1);
  int baseline_samples = 0;
  run(tournament, [&](std::size_t entry) {
    baseline_samples += entry == 40;
    return entry == 40 ? 2500.0 : ladder(entry);
  });
  const Ids racers = awake(tournament);
  CHECK(racers.front() == EntrantId{0});
  CHECK(racers.back() == EntrantId{40});
  CHECK(baseline_samples > 0);
  CHECK(tournament.result().leader == EntrantId{0});
  CHECK(tournament.race().speedup({0})->ratio == doctest::Approx(2.5).epsilon(0.02));
}

TEST_CASE("what the halving measured counts in the race") {
  Tournament tournament(entrants(40), {});
  Ladder ladder;
  int blocks = 0;
  while (!tournament.racing()) {
    run_block(tournament, std::ref(ladder));
    ++blocks;
  }
  CHECK(tournament.result().blocks == blocks);
  CHECK(tournament.result().standings[{0}].samples_ns.size() == static_cast<std::size_t>(blocks));
}

TEST_CASE("a baseline that the halving would leave out races all the same") {
  std::vector<Finalist> all = entrants(40);
  all[39].is_baseline = true;
  all[38].is_previous = true;
  Tournament tournament(all, {});
  run(tournament, Ladder{});
  const Ids racers = awake(tournament);
  CHECK(std::count(racers.begin(), racers.end(), EntrantId{39}) == 1);
  CHECK(std::count(racers.begin(), racers.end(), EntrantId{38}) == 1);
}

TEST_CASE("the budget ends a race that cannot tell, undecided, and counts launches and what precedes them") {
  const TournamentOptions options{.budget_ns = 20 * 2 * (10 * 1000.0 + 500), .lead_in_ns = 500, .launches = 10};
  Tournament tournament(entrants(2), options);
  int taken = 0;
  while (!tournament.finished()) {
    Block block{.order = tournament.next_block(), .launches = options.launches};
    for (std::size_t i = 0; i < block.order.size(); ++i) block.samples_ns.push_back(taken++ % 2 == 0 ? 900 : 1100);
    tournament.add_block(block);
  }
  CHECK(tournament.blocks() == 20);
  CHECK(tournament.spent_ns() == doctest::Approx(options.budget_ns));
  CHECK_FALSE(tournament.result().decided);
  CHECK(tournament.result().standings[{0}].tied);
  CHECK(tournament.result().standings[{1}].tied);
}

TEST_CASE("a halving may not spend the race's share") {
  const TournamentOptions options{.budget_ns = 40 * 2000.0, .halving_share = 0.5, .lead_in_ns = 1000};
  Tournament tournament(entrants(40), options);
  run_block(tournament, [](std::size_t) { return 1000.0; });
  CHECK(tournament.racing());
  CHECK(awake(tournament).size() <= HalvingOptions{}.keep);
}

TEST_CASE("a withdrawn entrant neither halves nor races nor leads") {
  Tournament tournament(entrants(40), {});
  run_block(tournament, Ladder{});
  tournament.withdraw({0});
  run(tournament, Ladder{});
  const Ids racers = awake(tournament);
  CHECK(std::count(racers.begin(), racers.end(), EntrantId{0}) == 0);
  CHECK(tournament.result().leader == EntrantId{1});
}

TEST_CASE("withdrawing everybody ends the tournament with nobody tied") {
  for (const std::size_t count : {3U, 40U}) {
    Tournament tournament(entrants(count), {});
    for (std::size_t i = 0; i < count; ++i) tournament.withdraw({i});
    CHECK(tournament.finished());
    for (const Standing& standing : tournament.result().standings) CHECK_FALSE(standing.tied);
  }
}

TEST_CASE("an interrupted halving has a result") {
  Tournament tournament(entrants(40), {});
  run_block(tournament, Ladder{});
  const RaceResult result = tournament.result();
  CHECK(result.leader < EntrantId{2});
  CHECK_FALSE(result.decided);
}

TEST_CASE("the same seed and samples give the same tournament, another seed other orders") {
  const auto orders = [](std::uint64_t seed) {
    TournamentOptions options;
    options.halving.seed = options.race.seed = seed;
    Tournament tournament(entrants(30), options);
    std::vector<Ids> result;
    Ladder ladder;
    while (!tournament.finished()) {
      result.push_back(tournament.next_block());
      run_block(tournament, std::ref(ladder));
    }
    return result;
  };
  CHECK(orders(1) == orders(1));
  CHECK(orders(1) != orders(2));
}

TEST_CASE("screening and race together cost less than a third of seven runs of every candidate") {
  std::vector<Screened> pool(1000, {.time_ns = 970e3});
  pool.front().time_ns = 100e3;
  const TournamentOptions options = tournament_options(pool, 1e9, 30e3, 5);
  CHECK(options.budget_ns + 1e9 < 7e9 / 3);
  CHECK(options.budget_ns > 1e9);
  CHECK(options.launches == 1);
  CHECK(options.race.seed == 5);
}

TEST_CASE("whatever screening has spent, 400 samples are raced, those that fit a quarter of a second, or 40") {
  const auto budget_ns = [](double time_ns) {
    const std::vector<Screened> few(3, {.time_ns = time_ns});
    return tournament_options(few, 1e12, 30e3, 5).budget_ns;
  };
  CHECK(budget_ns(100e3) == doctest::Approx(400 * 130e3));
  CHECK(budget_ns(1e6) == doctest::Approx(0.25e9));
  CHECK(budget_ns(10e6) == doctest::Approx(40 * 10.03e6));
  const std::vector<Screened> tiny(3, {.time_ns = 1e3});
  const TournamentOptions batches = tournament_options(tiny, 1e12, 30e3, 5);
  CHECK(batches.launches > 1);
  CHECK(batches.budget_ns == doctest::Approx(400 * (30e3 + 1e3 * batches.launches)));
}

TEST_CASE(
    "where four GPUs screened, one races for a quarter of what each did, or two seconds, but no longer than alone") {
  const auto budget_ns = [](std::size_t candidates, std::size_t gpus) {
    const std::vector<Screened> pool(candidates, {.time_ns = 10e6});
    return tournament_options(pool, 1.1e7 * static_cast<double>(candidates), 30e3, 5, gpus).budget_ns;
  };
  CHECK(budget_ns(4000, 4) == doctest::Approx(44e9 / 4 / 4));
  CHECK(budget_ns(300, 4) == doctest::Approx(2e9));
  CHECK(budget_ns(100, 4) == doctest::Approx(budget_ns(100, 1)));
}

TEST_CASE("the more samples there are for each entrant, the longer the halving takes over leaving somebody out") {
  const auto blocks_of_all = [](double samples) {
    Tournament tournament(entrants(12), {.budget_ns = samples * 1000, .lead_in_ns = 0, .sample_ns = 1000});
    int blocks = 0;
    for (; tournament.next_block().size() == 12; ++blocks) run_block(tournament, [](std::size_t) { return 1000.0; });
    return blocks;
  };
  CHECK(blocks_of_all(80) == 2);
  CHECK(blocks_of_all(400) == 8);
  CHECK(blocks_of_all(1e6) == 16);
}

TEST_CASE("the baseline is measured although nothing is left to spend, and nobody ties without a sample") {
  const TournamentOptions options{.budget_ns = 1};
  Tournament tournament(with_baseline(40), options);
  run(tournament, Ladder{});
  const RaceResult result = tournament.result();
  CHECK(result.standings[{40}].blocks >= options.race.min_blocks);
  CHECK_FALSE(result.standings[{40}].tied);
  for (const Standing& standing : result.standings) CHECK((!standing.tied || standing.blocks > 0));
}

TEST_CASE("screening that stopped nobody early leaves the race its share") {
  const std::vector<Screened> pool{
      {.id = {0}, .time_ns = 1000}, {.id = {1}, .time_ns = 2000}, {.id = {2}, .time_ns = 3000}};
  const double everybody_three_times = 3 * (6000 + 3 * 100);
  CHECK(tournament_options(pool, everybody_three_times, 100, 0).budget_ns > 0.5 * 6300);
}

TEST_CASE("whoever the halving left out ties until shown to be slower, and does not win") {
  Tournament tournament(entrants(12), {.budget_ns = 150 * 1000.0, .lead_in_ns = 0});
  int taken = 0;
  run(tournament, [&](std::size_t entry) {
    return 1000 * (1 + 0.004 * static_cast<double>(entry)) * (1 + 0.01 * (taken++ * 7 % 11 - 5));
  });
  const RaceResult result = tournament.result();
  int rested_ties = 0;
  for (const Standing& one : result.standings) rested_ties += one.rested && one.tied;
  CHECK(rested_ties > 0);
  for (const EntrantId entrant : eligible(result)) CHECK_FALSE(result.standings[entrant].rested);
}

TEST_CASE("a race decided early wakes those that rest, as long as there is budget") {
  Tournament tournament(entrants(12), {});
  run(tournament, [](std::size_t entry) { return 1000 + 4 * static_cast<double>(entry); });
  const RaceResult result = tournament.result();
  CHECK(result.decided);
  for (const Standing& one : result.standings) CHECK_FALSE(one.rested);
  CHECK(result.standings[{2}].tied);
  CHECK(result.standings[{3}].eliminated);
}

TEST_CASE("when the leader fails, those that rested run again") {
  Tournament tournament(entrants(12), {});
  Ladder ladder;
  while (!tournament.racing()) run_block(tournament, std::ref(ladder));
  const std::size_t before = awake(tournament).size();
  tournament.withdraw(tournament.result().leader);
  CHECK(awake(tournament).size() > before);
}

TEST_CASE("finalists that fail when the budget is spent give way to faster ones that rested, not to a slow baseline") {
  const auto sample = [taken = 0](std::size_t entry) mutable {
    const double true_ns = entry == 20 ? 2500 : 1000 * (1 + 0.003 * static_cast<double>(entry));
    return true_ns * (1 + 0.002 * (taken++ * 7 % 11 - 5));
  };
  Tournament tournament(with_baseline(20), {.budget_ns = 100e3, .lead_in_ns = 0});
  run(tournament, sample);
  for (int failures = 0; failures < 8; ++failures) {
    const EntrantId winner = tournament.result().leader;
    CHECK(winner.index < static_cast<std::size_t>(failures) + 5);
    CHECK(tournament.result().standings[{20}].eliminated);
    const double spent_ns = tournament.spent_ns();
    tournament.withdraw(winner);
    run(tournament, sample);
    CHECK(tournament.spent_ns() < spent_ns + 9 * 22e3);  // at most eight blocks of all of them, and a little
  }
}

TEST_CASE("a winner that woke when the baseline was settled meets it in the end, whatever the budget") {
  std::vector<Finalist> all = entrants(95);
  all.back().is_baseline = true;
  Tournament tournament(all, {.budget_ns = 450 * 1030.0, .lead_in_ns = 30});
  Ladder ladder;
  const auto sample = [&](std::size_t entry) { return ladder(0) * (entry == 94 ? 1.04 : 1.0); };
  run(tournament, sample);
  const Race& race = tournament.race();
  constexpr EntrantId kBaseline{94};
  EntrantId met_least;
  for (std::size_t i = 0; i < 94; ++i) {
    if (race.shared_blocks(kBaseline, {i}) < race.shared_blocks(kBaseline, met_least)) met_least = {i};
  }
  REQUIRE(race.shared_blocks(kBaseline, met_least) < 4);
  for (Ids order; !(order = tournament.next_meeting(met_least)).empty();) {
    Block block{.order = order};
    for (const EntrantId entrant : order) block.samples_ns.push_back(sample(entrant.index));
    tournament.add_meeting(block);
  }
  CHECK(race.shared_blocks(kBaseline, met_least) == 4);
  CHECK(race.speedup(met_least)->ratio == doctest::Approx(1.04).epsilon(0.01));
  CHECK(tournament.finished());
  CHECK(tournament.next_meeting(kBaseline).empty());
}

TEST_CASE("meetings end although every block is disturbed") {
  Tournament tournament(with_baseline(40), {.budget_ns = 0});
  run(tournament, Ladder{});
  int meetings = 0;
  for (Ids order; !(order = tournament.next_meeting({3})).empty(); ++meetings) {
    tournament.add_meeting({.order = order, .samples_ns = {1000, 1000}, .disturbed = true});
  }
  CHECK(meetings <= 8);
}

TEST_CASE("a tournament of nobody is refused") {
  CHECK_THROWS_AS(Tournament({}, {}), Error);
}

}  // namespace
}  // namespace tuner::engine
