// What searches of an effort find on recorded spaces, what they spend, and whether their beliefs are right; prints
// markdown for docs/results/.
//   TUNER_SPACES_DIR=FOLDER bench_search_effort [SEEDS [EFFORT [FIRST_SEED [MS...]]]]
// SEEDS (default 10) searches of EFFORT (default normal) a recording, asking and ending as a session on one GPU does,
// with 24 under way. What is under way in the end counts as tried. What a result costs follows from the recording, with
// 15 compilers beside the GPU; in recordings of other tuners it is each MS in turn (default 10 and 40). A session takes
// a second besides.
//
// In the end the constants of spending are judged on kernels on which they were not chosen. Recordings whose names are
// alike up to the first `_` are a family. Each is left out in turn, and searched with those constants of a grid that
// take the least time on all others while enough of their searches are within 2 %.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "bench/program.hpp"
#include "bench/search/recordings.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/effort/effort_limits.hpp"
#include "tuner/engine/effort/result_cost.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::bench {
namespace {

constexpr std::size_t kUnderWay = 24, kCompilers = 15;
constexpr double kSessionSeconds = 1;
constexpr double kDear = 15;     ///< seconds of a complete search, above which its time counts
constexpr double kLittle = 0.2;  ///< below this chance a report says "less than 1 %"

/// A recorded space, and what a result costs there.
struct Place {
  explicit Place(const engine::Recording& recording)
      : name(recording.file.stem().stem().string()),
        is_foreign(recording.kernel_identity.empty()),
        task(engine::recorded_task(recording)),
        trials(task.space().size()) {
    double compiling_ms = 0, running_ms = 0;
    for (const engine::RecordedTrial& recorded : recording.trials) {
      cache::Trial& trial = trials[task.space().index_of(recorded.configuration).value()];
      trial.outcome = recorded.outcome;
      trial.compile_ms = recorded.compile_ms;
      trial.verify_ms = recorded.verify_ms;
      trial.timing_ms = recorded.bench_ms;
      compiling_ms += recorded.compile_ms;
      running_ms += recorded.verify_ms + recorded.bench_ms;
      if (recorded.outcome != Outcome::ok) continue;
      trial.time_ns = recorded.time_ns;
      best_ns = std::min(best_ns, recorded.time_ns);
    }
    seconds = std::max(compiling_ms / kCompilers, running_ms) / 1e3;
  }
  /// Every result costs as much.
  void set_cost(double ms) {
    for (cache::Trial& trial : trials) {
      trial.compile_ms = trial.verify_ms = 0;
      trial.timing_ms = ms;
    }
    seconds = ms / 1e3 * static_cast<double>(trials.size());
  }
  double size() const { return static_cast<double>(trials.size()); }

