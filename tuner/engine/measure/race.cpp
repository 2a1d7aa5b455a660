#include "tuner/engine/measure/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

constexpr double kNoisyFraction = 0.3;
constexpr int kPriorFreedom = 8;
constexpr int kLateLooks = 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

void require(bool holds, const char* sentence) {
  if (!holds) throw Error(Errc::bad_usage, sentence);
}

}  // namespace

/// Mean difference of log(time) between two entrants inside blocks, and its interval.
struct Race::Difference {
  int blocks = 0;
  double mean = 0;
  double variance = 0;  ///< of a single block's difference, as the winsorised mean sees it
  int freedom = 0;      ///< of `variance`; 0 while nothing is known of it
  double half_width = kInfinity;
  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

/// Everything that one look at the samples says.
struct Race::Look {
  EntrantId leader;
  PerEntrant<Difference> to_leader;
  PerEntrant<bool> slower;   ///< shown to be more than the tie threshold slower
  PerEntrant<bool> running;  ///< deserves further samples
  bool decided = false;
};

Race::Race(std::size_t entrants, const RaceOptions& options, std::optional<EntrantId> baseline)
    : options_(options),
      baseline_(baseline),
      clean_(entrants),
      all_(entrants),
      running_(entrants, true),
      withdrawn_(entrants, false),
      resting_(entrants, false),
      most_blocks_(options.max_blocks),
      shuffle_(options.seed) {
  if (entrants == 0 || (baseline && baseline->index >= entrants)) {
    throw Error(Errc::internal, fmt::format("A race of {} entries was requested with entry {} as the baseline; it "
                                            "needs at least one entry, and the baseline among them.",
                                            entrants, baseline.value_or(EntrantId{0}).index));
  }
  require(options.tie_threshold > 0, "The tie threshold of a race must be above 0; 0.01 is one percent.");
  require(options.resolution > 0, "The resolution of a race must be above 0; 0.004 is 0.4 percent.");
  require(options.min_blocks >= 2, "A race needs at least 2 blocks before it decides; raise min_blocks.");
  require(options.max_blocks >= options.min_blocks, "A race's max_blocks must not be below its min_blocks.");
  require(options.check_every >= 1, "A race must check its samples every block or less often; raise check_every.");
  require(options.z > 0, "The interval width z of a race must be above 0; 3 standard errors is usual.");
  require(options.baseline_precision > 0, "The baseline precision of a race must be above 0.");
  require(options.far_baseline > 1,
          "The factor from which a baseline counts as far must be above 1; raise far_baseline.");
}

std::vector<EntrantId> Race::next_block() {
  if (finished_) return {};
  if (!pending_.empty()) return pending_;
  for (const EntrantId entrant : running_.ids()) {
    if (running_[entrant]) pending_.push_back(entrant);
  }
  shuffle_(pending_);
  return pending_;
}

void Race::add_block(std::span<const EntrantId> order, std::span<const double> samples_ns, bool disturbed) {
  if (finished_) throw Error(Errc::internal, "A block was added to a finished race; ask finished() first.");
  add(order, samples_ns, disturbed);
  pending_.clear();
  const int since_first_look = clean_.blocks - options_.min_blocks;
  look_again(!disturbed && since_first_look >= 0 && since_first_look % options_.check_every == 0);
}

void Race::carry(std::span<const Block> blocks) {
  for (const Block& block : blocks) add(block.order, block.samples_ns, block.disturbed);
  pending_.clear();
  look_again(!finished_ && clean_.blocks >= options_.min_blocks);
}

void Race::add(std::span<const EntrantId> order, std::span<const double> samples_ns, bool disturbed) {
  if (order.size() != samples_ns.size()) {
    throw Error(Errc::internal, fmt::format("A block of {} entries has {} samples; every entry needs one.",
                                            order.size(), samples_ns.size()));
  }
  PerEntrant<bool> seen(running_.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].index >= seen.size() || seen[order[i]] || !is_time(samples_ns[i])) {
      throw Error(Errc::internal,
                  fmt::format("A block contains {} ns for entry {} of {}; each entry may occur once, with a time.",
                              samples_ns[i], order[i].index, seen.size()));
    }
    seen[order[i]] = true;
  }
  all_.add(order, samples_ns);
  if (!disturbed) clean_.add(order, samples_ns);
}

void Race::rest(EntrantId entrant) {
  if (entrant.index >= resting_.size()) {
    throw Error(Errc::internal, fmt::format("Entry {} was to rest in a race of {}; entries count from 0.",
                                            entrant.index, resting_.size()));
  }
  resting_[entrant] = true;
  running_[entrant] = false;
  std::erase(pending_, entrant);
}

void Race::wake() {
  wake_all();
  look_again(clean_.blocks >= options_.min_blocks && (!finished_ || decided_));
}

void Race::wake_all() {
  for (const EntrantId entrant : resting_.ids()) {
    if (resting_[entrant] && !withdrawn_[entrant]) running_[entrant] = true;
    resting_[entrant] = false;
  }
  pending_.clear();
}

void Race::end() {
  finished_ = true;
  pending_.clear();
}

