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
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "bench/program.hpp"
#include "tuner/core/base/assignments.hpp"
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

struct Session {
  std::size_t leader = 0, winner = 0;  ///< configurations
  std::vector<std::size_t> timed, entrants, racers, tied;
  double screening_ns = 0, racing_ns = 0;
  int blocks = 0;
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
    while (one.add(tape.sample(column)) == Screen::SampleVerdict::more) {
    }
    result.noise.add(one.samples_ns());
    for (const double sample : one.samples_ns()) session.screening_ns += sample + lead_in_ns;
    result.pool.push_back({{column}, *one.time_ns(), one.censored()});
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
  const std::vector<Finalist> entrants =
      choose_finalists(screening.pool, screening.noise.finalist_policy(), EntryId{baseline});
  const TournamentOptions options = tournament_options(screening.pool, session.screening_ns, lead_in_ns, seed);
  // An entry is a configuration of the recording.
  const auto column_of = [&](EntrantId entrant) { return entrants[entrant.index].id.index; };
  Tournament tournament(entrants, options);
  tape.start_blocks();
  while (!tournament.finished()) {
    Block block{.order = tournament.next_block(), .launches = options.launches};
    std::vector<std::size_t> columns;
    for (const EntrantId entrant : block.order) columns.push_back(column_of(entrant));
    block.samples_ns = tape.block(columns, options.launches);
    tournament.add_block(std::move(block));
  }
  for (const Screened& one : screening.pool) {
    if (!one.censored) session.timed.push_back(one.id.index);
  }
  for (const Finalist& one : entrants) session.entrants.push_back(one.id.index);
  const RaceResult race = tournament.result();
  std::vector<TieCandidate> tied;
  for (const EntrantId entrant : race.standings.ids()) {
    if (!race.standings[entrant].rested) session.racers.push_back(column_of(entrant));
    if (race.standings[entrant].tied) session.tied.push_back(column_of(entrant));
  }
  const std::vector<EntrantId> finalists = eligible(race);
  for (const EntrantId entrant : finalists) {
    const std::size_t column = column_of(entrant);
    tied.push_back(
        {.differing_parameters = static_cast<int>(
             tuner::differing_assignments(recording.configurations[column], recording.configurations[baseline]).size()),
         .registers = recording.registers[column],
         .text = recording.configurations[column],
         .relative_time = race.standings[entrant].relative_time});
  }
  session.leader = column_of(race.leader);
  session.winner = column_of(finalists[choose_winner(tied)]);
  session.racing_ns = tournament.spent_ns();
  session.blocks = tournament.blocks();
  session.decided = race.decided;
  return session;
}

