#include "tuner/engine/measure/tournament.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tuner/engine/measure/noise.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

TournamentOptions tournament_options(std::span<const Screened> pool, double lead_in_ns, std::uint64_t seed) {
  // In runs of every candidate once. With the one or two samples of screening that makes about two runs of each.
  constexpr double kRunsOfAll = 0.9;
  constexpr double kLeastSamples = 200;
  double all_ns = 0, best_ns = std::numeric_limits<double>::infinity();
  for (const Screened& one : pool) {
    all_ns += one.time_ns + lead_in_ns;
    if (!one.censored) best_ns = std::min(best_ns, one.time_ns);
  }
  TournamentOptions options;
  options.halving.seed = options.race.seed = seed;
  options.launches = launches_per_sample(best_ns);
  options.lead_in_ns = lead_in_ns;
  options.budget_ns = std::max(kRunsOfAll * all_ns, kLeastSamples * (best_ns + lead_in_ns));
  return options;
}

Tournament::Tournament(std::span<const Finalist> entrants, const TournamentOptions& options)
    : entrants_(entrants.begin(), entrants.end()), options_(options), withdrawn_(entrants.size(), false) {
  if (entrants.empty()) throw Error(Errc::internal, "A tournament of nobody was asked for; it needs an entrant.");
  for (std::size_t i = 0; i < entrants_.size(); ++i) {
    if (entrants_[i].qualified) qualified_.push_back(i);
  }
  if (!qualified_.empty()) halving_.emplace(qualified_.size(), options_.halving);
  if (!halving_ || halving_->finished()) begin_race();
}

std::vector<std::size_t> Tournament::next_block() {
  std::vector<std::size_t> block = race_ ? race_->next_block() : halving_->next_block();
  for (std::size_t& entry : block) entry = race_ ? racers_[entry] : qualified_[entry];
  return block;
}

void Tournament::add_block(Block block) {
  ++blocks_;
  for (const double sample : block.samples_ns) spent_ns_ += sample * block.launches + options_.lead_in_ns;
  if (race_) {
    for (std::size_t& entry : block.order) entry = racer(entry).value();
    race_->add_block(block.order, block.samples_ns, block.disturbed);
  } else {
    for (std::size_t& entry : block.order) {
      entry = static_cast<std::size_t>(std::find(qualified_.begin(), qualified_.end(), entry) - qualified_.begin());
    }
    halving_->add_block(std::move(block));
    if (spent_ns_ >= options_.budget_ns * options_.halving_share) halving_->end();
    if (halving_->finished()) begin_race();
  }
  if (race_ && spent_ns_ >= options_.budget_ns) race_->end();
}

void Tournament::withdraw(std::size_t entry) {
  withdrawn_.at(entry) = true;
  if (race_) {
    if (const auto place = racer(entry)) race_->withdraw(*place);
    if (spent_ns_ >= options_.budget_ns) race_->end();
    return;
  }
  const auto found = std::find(qualified_.begin(), qualified_.end(), entry);
  if (found != qualified_.end()) halving_->withdraw(static_cast<std::size_t>(found - qualified_.begin()));
  if (halving_->finished()) begin_race();
}

std::optional<std::size_t> Tournament::racer(std::size_t entry) const {
  const auto found = std::find(racers_.begin(), racers_.end(), entry);
  if (found == racers_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - racers_.begin());
}

std::vector<std::size_t> Tournament::racers() const {
  if (race_) return racers_;
  std::vector<std::size_t> all(entrants_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void Tournament::begin_race() {
  std::vector<bool> races(entrants_.size(), false);
  if (halving_) {
    for (const std::size_t survivor : halving_->survivors()) races[qualified_[survivor]] = true;
  }
  for (std::size_t i = 0; i < entrants_.size(); ++i) {
    if ((entrants_[i].is_baseline || entrants_[i].is_previous) && !withdrawn_[i]) races[i] = true;
  }
  // Nobody left: then the race ends as one that all were withdrawn from.
  if (std::find(races.begin(), races.end(), true) == races.end()) races.assign(entrants_.size(), true);

  std::optional<std::size_t> baseline;
  for (std::size_t i = 0; i < entrants_.size(); ++i) {
    if (!races[i]) continue;
    if (entrants_[i].is_baseline) baseline = racers_.size();
    racers_.push_back(i);
  }
  race_.emplace(racers_.size(), options_.race, baseline);
  for (const std::size_t entry : racers_) {
    if (withdrawn_[entry]) race_->withdraw(*racer(entry));
  }
  if (!halving_) return;

  std::vector<Block> carried;
  for (const Block& block : halving_->blocks()) {
    Block kept{.disturbed = block.disturbed};
    for (std::size_t i = 0; i < block.order.size(); ++i) {
      const auto place = racer(qualified_[block.order[i]]);
      if (!place) continue;
      kept.order.push_back(*place);
      kept.samples_ns.push_back(block.samples_ns[i]);
    }
    carried.push_back(std::move(kept));
  }
  race_->carry(carried);
}

RaceResult Tournament::result() {
  if (!race_) {
    halving_->end();
    begin_race();
    race_->end();
  }
  return race_->result();
}

}  // namespace tuner::engine
