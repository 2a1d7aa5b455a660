#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tuner/engine/measure/block.hpp"
#include "tuner/engine/measure/entrant_id.hpp"
#include "tuner/engine/measure/finalists.hpp"
#include "tuner/engine/measure/halving.hpp"
#include "tuner/engine/measure/race.hpp"

namespace tuner::engine {

struct TournamentOptions {
  HalvingOptions halving;
  RaceOptions race;
  /// GPU time that all blocks together may take, kernels and what precedes them. Higher: fewer races end undecided.
  double budget_ns = std::numeric_limits<double>::infinity();
  /// Blocks that are left in any case when an entrant fails: enough to find out who takes its place.
  int late_blocks = 8;
  /// The part of it that the halving may take.
  double halving_share = 0.75;
  /// What precedes each sample on the device, the flush of the cache for instance.
  double lead_in_ns = 30e3;
  /// About what a sample of the best takes, lead-in included; 0 where it is unknown. Where the budget is many of these,
  /// the first rung of the halving is longer.
  double sample_ns = 0;
  int launches = 1;  ///< per sample
};

/// The options that a pool deserves: a budget that together with the screening makes about a third of what seven runs
/// of every candidate would take, but never less than a few hundred samples of the best if they take at most a quarter
/// of a second, and 40 in any case; batches where the best is very fast. `screening_ns` is GPU time, like the budget.
/// Where several GPUs screened, no more than a quarter of what each screened, or two seconds.
TournamentOptions tournament_options(std::span<const Screened> pool, double screening_ns, double lead_in_ns,
                                     std::uint64_t seed, std::size_t gpus = 1);

/// Halving among many entrants, then the race among those left, the baseline and the previous winner, within one
/// budget. What the halving measured counts in the race, also for whoever it left out: they rest, and tie unless they
/// were shown to be slower.
class Tournament {
 public:
  Tournament(std::span<const Finalist> entrants, const TournamentOptions& options);

  /// The entrants to run next, in this order, one sample each; empty when finished.
  std::vector<EntrantId> next_block();
  void add_block(Block block);
  /// Those that rest wake, and the budget grows by a few blocks if it is spent.
  void withdraw(EntrantId entrant);
  bool finished() const { return race_ && race_->finished(); }
  /// The block that is missing once the tournament is finished: a winner that rested or woke late may have met the
  /// baseline too seldom to say what it is worth. Both, each first in turn; empty once they have met often enough,
  /// where there is no baseline, or where it is the winner. Goes back by `add_meeting`, whatever the budget.
  std::vector<EntrantId> next_meeting(EntrantId winner);
  void add_meeting(const Block& block);

  bool racing() const { return race_.has_value(); }
  /// Of all entrants. An interrupted halving is cut down here.
  RaceResult result();
  const Race& race() const { return *race_; }  ///< once there is a result
  double spent_ns() const { return spent_ns_; }
  int blocks() const { return blocks_; }

 private:
  void begin_race();
  std::optional<EntrantId> baseline() const;
  bool baseline_is_measured() const;
  double next_block_ns();
  double account(const Block& block);  ///< what it took, ns
  HalvingOptions halving_options() const;

  PerEntrant<Finalist> entrants_;
  TournamentOptions options_;
  PerEntrant<bool> withdrawn_;
  std::optional<Halving> halving_;  ///< among the qualified
  std::optional<Race> race_;
  double spent_ns_ = 0;
  int blocks_ = 0;
  int meetings_ = 0;  ///< blocks that were added for the baseline's sake
};

}  // namespace tuner::engine
