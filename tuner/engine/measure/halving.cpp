#include "tuner/engine/measure/halving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

// Of few values the middle one, of an even number the smaller: one wild sample, which is a long one, must not decide.
double centre(const std::vector<double>& values) {
  constexpr std::size_t kFew = 5;
  if (values.size() >= kFew) return winsorised_mean(values).mean;
  std::vector<double> sorted = values;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace

Halving::Halving(std::size_t entrants, const HalvingOptions& options)
    : options_(options),
      left_(entrants, true),
      relative_(entrants),
      rung_blocks_(options.first_blocks),
      next_rung_(2 * options.first_blocks),
      shuffle_(options.seed) {
  if (entrants == 0) throw Error(Errc::internal, "A halving of no entries was requested; it needs at least one.");
  if (options.keep < 1 || options.first_blocks < 1 || !(options.tie_threshold > 0) || !(options.z > 0)) {
    throw Error(
        Errc::bad_usage,
        "A halving keeps at least one entry, runs at least one block, and its tie threshold and z are above 0.");
  }
  finish_if_few();
}

std::vector<EntrantId> Halving::survivors() const {
  std::vector<EntrantId> result;
  for (const EntrantId entrant : left_.ids()) {
    if (left_[entrant]) result.push_back(entrant);
  }
  return result;
}

void Halving::finish_if_few() {
  if (survivors().size() <= options_.keep) finished_ = true;
}

std::vector<EntrantId> Halving::next_block() {
  if (finished_ || !pending_.empty()) return pending_;
  pending_ = survivors();
  shuffle_(pending_);
  return pending_;
}

void Halving::add_block(Block block) {
  if (finished_) throw Error(Errc::internal, "A block was added to a finished halving; ask finished() first.");
  if (block.order.size() != block.samples_ns.size()) {
    throw Error(Errc::internal, "The number of samples in a block of a halving differs from the number of entries.");
  }
  pending_.clear();
  if (!block.disturbed && !block.order.empty()) {
    std::vector<double> logs;
    for (const double sample : block.samples_ns) {
      if (!is_time(sample)) throw Error(Errc::internal, "A block of a halving contains a sample that is not a time.");
      logs.push_back(std::log(sample));
    }
    const double middle = median(logs);
    for (std::size_t i = 0; i < logs.size(); ++i) relative_[block.order[i]].push_back(logs[i] - middle);
  }
  const bool counts = !block.disturbed;
  blocks_.push_back(std::move(block));
  if (!counts || --rung_blocks_ > 0) return;
  cut(std::max(options_.keep, (survivors().size() + 1) / 2));
  rung_blocks_ = std::exchange(next_rung_, 2 * next_rung_);
}

void Halving::withdraw(EntrantId entrant) {
  left_[entrant] = false;
  std::erase(pending_, entrant);
  finish_if_few();
}

void Halving::end() {
  if (finished_) return;
  cut(options_.keep);
  finished_ = true;
  pending_.clear();
}

// Everybody left took part in every block, so that their means over all blocks compare as their paired differences do.
std::vector<Halving::Score> Halving::scores() const {
  std::vector<Score> result;
  for (const EntrantId entrant : survivors()) {
    const std::vector<double>& mine = relative_[entrant];
    result.push_back({entrant, mine.empty() ? 0 : centre(mine)});
  }
  std::stable_sort(result.begin(), result.end(), [](const Score& a, const Score& b) { return a.mean < b.mean; });
  return result;
}

// Of one sample, pooled over everybody, because one entrant's few blocks say little about it. By the median, so that
// wild samples do not count.
double Halving::variance(const std::vector<Score>& scores) const {
  std::vector<double> variances;
  for (const Score& score : scores) {
    const std::vector<double>& mine = relative_[score.entrant];
    if (mine.size() < 2) continue;
    const double mean = std::accumulate(mine.begin(), mine.end(), 0.0) / static_cast<double>(mine.size());
    double squares = 0;
    for (const double value : mine) squares += (value - mean) * (value - mean);
    const int freedom = static_cast<int>(mine.size()) - 1;
    variances.push_back(squares / freedom / median_of_variance(freedom));
  }
  return variances.empty() ? 0 : median(variances);
}

void Halving::cut(std::size_t limit) {
  const std::vector<Score> all = scores();
  if (all.empty() || relative_[all.front().entrant].empty()) return;
  const double blocks = static_cast<double>(relative_[all.front().entrant].size());
  // Of the difference of two scores; nobody is hopeless while nothing is known of it.
  const double error = blocks > 1 ? std::sqrt(2 * variance(all) / blocks) : std::numeric_limits<double>::infinity();
  const double hopeless = all.front().mean + std::log1p(options_.tie_threshold) + options_.z * error;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= limit || all[i].mean > hopeless) left_[all[i].entrant] = false;
  }
  finish_if_few();
}

}  // namespace tuner::engine