  std::string name;
  bool is_foreign;
  Task task;
  std::vector<cache::Trial> trials;  ///< by the index in the space
  double best_ns = std::numeric_limits<double>::infinity();
  double seconds = 0;  ///< of all results
};

/// A search that goes on for as long as any constants would have it.
struct Path {
  struct Gain {
    std::uint64_t told = 0;
    double slower = 0;  ///< than the best of the space: 0.02 is 2 %
  };
  std::vector<Gain> gains;            ///< whenever the best became faster
  std::vector<search::Belief> looks;  ///< whenever a belief was formed
  double result_s = 0;                ///< what a result costs, settled as in a session; 0: that was not settled
};

/// Where it ends.
struct Ended {
  double slower = 0;             ///< than the best of the space
  double share = 1;              ///< of the space that was tried
  std::optional<double> chance;  ///< that is believed left; nothing: not known
  bool says_little() const { return chance && *chance < kLittle; }
};

const std::chrono::duration<double> kPercentWorth = engine::SessionOptions{}.percent_worth;

std::size_t window_of(std::uint64_t space_size) {
  return std::clamp<std::size_t>(space_size / 4, 1, kUnderWay);
}

Path search(const Place& place, Effort effort, std::uint64_t seed, const engine::SpendingConstants& longest) {
  const search::Space& space = place.task.space();
  const std::size_t window = window_of(space.size());
  const auto strategy = search::make_strategy("auto", space, {.seed = seed, .may_end_early = true});
  engine::ResultCost cost(space.size(), kCompilers, 1);
  std::deque<search::Configuration> under_way;
  Path path;
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t most = space.size();
  for (std::uint64_t told = 1; told <= most; ++told) {
    for (auto& next : strategy->ask(window - under_way.size())) under_way.push_back(std::move(next));
    if (under_way.empty()) break;
    const cache::Trial& trial = place.trials[space.index_of(under_way.front()).value()];
    strategy->tell({.configuration = under_way.front(), .outcome = trial.outcome, .time_ns = trial.time_ns});
    under_way.pop_front();
    if (trial.time_ns && *trial.time_ns < best) {
      best = *trial.time_ns;
      path.gains.push_back({told, best / place.best_ns - 1});
    }
    const auto belief = strategy->belief();
    if (belief && (path.looks.empty() || path.looks.back().told < belief->told)) path.looks.push_back(*belief);
    if (!cost.add(trial)) continue;
    path.result_s = *cost.seconds();
    most = engine::spending_of(effort, space.size(), path.result_s, kPercentWorth, longest).most.value_or(0);
  }
  return path;
}

Ended end_of(const Place& place, Effort effort, const Path& path, const engine::SpendingConstants& constants) {
  const std::uint64_t size = place.trials.size();
  if (path.result_s == 0 || !engine::limits_of(effort, size).weighs) return {};
  const engine::Spending spending = engine::spending_of(effort, size, path.result_s, kPercentWorth, constants);
  if (!spending.most) return {};
  std::uint64_t told = *spending.most, tried = told;
  Ended ended;
  for (const search::Belief& belief : path.looks) {
    if (belief.told > told) break;
    ended.chance = belief.chance;
    if (spending.pays(belief)) continue;
    told = belief.told;
    // What is under way costs its time too. What it finds does not count: it may come too late.
    tried = std::min(tried, told + window_of(size));
  }
  ended.slower = std::numeric_limits<double>::infinity();
  for (const Path::Gain& gain : path.gains) {
    if (gain.told <= told) ended.slower = gain.slower;
  }
  ended.share = static_cast<double>(tried) / place.size();
  return ended;
}

double part_of(const std::vector<Ended>& runs, const auto& is_counted) {
  return static_cast<double>(std::ranges::count_if(runs, is_counted)) /
         static_cast<double>(std::max<std::size_t>(runs.size(), 1));
}
double within(const std::vector<Ended>& runs, double most) {
  return part_of(runs, [&](const Ended& run) { return run.slower <= most; });
}

/// Of a session, relative to the complete one.
double time_of(const Place& place, const Ended& run) {
  return (kSessionSeconds + run.share * place.seconds) / (kSessionSeconds + place.seconds);
}

double mean_logarithm(const Place& place, const std::vector<Ended>& runs) {
  double sum = 0;
  for (const Ended& run : runs) sum += std::log(time_of(place, run));
  return sum / static_cast<double>(runs.size());
}

class Tables {
 public:
  Tables() {
    fmt::print(
        "| recording | configurations | complete, s | within 2 % | 6 % | 8 % | worst | tried | time | longest, s | "
        "says "
        "little is left |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  }

  void add(const Place& place, const std::vector<Ended>& runs) {
    const double complete = kSessionSeconds + place.seconds;
    const double logarithm = mean_logarithm(place, runs);
    double worst = 0, tried = 0, longest = 0;
    for (const Ended& run : runs) {
      worst = std::max(worst, run.slower);
      tried += run.share * place.size() / static_cast<double>(runs.size());
      longest = std::max(longest, time_of(place, run) * complete);
    }
    fmt::print("| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % | {:.0f} | {:.3f} | {:.1f} | {:.2f} |\n",
               place.name, place.trials.size(), complete, within(runs, 0.02), within(runs, 0.06), within(runs, 0.08),
               100 * worst, tried, std::exp(logarithm), longest,
               part_of(runs, [](const Ended& run) { return run.says_little(); }));
    std::fflush(stdout);
    if (complete > kDear) times_.push_back(logarithm);
    for (const Ended& run : runs) (run.share < 1 ? early_ : complete_).push_back(run);
  }

  void print_all() const {
    std::vector<Ended> all = early_;
    all.insert(all.end(), complete_.begin(), complete_.end());
    double mean = 0;
    for (const double time : times_) mean += time / static_cast<double>(times_.size());
    fmt::print("\n{} runs: within 2 % {:.3f}, 6 % {:.3f}, 8 % {:.3f}; of those that end early {:.3f}, {:.3f}, {:.3f}\n",
               all.size(), within(all, 0.02), within(all, 0.06), within(all, 0.08), within(early_, 0.02),
               within(early_, 0.06), within(early_, 0.08));
    fmt::print("time, geometric mean over the {} above 15 s: {:.3f}\n\n", times_.size(), std::exp(mean));
    fmt::print("| chance of 1 % believed left | runs that end early | had less than 1 % | less than 2 % |\n");
    fmt::print("|---|---|---|---|\n");
    print_beliefs(0, 0.05);
    print_beliefs(0.05, 0.1);
    print_beliefs(0.1, kLittle);
    print_beliefs(kLittle, 1);
    print_beliefs(0, kLittle);
  }

 private:
  void print_beliefs(double from, double below) const {
    std::vector<Ended> runs;
    std::ranges::copy_if(early_, std::back_inserter(runs),
                         [&](const Ended& run) { return run.chance && *run.chance >= from && *run.chance < below; });
    fmt::print("| {} to {} | {} | {:.3f} | {:.3f} |\n", from, below, runs.size(), within(runs, 0.01),
               within(runs, 0.02));
  }

  std::vector<double> times_;  ///< logarithms, by recording
  std::vector<Ended> early_, complete_;
};

std::vector<Path> searches(const Place& place, Effort effort, std::uint64_t first, std::size_t seeds,
                           const engine::SpendingConstants& longest) {
  std::vector<Path> paths(seeds);
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t run = next++; run < seeds; run = next++)
        paths[run] = search(place, effort, first + run, longest);
    });
  }
  threads.clear();
  return paths;
}