void Race::Samples::add(std::span<const EntrantId> order, std::span<const double> samples_ns) {
  ++blocks;
  for (std::vector<double>& row : log_times) row.push_back(kAbsent);
  for (std::size_t i = 0; i < order.size(); ++i) {
    log_times[order[i]].back() = std::log(samples_ns[i]);
    times_ns[order[i]].push_back(samples_ns[i]);
  }
}

// Too few clean blocks to decide anything: then the disturbed ones are better than nothing.
const Race::Samples& Race::used() const {
  return clean_.blocks >= options_.min_blocks && somebody_has(clean_) ? clean_ : all_;
}

bool Race::somebody_has(const Samples& samples) const {
  for (const EntrantId entrant : withdrawn_.ids()) {
    if (!withdrawn_[entrant] && !samples.times_ns[entrant].empty()) return true;
  }
  return false;
}

void Race::withdraw(EntrantId entrant) {
  if (entrant.index >= withdrawn_.size()) {
    throw Error(Errc::internal, fmt::format("Entry {} was withdrawn from a race of {}; entries count from 0.",
                                            entrant.index, withdrawn_.size()));
  }
  const bool rested = resting_[entrant];
  withdrawn_[entrant] = true;
  running_[entrant] = false;
  std::erase(pending_, entrant);
  if (std::find(withdrawn_.begin(), withdrawn_.end(), false) == withdrawn_.end()) {
    finished_ = true;
    decided_ = false;
    return;
  }
  // Others were left out because of this one, or the race ended by it: whoever takes its place is yet to be found.
  if (!rested) {
    if (std::find(resting_.begin(), resting_.end(), true) != resting_.end()) wake_all();
    most_blocks_ = std::max(most_blocks_, all_.blocks + kLateLooks * options_.check_every);
    finished_ = decided_ = false;
  }
  look_again(clean_.blocks >= options_.min_blocks && (!finished_ || decided_));
}

void Race::look_again(bool is_due) {
  if (is_due) {
    const Look now = look();
    leader_ = now.leader;
    if (running_ != now.running) pending_.clear();
    running_ = now.running;
    finished_ = decided_ = now.decided;
  }
  if (all_.blocks >= most_blocks_) finished_ = true;
}

Race::Difference Race::difference(EntrantId entrant, EntrantId other) const {
  const Samples& samples = used();
  if (entrant == other) return {.blocks = samples.blocks, .mean = 0, .variance = 0, .freedom = 0, .half_width = 0};
  const std::vector<double>& a = samples.log_times[entrant];
  const std::vector<double>& b = samples.log_times[other];
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t block = 0; block < a.size(); ++block) {
    if (!std::isnan(a[block]) && !std::isnan(b[block])) differences.push_back(a[block] - b[block]);
  }
  if (differences.size() < 2) return {.blocks = static_cast<int>(differences.size())};
  const WinsorisedMean centre = winsorised_mean(differences);
  const double blocks = static_cast<double>(differences.size());
  return {.blocks = static_cast<int>(differences.size()),
          .mean = centre.mean,
          .variance = centre.standard_error * centre.standard_error * blocks,
          .freedom = centre.degrees_of_freedom};
}

// How much the differences of an entrant scatter is hardly known after a few blocks, how much those of all entrants do
// is. So each variance is drawn towards the median one, which counts as much as kPriorFreedom degrees of freedom
// (Smyth's moderated t, 2004); fewer where few entrants make the median.
Race::Prior Race::prior(EntrantId leader) const {
  std::vector<double> variances;
  for (const EntrantId entrant : running_.ids()) {
    if (entrant == leader || withdrawn_[entrant]) continue;
    const Difference one = difference(entrant, leader);
    if (one.freedom > 0) variances.push_back(one.variance / median_of_variance(one.freedom));
  }
  if (variances.empty()) return {};
  return {median(variances), std::min(kPriorFreedom, static_cast<int>(variances.size()) - 1)};
}

void Race::widen(Difference& one, const Prior& prior) const {
  if (one.freedom == 0) return;
  const int freedom = one.freedom + prior.freedom;
  const double variance = (one.freedom * one.variance + prior.freedom * prior.variance) / freedom;
  one.half_width = student_critical(options_.z, freedom) * std::sqrt(variance / one.blocks);
}

// Where the search for a new leader begins: the entrant of the shortest median; one that has a single sample only where
// nobody has more, and nobody without a sample, if somebody has one. By medians, for those who are left may have shared
// no block: a slow baseline and whoever rested, for instance.
EntrantId Race::best_known() const {
  const Samples& samples = used();
  const auto rank = [&samples](EntrantId entrant) {
    const std::vector<double>& times = samples.times_ns[entrant];
    return std::pair(times.size() < 2, times.empty() ? kInfinity : median(times));
  };
  std::optional<EntrantId> best;
  for (const EntrantId entrant : withdrawn_.ids()) {
    if (withdrawn_[entrant] || resting_[entrant]) continue;
    if (!best || rank(entrant) < rank(*best)) best = entrant;
  }
  return best.value_or(leader_);
}

