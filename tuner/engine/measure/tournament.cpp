#include "tuner/engine/measure/tournament.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/engine/measure/noise.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

TournamentOptions tournament_options(std::span<const Screened> pool, double screening_ns, double lead_in_ns,
                                     std::uint64_t seed, std::size_t gpus) {
  constexpr double kRunsOfAll = 2.1;  // less than 7 / 3 by what a last block and the baseline may take more
  constexpr double kLeastSamples = 40;
  // In a small space its share is a handful of blocks, which cannot tell per cents apart.
  constexpr double kEnoughSamples = 400;
  constexpr double kAffordableNs = 0.25e9;
  // Screening that stops nobody early, as for a recording, takes more than its share, and not from the race.
  constexpr double kMostScreeningRuns = 1.6;
  // Where several GPUs screened and one races, a race as long as for one would take most of the session. It takes no
  // more than about a tenth, since most of what a candidate costs is not its samples; but a short one may be as long.
  constexpr double kScreeningPart = 0.25, kShortNs = 2e9;
  double all_ns = 0, best_ns = std::numeric_limits<double>::infinity();
  for (const Screened& one : pool) {
    all_ns += one.time_ns + lead_in_ns;
    if (!one.censored) best_ns = std::min(best_ns, one.time_ns);
  }
  TournamentOptions options;
  options.halving.seed = options.race.seed = seed;
  options.launches = launches_per_sample(best_ns);
  options.lead_in_ns = lead_in_ns;
  const double screening_share_ns = std::min(screening_ns, kMostScreeningRuns * all_ns);
  options.sample_ns = best_ns * options.launches + lead_in_ns;
  const double left_ns = kRunsOfAll * all_ns - screening_share_ns;
  const double most_ns = std::max(kScreeningPart * screening_ns / static_cast<double>(gpus), kShortNs);
  const double race_ns = gpus > 1 ? std::min(left_ns, most_ns) : left_ns;
  options.budget_ns = std::max(
      {race_ns, kLeastSamples * options.sample_ns, std::min(kEnoughSamples * options.sample_ns, kAffordableNs)});
  return options;
}

Tournament::Tournament(std::span<const Finalist> entrants, const TournamentOptions& options)
    : entrants_(entrants.begin(), entrants.end()), options_(options), withdrawn_(entrants.size(), false) {
  if (entrants.empty())
    throw Error(Errc::internal, "A tournament without entrants was requested; it needs at least one.");
  halving_.emplace(entrants.size(), halving_options());
  for (const EntrantId entrant : entrants_.ids()) {
    if (!entrants_[entrant].qualified) halving_->withdraw(entrant);
  }
  if (halving_->finished()) begin_race();
}

/// Each rung takes as many samples as the first. Those that are left should have half of the budget: the halving does
/// not lose for want of blocks what the race could have told apart.
HalvingOptions Tournament::halving_options() const {
  constexpr double kShare = 0.5;
  constexpr double kMostFirstBlocks = 16;
  HalvingOptions halving = options_.halving;
  const auto qualified = static_cast<double>(
      std::count_if(entrants_.begin(), entrants_.end(), [](const Finalist& one) { return one.qualified; }));
  const auto keep = static_cast<double>(halving.keep);
  if (options_.sample_ns <= 0 || qualified <= keep) return halving;
  const double rungs = std::ceil(std::log2(qualified / keep));
  const double affordable = kShare * options_.budget_ns / options_.sample_ns / (qualified * rungs);
  halving.first_blocks = std::max(halving.first_blocks, static_cast<int>(std::min(affordable, kMostFirstBlocks)));
  return halving;
}

std::vector<EntrantId> Tournament::next_block() {
  return race_ ? race_->next_block() : halving_->next_block();
}

double Tournament::account(const Block& block) {
  ++blocks_;
  double block_ns = 0;
  for (const double sample : block.samples_ns) block_ns += sample * block.launches + options_.lead_in_ns;
  spent_ns_ += block_ns;
  return block_ns;
}

void Tournament::add_block(Block block) {
  const double block_ns = account(block);
  if (race_) {
    race_->add_block(block.order, block.samples_ns, block.disturbed);
  } else {
    halving_->add_block(std::move(block));
    if (spent_ns_ >= options_.budget_ns * options_.halving_share) halving_->end();
    if (halving_->finished()) begin_race();
  }
  // Decided among the few with budget to spare: then the others, of whom little is known, are worth it.
  if (race_ && race_->finished()) race_->wake();
  if (race_ && spent_ns_ + block_ns > options_.budget_ns && baseline_is_measured()) {
    race_->end();  // another such block would not fit
  }
}

/// Whatever the budget: without a few samples of the baseline nobody could say what the winner is worth.
bool Tournament::baseline_is_measured() const {
  const auto entrant = baseline();
  return !entrant || withdrawn_[*entrant] || race_->result().standings[*entrant].blocks >= options_.race.min_blocks;
}

std::optional<EntrantId> Tournament::baseline() const {
  for (const EntrantId entrant : entrants_.ids()) {
    if (entrants_[entrant].is_baseline) return entrant;
  }
  return std::nullopt;
}

std::vector<EntrantId> Tournament::next_meeting(EntrantId winner) {
  const auto entrant = baseline();
  if (!entrant || *entrant == winner || withdrawn_[*entrant]) return {};
  // Disturbed blocks may count for nothing: so not for ever.
  if (race_->shared_blocks(*entrant, winner) >= options_.race.min_blocks || meetings_ >= 2 * options_.race.min_blocks)
    return {};
  return meetings_ % 2 == 0 ? std::vector{*entrant, winner} : std::vector{winner, *entrant};
}

void Tournament::add_meeting(const Block& block) {
  account(block);
  ++meetings_;
  race_->carry({&block, 1});
}

void Tournament::withdraw(EntrantId entrant) {
  withdrawn_[entrant] = true;
  if (race_) {
    race_->withdraw(entrant);
    options_.budget_ns = std::max(options_.budget_ns, spent_ns_ + options_.late_blocks * next_block_ns());
    return;
  }
  halving_->withdraw(entrant);
  if (halving_->finished()) begin_race();
}

/// What the next block may be expected to take; 0 when there is none.
double Tournament::next_block_ns() {
  const std::vector<EntrantId> block = race_->next_block();
  const RaceResult result = race_->result();
  double all_ns = 0;
  for (const EntrantId entrant : block) {
    all_ns += result.standings[entrant].median_ns * options_.launches + options_.lead_in_ns;
  }
  return all_ns;
}

void Tournament::begin_race() {
  race_.emplace(entrants_.size(), options_.race, baseline());
  for (const EntrantId entrant : entrants_.ids()) {
    if (withdrawn_[entrant]) race_->withdraw(entrant);
  }
  const std::vector<EntrantId> survivors = halving_->survivors();
  for (const EntrantId entrant : entrants_.ids()) {
    const Finalist& one = entrants_[entrant];
    const bool stays = !one.qualified || one.is_baseline || one.is_previous ||
                       std::find(survivors.begin(), survivors.end(), entrant) != survivors.end();
    if (!stays) race_->rest(entrant);
  }
  race_->carry(halving_->blocks());
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
