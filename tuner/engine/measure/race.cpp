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

/// Mean difference of log(time) between two entries inside blocks, and its interval.
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
  std::size_t leader = 0;
  std::vector<Difference> to_leader;
  std::vector<bool> slower;   ///< shown to be more than the tie threshold slower
  std::vector<bool> running;  ///< deserves further samples
  bool decided = false;
};

Race::Race(std::size_t entries, const RaceOptions& options, std::optional<std::size_t> baseline)
    : options_(options),
      baseline_(baseline),
      clean_(entries),
      all_(entries),
      running_(entries, true),
      withdrawn_(entries, false),
      resting_(entries, false),
      most_blocks_(options.max_blocks),
      shuffle_(options.seed) {
  if (entries == 0 || (baseline && *baseline >= entries)) {
    throw Error(Errc::internal, fmt::format("A race of {} entries was requested with entry {} as the baseline; it "
                                            "needs at least one entry, and the baseline among them.",
                                            entries, baseline.value_or(0)));
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

std::vector<std::size_t> Race::next_block() {
  if (finished_) return {};
  if (!pending_.empty()) return pending_;
  for (std::size_t entry = 0; entry < running_.size(); ++entry) {
    if (running_[entry]) pending_.push_back(entry);
  }
  shuffle_(pending_);
  return pending_;
}

void Race::add_block(std::span<const std::size_t> order, std::span<const double> samples_ns, bool disturbed) {
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

void Race::add(std::span<const std::size_t> order, std::span<const double> samples_ns, bool disturbed) {
  if (order.size() != samples_ns.size()) {
    throw Error(Errc::internal, fmt::format("A block of {} entries has {} samples; every entry needs one.",
                                            order.size(), samples_ns.size()));
  }
  std::vector<bool> seen(running_.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= seen.size() || seen[order[i]] || !is_time(samples_ns[i])) {
      throw Error(Errc::internal,
                  fmt::format("A block contains {} ns for entry {} of {}; each entry may occur once, with a time.",
                              samples_ns[i], order[i], seen.size()));
    }
    seen[order[i]] = true;
  }
  all_.add(order, samples_ns);
  if (!disturbed) clean_.add(order, samples_ns);
}

void Race::rest(std::size_t entry) {
  if (entry >= resting_.size()) {
    throw Error(Errc::internal,
                fmt::format("Entry {} was to rest in a race of {}; entries count from 0.", entry, resting_.size()));
  }
  resting_[entry] = true;
  running_[entry] = false;
  std::erase(pending_, entry);
}

void Race::wake() {
  wake_all();
  look_again(clean_.blocks >= options_.min_blocks && (!finished_ || decided_));
}

void Race::wake_all() {
  for (std::size_t entry = 0; entry < resting_.size(); ++entry) {
    if (resting_[entry] && !withdrawn_[entry]) running_[entry] = true;
    resting_[entry] = false;
  }
  pending_.clear();
}

void Race::end() {
  finished_ = true;
  pending_.clear();
}

void Race::Samples::add(std::span<const std::size_t> order, std::span<const double> samples_ns) {
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
  for (std::size_t entry = 0; entry < withdrawn_.size(); ++entry) {
    if (!withdrawn_[entry] && !samples.times_ns[entry].empty()) return true;
  }
  return false;
}

void Race::withdraw(std::size_t entry) {
  if (entry >= withdrawn_.size()) {
    throw Error(Errc::internal, fmt::format("Entry {} was withdrawn from a race of {}; entries count from 0.", entry,
                                            withdrawn_.size()));
  }
  const bool rested = resting_[entry];
  withdrawn_[entry] = true;
  running_[entry] = false;
  std::erase(pending_, entry);
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

Race::Difference Race::difference(std::size_t entry, std::size_t other) const {
  const Samples& samples = used();
  if (entry == other) return {.blocks = samples.blocks, .mean = 0, .variance = 0, .freedom = 0, .half_width = 0};
  const std::vector<double>& a = samples.log_times[entry];
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

// How much the differences of an entry scatter is hardly known after a few blocks, how much those of all entries do is.
// So each variance is drawn towards the median one, which counts as much as kPriorFreedom degrees of freedom (Smyth's
// moderated t, 2004); fewer where few entries make the median.
Race::Prior Race::prior(std::size_t leader) const {
  std::vector<double> variances;
  for (std::size_t entry = 0; entry < running_.size(); ++entry) {
    if (entry == leader || withdrawn_[entry]) continue;
    const Difference one = difference(entry, leader);
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

// Where the search for a new leader begins: the entry of the shortest median; one that has a single sample only where
// nobody has more, and nobody without a sample, if somebody has one. By medians, for those who are left may have shared
// no block: a slow baseline and whoever rested, for instance.
std::size_t Race::best_known() const {
  const Samples& samples = used();
  const auto rank = [&samples](std::size_t entry) {
    const std::vector<double>& times = samples.times_ns[entry];
    return std::pair(times.size() < 2, times.empty() ? kInfinity : median(times));
  };
  std::optional<std::size_t> best;
  for (std::size_t entry = 0; entry < withdrawn_.size(); ++entry) {
    if (withdrawn_[entry] || resting_[entry]) continue;
    if (!best || rank(entry) < rank(*best)) best = entry;
  }
  return best.value_or(leader_);
}

// Entries that were left out lead only where the last leader no longer can: it was what they had been left out for.
bool Race::may_lead(std::size_t entry, bool leader_gone) const {
  return running_[entry] || (leader_gone && !resting_[entry]);
}

// From the last leader to whoever is faster than it by paired differences, until nobody is. Entries that took part in
// different blocks can beat each other in a circle, so nobody leads twice in one look.
std::size_t Race::find_leader() const {
  std::vector<bool> tried = withdrawn_;
  const bool gone = withdrawn_[leader_] || resting_[leader_] || used().times_ns[leader_].empty();
  std::size_t leader = gone ? best_known() : leader_;
  for (;;) {
    tried[leader] = true;
    double fastest = 0;
    std::size_t next = leader;
    for (std::size_t entry = 0; entry < running_.size(); ++entry) {
      if (tried[entry] || !may_lead(entry, gone)) continue;
      const double mean = difference(entry, leader).mean;
      if (mean < fastest) {
        fastest = mean;
        next = entry;
      }
    }
    if (next == leader) return leader;
    leader = next;
  }
}

// Enough is known about an entry that is not shown to be slower: it is within the threshold, or too near to it to tell.
bool Race::settled(const Difference& to_leader) const {
  return to_leader.high() < std::log1p(options_.tie_threshold) ||
         to_leader.half_width <= std::log1p(options_.resolution);
}

bool Race::baseline_known(const Difference& to_leader) const {
  return to_leader.half_width <= std::log1p(options_.baseline_precision) ||
         to_leader.low() >= std::log(options_.far_baseline);
}

Race::Look Race::look() const {
  const std::size_t entries = running_.size();
  Look look{.leader = find_leader(),
            .to_leader = {},
            .slower = std::vector<bool>(entries, false),
            .running = std::vector<bool>(entries, false),
            .decided = &used() == &clean_};
  const Prior spread = prior(look.leader);
  for (std::size_t entry = 0; entry < entries; ++entry) {
    Difference& to_leader = look.to_leader.emplace_back(difference(entry, look.leader));
    widen(to_leader, spread);
    if (withdrawn_[entry]) continue;
    const int least = resting_[entry] ? 2 : options_.min_blocks;
    look.slower[entry] = to_leader.blocks >= least && to_leader.low() > std::log1p(options_.tie_threshold);
    if (resting_[entry]) continue;
    const bool enough = look.slower[entry] ? baseline_ != entry || baseline_known(to_leader)
                                           : to_leader.blocks >= least && settled(to_leader);
    look.running[entry] = !look.slower[entry] || !enough;
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
  for (std::size_t entry = 0; entry < running_.size(); ++entry) {
    const Difference& to_leader = now.to_leader[entry];
    Standing& standing = result.standings.emplace_back(Standing{
        .relative_time = std::exp(to_leader.mean),
        .low = std::exp(to_leader.low()),
        .high = std::exp(to_leader.high()),
        .blocks = static_cast<int>(samples.times_ns[entry].size()),
        .median_ns = 0,
        .samples_ns = samples.times_ns[entry],
        .eliminated = now.slower[entry],
        .withdrawn = withdrawn_[entry],
        .rested = resting_[entry],
        .tied = !now.slower[entry] && !withdrawn_[entry] && (entry == now.leader || !samples.times_ns[entry].empty())});
    if (standing.blocks > 0) standing.median_ns = median(standing.samples_ns);
  }
  return result;
}

std::vector<std::size_t> eligible(const RaceResult& result) {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < result.standings.size(); ++i) {
    const Standing& one = result.standings[i];
    if (!one.tied || (i != result.leader && (one.rested || std::isinf(one.high)))) continue;
    entries.push_back(i);
  }
  return entries;
}

std::optional<Ratio> Race::compare(std::size_t entry, std::size_t other) const {
  Difference between = difference(entry, other);
  if (between.blocks < 2) return std::nullopt;
  widen(between, prior(other));
  return Ratio{std::exp(between.mean), std::exp(between.low()), std::exp(between.high())};
}

int Race::shared_blocks(std::size_t entry, std::size_t other) const {
  return difference(entry, other).blocks;
}

std::optional<Speedup> Race::speedup(std::size_t entry) const {
  if (!baseline_) return std::nullopt;
  return compare(*baseline_, entry);
}

}  // namespace tuner::engine