/// The searches of a recording.
struct Searched {
  Place place;
  std::vector<Path> paths;

  std::string family() const { return place.name.substr(0, place.name.find('_')); }
  std::vector<Ended> ends(Effort effort, const engine::SpendingConstants& constants) const {
    std::vector<Ended> runs;
    for (const Path& path : paths) runs.push_back(end_of(place, effort, path, constants));
    return runs;
  }
};

constexpr std::array kRoots{14.0, 20.0}, kPercentsLeft{5.0, 10.0};
constexpr std::array kLeastRoots{5.0, 9.0};
constexpr std::array kSmallChances{0.1, 0.2, 0.3};  ///< seconds

std::vector<engine::SpendingConstants> grid() {
  std::vector<engine::SpendingConstants> points;
  for (const double roots : kRoots) {
    for (const double least_roots : kLeastRoots) {
      for (const double small_chance_s : kSmallChances) {
        for (const double percent_left : kPercentsLeft)
          points.push_back({roots, least_roots, small_chance_s, percent_left});
      }
    }
  }
  return points;
}

/// What constants come to on some recordings.
struct Merit {
  std::vector<Ended> early;      ///< the runs that end early
  std::vector<double> log_time;  ///< of each recording whose complete search is dear

  void add(const Place& place, const std::vector<Ended>& runs) {
    std::ranges::copy_if(runs, std::back_inserter(early), [](const Ended& run) { return run.share < 1; });
    if (place.seconds + kSessionSeconds > kDear) log_time.push_back(mean_logarithm(place, runs));
  }
  double time() const {
    double mean = 0;
    for (const double one : log_time) mean += one / static_cast<double>(log_time.size());
    return std::exp(mean);
  }
};

