// Simulates where the rule of the expected gain ends searches of recorded spaces, and what they missed.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <string>

#include "tests/support/skip.hpp"
#include "tuner/engine/effort/stop_rules.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {
namespace {

/// What is asked for does not depend on the rule, so that one search shows where each of these would have ended it.
constexpr std::array kGains{0.01, 0.02, 0.05};
/// As many as a session on one GPU has under way.
constexpr std::size_t kUnheard = 24;

/// A recorded space.
struct Recorded {
  explicit Recorded(const Recording& recording) : task(recorded_task(recording)), times_ns(task.space().size()) {
    for (const RecordedTrial& trial : recording.trials) {
      if (trial.outcome != Outcome::ok) continue;
      times_ns[*task.space().index_of(trial.configuration)] = trial.time_ns;
      optimum_ns = std::min(optimum_ns, trial.time_ns);
    }
  }

  search::Observation observe(const search::Configuration& configuration) const {
    search::Observation observation;
    observation.configuration = configuration;
    const double time_ns = times_ns[*task.space().index_of(configuration)];
    if (time_ns > 0) {
      observation.time_ns = time_ns;
    } else {
      observation.outcome = Outcome::launch_refused;
    }
    return observation;
  }

  Task task;
  std::vector<double> times_ns;  ///< by the index in the space; 0: it failed
  double optimum_ns = std::numeric_limits<double>::infinity();
};

/// Where a rule would have ended a search, which goes on to see what that would have missed.
class Ending {
 public:
  Ending(double gain, const Recorded& space)
      : gain_(gain), optimum_ns_(space.optimum_ns), rules_({.gain = gain}, space.task.space().size()) {}

  void tell(const search::Observation& observation) {
    ++told_;
    best_ns_ = std::min(best_ns_, observation.time_ns.value_or(best_ns_));
    if (stopped_) {
      missed_next_ = missed_next_ || (told_ <= 2 * *stopped_ && best_ns_ < worthwhile_ns_);
      return;
    }
    rules_.tell(observation);
    if (!rules_.met()) return;
    stopped_ = told_;
    worthwhile_ns_ = best_ns_ / (1 + gain_);
  }

  /// Whether it is open what the rule misses, if a search that goes on until `latest` does not count.
  bool open(std::size_t latest) const {
    if (!stopped_) return told_ < latest;
    return missed_ever() && !missed_next_ && told_ < 2 * *stopped_;
  }

  std::optional<std::size_t> stopped() const { return stopped_; }
  bool missed_next() const { return missed_next_; }  ///< as many configurations again had more to gain
  bool missed_ever() const { return stopped_ && optimum_ns_ < worthwhile_ns_; }

 private:
  const double gain_, optimum_ns_;
  StopRules rules_;
  std::size_t told_ = 0;
  double best_ns_ = std::numeric_limits<double>::infinity();
  std::optional<std::size_t> stopped_;
  double worthwhile_ns_ = 0;
  bool missed_next_ = false;
};

/// The endings by each of the gains.
std::vector<Ending> search(const Recorded& space, const char* strategy, std::uint64_t seed, std::size_t latest) {
  std::vector<Ending> endings;
  for (const double gain : kGains) endings.emplace_back(gain, space);
  const auto search = search::make_strategy(strategy, space.task.space(), {.seed = seed, .may_end_early = true});
  std::deque<search::Configuration> unheard;
  while (std::any_of(endings.begin(), endings.end(), [&](const Ending& ending) { return ending.open(latest); })) {
    for (const auto& asked : search->ask(kUnheard - unheard.size())) unheard.push_back(asked);
    if (unheard.empty()) break;
    const search::Observation observation = space.observe(unheard.front());
    unheard.pop_front();
    search->tell(observation);
    for (Ending& ending : endings) ending.tell(observation);
  }
  return endings;
}

struct Tally {
  int searches = 0, missed_next = 0, missed_ever = 0;
  std::vector<std::size_t> lengths;  ///< of those that the rule ended

  void add(const Ending& ending, std::size_t latest) {
    ++searches;
    if (!ending.stopped() || *ending.stopped() > latest) return;
    lengths.push_back(*ending.stopped());
    missed_next += ending.missed_next();
    missed_ever += ending.missed_ever();
  }

  double share(int count) const { return count / std::max(1.0, static_cast<double>(lengths.size())); }
};

/// One for each of the gains.
std::array<Tally, kGains.size()> tally(const char* strategy, std::uint64_t seeds, std::size_t latest) {
  constexpr std::uint64_t kFirst = 25;  // those before had a part in choosing the rule
  std::array<Tally, kGains.size()> tallies;
  for (const auto& file : std::filesystem::directory_iterator(test::spaces_folder())) {
    if (!file.path().string().ends_with(".csv.gz")) continue;
    const Recorded space(read_recording(file.path()));
    for (std::uint64_t seed = kFirst; seed < kFirst + seeds; ++seed) {
      const std::vector<Ending> endings = search(space, strategy, seed, latest);
      for (std::size_t i = 0; i < kGains.size(); ++i) tallies[i].add(endings[i], latest);
    }
  }
  for (Tally& tally : tallies) std::sort(tally.lengths.begin(), tally.lengths.end());
  return tallies;
}

TEST_CASE("a search ended for little expected gain has seldom more to gain from as many configurations again") {
  for (const char* strategy : {"model", "random"}) {
    const bool learns = strategy == std::string("model");  // and takes a thousand times as long
    const auto tallies = learns ? tally(strategy, 15, 800) : tally(strategy, 40, 4000);
    for (std::size_t i = 0; i < kGains.size(); ++i) {
      const Tally& found = tallies[i];
      REQUIRE(found.lengths.size() >= static_cast<std::size_t>(found.searches) / 8);  // fewer say nothing
      MESSAGE(std::string(strategy), " below ", kGains[i], ": stopped ", found.lengths.size(), " of ", found.searches,
              ", half of them by ", found.lengths[found.lengths.size() / 2],
              "; more than that left to gain from as many again: ", found.share(found.missed_next),
              ", in the whole space: ", found.share(found.missed_ever));
      // In random order as many again bring a new best in half of all cases, whatever a rule knows.
      CHECK(found.share(found.missed_next) <= (learns ? 0.1 : 0.3));
    }
  }
}

}  // namespace
}  // namespace tuner::engine
