// Screens, halves and races on recorded samples, many times over: what a session would have chosen, what it would have
// cost, and how far from the best that all samples together find.
//
//   bench_race RECORDING [SESSIONS] [LEAD_IN_NS]
//
// A recording is what bench_winners writes. Rows are taken as they were recorded, one after the other, from a row
// drawn at random; every session asks for the configurations in an order of its own. A batch of launches is the mean of
// as many rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/program.hpp"
#include "tuner/engine/measure/decide.hpp"
#include "tuner/engine/measure/noise.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/engine/measure/tournament.hpp"

namespace {

using namespace tuner::engine;

struct Recording {
  std::vector<std::string> configurations;
  std::vector<int> registers;
  std::vector<std::vector<float>> rows;  ///< [block][configuration], nanoseconds
};

Recording read(const std::string& file) {
  Recording recording;
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::size_t blocks = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string kind, text, word;
    int registers = 0;
    words >> kind;
    if (kind == "blocks") {
      words >> blocks;
      break;
    }
    words >> text >> word >> registers;
    recording.configurations.push_back(text);
    recording.registers.push_back(registers);
  }
  recording.rows.assign(blocks, std::vector<float>(recording.configurations.size()));
  for (std::vector<float>& row : recording.rows) {
    in.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
  if (!in || blocks == 0) throw std::runtime_error(file + " is no recording of bench_winners.");
  return recording;
}

std::vector<std::string> values_of(const std::string& configuration) {
  std::vector<std::string> values;
  std::istringstream in(configuration);
  for (std::string one; std::getline(in, one, ',');) values.push_back(one);
  return values;
}

int differing(const std::string& a, const std::string& b) {
  const auto left = values_of(a), right = values_of(b);
  int count = 0;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) count += left[i] != right[i];
  return count;
}

struct Session {
  std::size_t leader = 0, winner = 0;  ///< configurations
  std::vector<std::size_t> timed, entrants, racers, tied;
  double screening_ns = 0, racing_ns = 0;
  int screening_samples = 0, blocks = 0;
  double spread = 0;
  bool decided = false;
};

/// Plays the rows of a recording as a GPU would have given them.
class Tape {
 public:
  Tape(const Recording& recording, std::uint64_t seed)
      : recording_(recording), engine_(seed), row_(engine_() % recording.rows.size()) {}

  /// One sample of one configuration, while others take theirs.
  double sample(std::size_t column) {
    if (used_.empty()) used_.assign(recording_.configurations.size(), 0);
    const std::size_t row = std::max(row_ + taken_++ / used_.size(), used_[column]);
    used_[column] = row + 1;
    return at(row, column);
  }
  void start_blocks() {
    if (!used_.empty()) row_ = *std::max_element(used_.begin(), used_.end());
  }
  std::vector<double> block(const std::vector<std::size_t>& columns, int launches) {
    std::vector<double> samples(columns.size(), 0);
    for (int i = 0; i < launches; ++i, ++row_) {
      for (std::size_t k = 0; k < columns.size(); ++k) samples[k] += at(row_, columns[k]) / launches;
    }
    return samples;
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  double at(std::size_t row, std::size_t column) const { return recording_.rows[row % recording_.rows.size()][column]; }

  const Recording& recording_;
  std::mt19937_64 engine_;
  std::size_t row_, taken_ = 0;
  std::vector<std::size_t> used_;
};

struct Screening {
  std::vector<Screened> pool;
  Noise noise;
};

Screening screen(const Recording& recording, Tape& tape, std::size_t baseline, double lead_in_ns, Session& session) {
  std::vector<std::size_t> order(recording.configurations.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), tape.engine());
  std::swap(order.front(), *std::find(order.begin(), order.end(), baseline));
  Screening result;
  constexpr std::size_t kSpared = FinalistPolicy{}.at_least;  // as the session has it
  std::multiset<double> times;
  std::optional<double> best_ns;
  for (const std::size_t column : order) {
    Screen one(column == baseline ? Noise::reference_policy(true) : result.noise.screen_policy(true, best_ns), best_ns);
    while (one.add(tape.sample(column)) == Screen::Step::more) {
    }
    result.noise.add(one.samples_ns());
    for (const double sample : one.samples_ns()) session.screening_ns += sample + lead_in_ns;
    session.screening_samples += static_cast<int>(one.samples_ns().size());
    result.pool.push_back({column, *one.time_ns(), one.censored()});
    if (!one.censored()) times.insert(*one.time_ns());
    if (times.size() >= kSpared) best_ns = *std::next(times.begin(), kSpared - 1);
  }
  return result;
}