/// The point that takes the least time while enough are within 2 %; if none is, that with the most.
engine::SpendingConstants choose_without(const std::string& family, const std::vector<Searched>& all, Effort effort) {
  constexpr double kEnough = 0.98;
  engine::SpendingConstants chosen;
  std::pair<double, double> best{-1, 0};
  for (const engine::SpendingConstants& point : grid()) {
    Merit merit;
    for (const Searched& one : all) {
      if (one.family() != family) merit.add(one.place, one.ends(effort, point));
    }
    const std::pair rank{std::min(within(merit.early, 0.02), kEnough), -merit.time()};
    if (rank <= best) continue;
    best = rank;
    chosen = point;
  }
  return chosen;
}

void judge_nested(const std::vector<Searched>& all, Effort effort) {
  std::set<std::string> families;
  for (const Searched& one : all) families.insert(one.family());
  std::map<std::string, std::vector<std::string>> chosen;
  Merit nested;
  for (const std::string& family : families) {
    const engine::SpendingConstants constants = choose_without(family, all, effort);
    chosen[fmt::format("{} to {} roots, {} s, {} %", constants.least_roots, constants.roots, constants.small_chance_s,
                       constants.percent_left)]
        .push_back(family);
    for (const Searched& one : all) {
      if (one.family() == family) nested.add(one.place, one.ends(effort, constants));
    }
  }
  fmt::print(
      "\nEach family left out: {} runs that end early within 2 % {:.3f}, 6 % {:.3f}, 8 % {:.3f}; time {:.3f}\n\n",
      nested.early.size(), within(nested.early, 0.02), within(nested.early, 0.06), within(nested.early, 0.08),
      nested.time());
  fmt::print("| constants | chosen without |\n|---|---|\n");
  for (const auto& [constants, without] : chosen) fmt::print("| {} | {} |\n", constants, fmt::join(without, ", "));
}

void judge(const std::vector<std::string>& words) {
  const auto word = [&](std::size_t i, const char* otherwise) { return i < words.size() ? words[i] : otherwise; };
  const std::size_t seeds = std::stoul(word(0, "10"));
  const auto effort = effort_from_string(word(1, "normal"));
  if (!effort || *effort == Effort::full) throw std::runtime_error("EFFORT is quick or normal");
  const std::uint64_t first = std::stoull(word(2, "0"));
  std::vector<double> costs_ms{10, 40};
  if (words.size() > 3) costs_ms.clear();
  for (std::size_t i = 3; i < words.size(); ++i) costs_ms.push_back(std::stod(words[i]));
  std::vector<Searched> all;
  Tables tables;
  const auto add = [&](Place place) {
    std::vector<Path> paths = searches(place, *effort, first, seeds, {.roots = kRoots.back()});
    all.push_back({std::move(place), std::move(paths)});
    tables.add(all.back().place, all.back().ends(*effort, {}));
  };
  for (const std::string& file : recordings()) {
    Place place(engine::read_recording(file));
    if (!place.is_foreign) {
      add(std::move(place));
      continue;
    }
    for (const double ms : costs_ms) {
      Place at_cost(engine::read_recording(file));
      at_cost.set_cost(ms);
      add(std::move(at_cost));
    }
  }
  tables.print_all();
  judge_nested(all, *effort);
}

}  // namespace
}  // namespace tuner::bench

int main(int count, char** arguments) {
  return tuner::bench::run_program("bench_search_effort", [&] {
    tuner::bench::judge({arguments + 1, arguments + count});
  });
}