// Entrants that were left out lead only where the last leader no longer can: it was what they had been left out for.
bool Race::may_lead(EntrantId entrant, bool leader_gone) const {
  return running_[entrant] || (leader_gone && !resting_[entrant]);
}

// From the last leader to whoever is faster than it by paired differences, until nobody is. Entrants that took part in
// different blocks can beat each other in a circle, so nobody leads twice in one look.
EntrantId Race::find_leader() const {
  PerEntrant<bool> tried = withdrawn_;
  const bool gone = withdrawn_[leader_] || resting_[leader_] || used().times_ns[leader_].empty();
  EntrantId leader = gone ? best_known() : leader_;
  for (;;) {
    tried[leader] = true;
    double fastest = 0;
    EntrantId next = leader;
    for (const EntrantId entrant : running_.ids()) {
      if (tried[entrant] || !may_lead(entrant, gone)) continue;
      const double mean = difference(entrant, leader).mean;
      if (mean < fastest) {
        fastest = mean;
        next = entrant;
      }
    }
    if (next == leader) return leader;
    leader = next;
  }
}

// Enough is known about an entrant that is not shown to be slower: it is within the threshold, or too near to it to
// tell.
bool Race::settled(const Difference& to_leader) const {
  return to_leader.high() < std::log1p(options_.tie_threshold) ||
         to_leader.half_width <= std::log1p(options_.resolution);
}

bool Race::baseline_known(const Difference& to_leader) const {
  return to_leader.half_width <= std::log1p(options_.baseline_precision) ||
         to_leader.low() >= std::log(options_.far_baseline);
}

Race::Look Race::look() const {
  const PerEntrant<bool> none(running_.size(), false);
  Look look{.leader = find_leader(), .to_leader = {}, .slower = none, .running = none, .decided = &used() == &clean_};
  const Prior spread = prior(look.leader);
  for (const EntrantId entrant : running_.ids()) {
    Difference& to_leader = look.to_leader.emplace_back(difference(entrant, look.leader));
    widen(to_leader, spread);
    if (withdrawn_[entrant]) continue;
    const int least = resting_[entrant] ? 2 : options_.min_blocks;
    look.slower[entrant] = to_leader.blocks >= least && to_leader.low() > std::log1p(options_.tie_threshold);
    if (resting_[entrant]) continue;
    const bool enough = look.slower[entrant] ? baseline_ != entrant || baseline_known(to_leader)
                                             : to_leader.blocks >= least && settled(to_leader);
    look.running[entrant] = !look.slower[entrant] || !enough;
    look.decided = look.decided && enough;
  }
  return look;
}

RaceResult Race::result() const {
  const Look now = look();
  const Samples& samples = used();
  const int disturbed = all_.blocks - clean_.blocks;
  const int dropped = all_.blocks - samples.blocks;
  RaceResult result{.leader = now.leader,
                    .standings = {},
                    .blocks = samples.blocks,
                    .dropped_blocks = dropped,
                    .noisy = disturbed > dropped || disturbed > kNoisyFraction * all_.blocks,
                    .decided = decided_,
                    .confidence = 2 * normal_probability(options_.z) - 1};
  for (const EntrantId entrant : running_.ids()) {
    const Difference& to_leader = now.to_leader[entrant];
    Standing& standing =
        result.standings.emplace_back(Standing{.relative_time = std::exp(to_leader.mean),
                                               .low = std::exp(to_leader.low()),
                                               .high = std::exp(to_leader.high()),
                                               .blocks = static_cast<int>(samples.times_ns[entrant].size()),
                                               .median_ns = 0,
                                               .samples_ns = samples.times_ns[entrant],
                                               .eliminated = now.slower[entrant],
                                               .withdrawn = withdrawn_[entrant],
                                               .rested = resting_[entrant],
                                               .tied = !now.slower[entrant] && !withdrawn_[entrant] &&
                                                       (entrant == now.leader || !samples.times_ns[entrant].empty())});
    if (standing.blocks > 0) standing.median_ns = median(standing.samples_ns);
  }
  return result;
}

std::vector<EntrantId> eligible(const RaceResult& result) {
  std::vector<EntrantId> entrants;
  for (const EntrantId entrant : result.standings.ids()) {
    const Standing& one = result.standings[entrant];
    if (!one.tied || (entrant != result.leader && (one.rested || std::isinf(one.high)))) continue;
    entrants.push_back(entrant);
  }
  return entrants;
}

std::optional<Ratio> Race::compare(EntrantId entrant, EntrantId other) const {
  Difference between = difference(entrant, other);
  if (between.blocks < 2) return std::nullopt;
  widen(between, prior(other));
  return Ratio{std::exp(between.mean), std::exp(between.low()), std::exp(between.high())};
}

int Race::shared_blocks(EntrantId entrant, EntrantId other) const {
  return difference(entrant, other).blocks;
}

std::optional<Speedup> Race::speedup(EntrantId entrant) const {
  if (!baseline_) return std::nullopt;
  return compare(*baseline_, entrant);
}

}  // namespace tuner::engine