Session play(const Recording& recording, std::uint64_t seed, std::size_t baseline, double lead_in_ns) {
  Session session;
  Tape tape(recording, seed);
  const Screening screening = screen(recording, tape, baseline, lead_in_ns, session);
  session.spread = screening.noise.spread();
  const std::vector<Finalist> entrants = choose_finalists(screening.pool, screening.noise.finalist_policy(), baseline);
  const TournamentOptions options = tournament_options(screening.pool, session.screening_ns, lead_in_ns, seed);
  Tournament tournament(entrants, options);
  tape.start_blocks();
  while (!tournament.finished()) {
    Block block{.order = tournament.next_block(), .launches = options.launches};
    std::vector<std::size_t> columns;
    for (const std::size_t entry : block.order) columns.push_back(entrants[entry].id);
    block.samples_ns = tape.block(columns, options.launches);
    tournament.add_block(std::move(block));
  }
  for (const Screened& one : screening.pool) {
    if (!one.censored) session.timed.push_back(one.id);
  }
  for (const Finalist& one : entrants) session.entrants.push_back(one.id);
  const RaceResult race = tournament.result();
  std::vector<TieCandidate> tied;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (!race.standings[i].rested) session.racers.push_back(entrants[i].id);
    if (race.standings[i].tied) session.tied.push_back(entrants[i].id);
  }
  for (const std::size_t i : eligible(race)) {
    const std::size_t column = entrants[i].id;
    tied.push_back(
        {.id = column,
         .differing_parameters = differing(recording.configurations[column], recording.configurations[baseline]),
         .registers = recording.registers[column],
         .text = recording.configurations[column],
         .relative_time = race.standings[i].relative_time});
  }
  session.leader = entrants[race.leader].id;
  session.winner = choose_winner(tied);
  session.racing_ns = tournament.spent_ns();
  session.blocks = tournament.blocks();
  session.decided = race.decided;
  return session;
}

