// What searches of an effort find on recorded spaces, what they spend, and whether their beliefs are right; prints
// markdown for docs/results/.
//   TUNER_SPACES_DIR=FOLDER bench_search_effort [SEEDS [EFFORT [FIRST_SEED [MS...]]]]
// SEEDS (default 10) searches of EFFORT (default normal) a recording, asking and ending as a session on one GPU does,
// with 24 under way. What a result costs follows from the recording, with 15 compilers beside the GPU; in recordings of
// other tuners it is each MS in turn (default 10 and 40). A session takes a second besides.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <memory>
#include <thread>

#include "bench/program.hpp"
#include "bench/search/recordings.hpp"
#include "tuner/engine/recording/recording.hpp"
#include "tuner/engine/session/effort_limits.hpp"
#include "tuner/engine/session/result_cost.hpp"
#include "tuner/engine/session/session_options.hpp"
#include "tuner/engine/session/stop_rules.hpp"

namespace tuner::bench {
namespace {

constexpr std::size_t kUnderWay = 24, kCompilers = 15;
constexpr double kSessionSeconds = 1;
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

struct Ended {
  double slower = std::numeric_limits<double>::infinity();  ///< 0.02: 2 % slower than the best of the space
  double share = 0;                                         ///< of the space that was tried
  std::optional<double> chance;                             ///< that is believed left; nothing: not known
  bool says_little() const { return chance && *chance < kLittle; }
};

search::Observation observe(const Place& place, const search::Configuration& configuration) {
  const cache::Trial& trial = place.trials[place.task.space().index_of(configuration).value()];
  return {.configuration = configuration, .outcome = trial.outcome, .time_ns = trial.time_ns};
}

Ended search(const Place& place, Effort effort, std::uint64_t seed) {
  const search::Space& space = place.task.space();
  engine::StopRules rules(engine::limits_of(effort, space.size()), space.size());
  engine::ResultCost cost(space.size(), kCompilers, 1);
  const auto strategy = search::make_strategy(
      "auto", space, {.seed = seed, .budget = rules.evaluations(), .may_end_early = rules.may_end_early()});
  std::deque<search::Configuration> under_way;
  std::uint64_t asked = 0;
  double best_ns = std::numeric_limits<double>::infinity();
  while (!rules.met()) {
    const std::uint64_t most = rules.evaluations().value_or(space.size());
    const std::size_t window = std::clamp<std::size_t>(most / 4, 1, kUnderWay);
    const std::uint64_t room = window - std::min(window, under_way.size());
    for (auto& next : strategy->ask(std::min(most - std::min(most, asked), room))) {
      under_way.push_back(std::move(next));
      ++asked;
    }
    if (under_way.empty()) break;
    const search::Observation observation = observe(place, under_way.front());
    cost.add(place.trials[space.index_of(under_way.front()).value()]);
    under_way.pop_front();
    strategy->tell(observation);
    rules.tell(observation);
    best_ns = std::min(best_ns, observation.time_ns.value_or(best_ns));
    if (const auto belief = strategy->belief()) rules.tell(*belief);
    if (!rules.awaits_spending() || !cost.seconds() || rules.told() < engine::ResultCost::kSettling) continue;
    rules.spend(engine::spending_of(effort, space.size(), *cost.seconds(), engine::SessionOptions{}.percent_worth));
    if (!rules.evaluations()) return {.slower = 0, .share = 1, .chance = 0};
  }
  Ended ended{.slower = best_ns / place.best_ns - 1, .share = static_cast<double>(rules.told()) / place.size()};
  if (const auto belief = strategy->belief()) ended.chance = belief->chance;
  if (rules.told() == space.size()) ended.chance = 0;
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
    double worst = 0, tried = 0, longest = 0, logarithm = 0;
    for (const Ended& run : runs) {
      worst = std::max(worst, run.slower);
      tried += run.share * place.size() / static_cast<double>(runs.size());
      longest = std::max(longest, time_of(place, run) * complete);
      logarithm += std::log(time_of(place, run)) / static_cast<double>(runs.size());
    }
    fmt::print("| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % | {:.0f} | {:.3f} | {:.1f} | {:.2f} |\n",
               place.name, place.trials.size(), complete, within(runs, 0.02), within(runs, 0.06), within(runs, 0.08),
               100 * worst, tried, std::exp(logarithm), longest,
               part_of(runs, [](const Ended& run) { return run.says_little(); }));
    std::fflush(stdout);
    constexpr double kDear = 15;
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

std::vector<Ended> searches(const Place& place, Effort effort, std::uint64_t first, std::size_t seeds) {
  std::vector<Ended> runs(seeds);
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t run = next++; run < seeds; run = next++) runs[run] = search(place, effort, first + run);
    });
  }
  threads.clear();
  return runs;
}

void judge(const std::vector<std::string>& words) {
  const auto word = [&](std::size_t i, const char* otherwise) { return i < words.size() ? words[i] : otherwise; };
  const std::size_t seeds = std::stoul(word(0, "10"));
  const auto effort = effort_from_string(word(1, "normal"));
  if (!effort) throw std::runtime_error(words[1] + " is no effort");
  const std::uint64_t first = std::stoull(word(2, "0"));
  std::vector<double> costs_ms{10, 40};
  if (words.size() > 3) costs_ms.clear();
  for (std::size_t i = 3; i < words.size(); ++i) costs_ms.push_back(std::stod(words[i]));
  Tables tables;
  for (const std::string& file : recordings()) {
    Place place(engine::read_recording(file));
    if (!place.is_foreign) tables.add(place, searches(place, *effort, first, seeds));
    for (const double ms : place.is_foreign ? costs_ms : std::vector<double>{}) {
      place.set_cost(ms);
      tables.add(place, searches(place, *effort, first, seeds));
    }
  }
  tables.print_all();
}

}  // namespace
}  // namespace tuner::bench

int main(int count, char** arguments) {
  return tuner::bench::run_program("bench_search_effort", [&] {
    tuner::bench::judge({arguments + 1, arguments + count});
  });
}