bool contains(const std::vector<std::size_t>& all, std::size_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// What all samples together say.
struct Truth {
  std::vector<double> time_ns, noise;  ///< of every configuration
  std::size_t best = 0;
  double plain_ns = 0;  ///< seven samples of every configuration
  double regret(std::size_t column) const { return time_ns[column] / time_ns[best] - 1; }
};

Truth truth_of(const Recording& recording, double lead_in_ns) {
  Truth truth;
  for (std::size_t column = 0; column < recording.configurations.size(); ++column) {
    std::vector<double> logs, times;
    for (const auto& row : recording.rows) {
      times.push_back(row[column]);
      logs.push_back(std::log(row[column]));
    }
    truth.time_ns.push_back(std::exp(winsorised_mean(logs).mean));
    truth.noise.push_back(relative_spread(times));
    truth.plain_ns += 7 * (truth.time_ns.back() + lead_in_ns);
  }
  truth.best = std::ranges::min_element(truth.time_ns) - truth.time_ns.begin();
  return truth;
}

void print_recording(const Recording& recording, const Truth& truth) {
  const std::size_t count = recording.configurations.size();
  const auto within = [&](double share) {
    std::size_t near = 0;
    for (std::size_t i = 0; i < count; ++i) near += truth.regret(i) <= share;
    return near;
  };
  fmt::print(
      "{} configurations, {} blocks; best {} at {:.0f} ns, median {:.0f} ns; spread of single samples {:.2f} %, "
      "of the best {:.2f} %; within 0.5 % {}, 1 % {}, 5 % {}, 25 % {}\n",
      count, recording.rows.size(), recording.configurations[truth.best], truth.time_ns[truth.best],
      median(truth.time_ns), 100 * median(truth.noise), 100 * truth.noise[truth.best], within(0.005), within(0.01),
      within(0.05), within(0.25));
}

void print_line(const char* name, const std::vector<double>& values) {
  fmt::print("  {:<34} p5 {:8.3f}  p50 {:8.3f}  p95 {:8.3f}  max {:8.3f}\n", name, quantile(values, 0.05),
             median(values), quantile(values, 0.95), *std::ranges::max_element(values));
}

/// Whether the winners of a group of sessions are tied in each of them, and where those that are not were lost.
void print_groups(const std::vector<Session>& sessions) {
  constexpr std::size_t kGroup = 20;
  std::vector<double> distinct;
  int stable = 0, pairs = 0, missing = 0, not_raced = 0, not_timed = 0, not_entered = 0;
  for (std::size_t begin = 0; begin + kGroup <= sessions.size(); begin += kGroup) {
    const std::span group = std::span(sessions).subspan(begin, kGroup);
    const int missing_before = missing;
    std::set<std::size_t> winners;
    for (const Session& a : group) {
      winners.insert(a.winner);
      for (const Session& b : group) {
        ++pairs;
        missing += !contains(b.tied, a.winner);
        not_timed += !contains(b.timed, a.winner);
        not_entered += !contains(b.entrants, a.winner);
        not_raced += !contains(b.racers, a.winner);
      }
    }
    stable += missing == missing_before;
    distinct.push_back(static_cast<double>(winners.size()));
  }
  if (distinct.empty()) return;
  print_line("different winners of 20 sessions", distinct);
  fmt::print(
      "  groups of 20 sessions in which each winner is tied in every session: {} of {}; winner not tied in "
      "{:.2f} % of pairs (killed {:.2f} %, not entered {:.2f} %, halved out {:.2f} %)\n",
      stable, distinct.size(), 100.0 * missing / pairs, 100.0 * not_timed / pairs,
      100.0 * (not_entered - not_timed) / pairs, 100.0 * (not_raced - not_entered) / pairs);
}

void report(const Recording& recording, int count, double lead_in_ns) {
  const Truth truth = truth_of(recording, lead_in_ns);
  print_recording(recording, truth);
  std::vector<Session> sessions;
  for (int i = 0; i < count; ++i) sessions.push_back(play(recording, 1000 + i, 0, lead_in_ns));
  const auto line = [&](const char* name, auto figure) {
    std::vector<double> values;
    for (const Session& session : sessions) values.push_back(static_cast<double>(figure(session)));
    print_line(name, values);
  };
  line("winner slower than the best, %", [&](const Session& s) { return 100 * truth.regret(s.winner); });
  line("leader slower than the best, %", [&](const Session& s) { return 100 * truth.regret(s.leader); });
  line("worst tied slower than the best, %", [&](const Session& s) {
    double worst = 0;
    for (const std::size_t tied : s.tied) worst = std::max(worst, 100 * truth.regret(tied));
    return worst;
  });
  line("GPU time / seven plain runs",
       [&](const Session& s) { return (s.screening_ns + s.racing_ns) / truth.plain_ns; });
  line("  of that screening", [&](const Session& s) { return s.screening_ns / truth.plain_ns; });
  line("blocks", [](const Session& s) { return s.blocks; });
  line("racers", [](const Session& s) { return s.racers.size(); });
  line("tied", [](const Session& s) { return s.tied.size(); });
  line("spread estimated, %", [](const Session& s) { return 100 * s.spread; });
  const auto share = [&](auto is) { return 100.0 * static_cast<double>(std::ranges::count_if(sessions, is)) / count; };
  const auto near = [&](std::size_t Session::*which, double regret) {
    return share([&, which, regret](const Session& s) { return truth.regret(s.*which) <= regret; });
  };
  fmt::print("  winner within 0.5 %: {:.1f} %, within 1 %: {:.1f} % (leader {:.1f}, {:.1f}); undecided {:.1f} %\n",
             near(&Session::winner, 0.005), near(&Session::winner, 0.01), near(&Session::leader, 0.005),
             near(&Session::leader, 0.01), share([](const Session& s) { return !s.decided; }));
  print_groups(sessions);
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_race", [&] {
    if (argc < 2) throw std::runtime_error("usage: bench_race RECORDING [SESSIONS] [LEAD_IN_NS]");
    report(read(argv[1]), argc > 2 ? std::atoi(argv[2]) : 400, argc > 3 ? std::atof(argv[3]) : 28e3);
  });
}