bool contains(const std::vector<std::size_t>& all, std::size_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void report(const Recording& recording, int sessions, double lead_in_ns) {
  const std::size_t count = recording.configurations.size();
  std::vector<double> truth_ns;
  std::vector<double> noise;
  double plain_ns = 0;
  for (std::size_t column = 0; column < count; ++column) {
    std::vector<double> logs, times;
    for (const auto& row : recording.rows) {
      times.push_back(row[column]);
      logs.push_back(std::log(row[column]));
    }
    truth_ns.push_back(std::exp(winsorised_mean(logs).mean));
    noise.push_back(relative_spread(times));
    plain_ns += 7 * (truth_ns.back() + lead_in_ns);
  }
  const std::size_t best = std::min_element(truth_ns.begin(), truth_ns.end()) - truth_ns.begin();
  const auto regret = [&](std::size_t column) { return truth_ns[column] / truth_ns[best] - 1; };
  int near[4] = {};
  for (std::size_t i = 0; i < count; ++i) {
    near[0] += regret(i) <= 0.005;
    near[1] += regret(i) <= 0.01;
    near[2] += regret(i) <= 0.05;
    near[3] += regret(i) <= 0.25;
  }
  fmt::print(
      "{} configurations, {} blocks; best {} at {:.0f} ns, median {:.0f} ns; spread of single samples {:.2f} %, "
      "of the best {:.2f} %; within 0.5 % {}, 1 % {}, 5 % {}, 25 % {}\n",
      count, recording.rows.size(), recording.configurations[best], truth_ns[best], median(truth_ns),
      100 * median(noise), 100 * noise[best], near[0], near[1], near[2], near[3]);

  std::vector<double> distinct, leaders, winners, cost, screening_cost, blocks, racers, ties, spreads, worst_tied;
  int half = 0, one = 0, leader_half = 0, leader_one = 0, undecided = 0, pairs = 0, missing = 0, not_raced = 0,
      not_timed = 0, not_entered = 0;
  std::vector<Session> group;
  int groups = 0, stable = 0;
  for (int i = 0; i < sessions; ++i) {
    group.push_back(play(recording, 1000 + i, 0, lead_in_ns));
    const Session& s = group.back();
    leaders.push_back(100 * regret(s.leader));
    winners.push_back(100 * regret(s.winner));
    half += regret(s.winner) <= 0.005;
    one += regret(s.winner) <= 0.01;
    leader_half += regret(s.leader) <= 0.005;
    leader_one += regret(s.leader) <= 0.01;
    undecided += !s.decided;
    cost.push_back((s.screening_ns + s.racing_ns) / plain_ns);
    screening_cost.push_back(s.screening_ns / plain_ns);
    blocks.push_back(s.blocks);
    racers.push_back(static_cast<double>(s.racers.size()));
    ties.push_back(static_cast<double>(s.tied.size()));
    spreads.push_back(100 * s.spread);
    double worst = 0;
    for (const std::size_t tied : s.tied) worst = std::max(worst, 100 * regret(tied));
    worst_tied.push_back(worst);
    if (group.size() < 20) continue;
    int lost = 0;
    for (const Session& a : group) {
      for (const Session& b : group) {
        ++pairs;
        if (!contains(b.tied, a.winner)) ++lost;
        not_timed += !contains(b.timed, a.winner);
        not_entered += !contains(b.entrants, a.winner);
        not_raced += !contains(b.racers, a.winner);
      }
    }
    missing += lost;
    std::vector<std::size_t> names;
    for (const Session& a : group) {
      if (!contains(names, a.winner)) names.push_back(a.winner);
    }
    distinct.push_back(static_cast<double>(names.size()));
    ++groups;
    stable += lost == 0;
    group.clear();
  }
  const auto line = [](const char* name, const std::vector<double>& values) {
    fmt::print("  {:<34} p5 {:8.3f}  p50 {:8.3f}  p95 {:8.3f}  max {:8.3f}\n", name, quantile(values, 0.05),
               median(values), quantile(values, 0.95), *std::max_element(values.begin(), values.end()));
  };
  line("winner slower than the best, %", winners);
  line("leader slower than the best, %", leaders);
  line("worst tied slower than the best, %", worst_tied);
  line("GPU time / seven plain runs", cost);
  line("  of that screening", screening_cost);
  line("blocks", blocks);
  line("racers", racers);
  line("tied", ties);
  line("spread estimated, %", spreads);
  fmt::print("  winner within 0.5 %: {:.1f} %, within 1 %: {:.1f} % (leader {:.1f}, {:.1f}); undecided {:.1f} %\n",
             100.0 * half / sessions, 100.0 * one / sessions, 100.0 * leader_half / sessions,
             100.0 * leader_one / sessions, 100.0 * undecided / sessions);
  if (groups > 0) {
    line("different winners of 20 sessions", distinct);
    fmt::print(
        "  groups of 20 sessions in which each winner is tied in every session: {} of {}; winner not tied in "
        "{:.2f} % of pairs (killed {:.2f} %, not entered {:.2f} %, halved out {:.2f} %)\n",
        stable, groups, 100.0 * missing / pairs, 100.0 * not_timed / pairs, 100.0 * (not_entered - not_timed) / pairs,
        100.0 * (not_raced - not_entered) / pairs);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_race", [&] {
    if (argc < 2) throw std::runtime_error("usage: bench_race RECORDING [SESSIONS] [LEAD_IN_NS]");
    report(read(argv[1]), argc > 2 ? std::atoi(argv[2]) : 400, argc > 3 ? std::atof(argv[3]) : 28e3);
  });
}
