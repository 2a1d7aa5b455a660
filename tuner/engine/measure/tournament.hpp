#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tuner/engine/measure/block.hpp"
#include "tuner/engine/measure/finalists.hpp"
#include "tuner/engine/measure/halving.hpp"
#include "tuner/engine/measure/race.hpp"

namespace tuner::engine {

struct TournamentOptions {
  HalvingOptions halving;
  RaceOptions race;
  /// GPU time that all blocks together may take, kernels and what precedes them. Higher: fewer races end undecided.
  double budget_ns = std::numeric_limits<double>::infinity();
  /// The part of it that the halving may take.
  double halving_share = 0.5;
  /// What precedes each sample on the device, the flush of the cache for instance.
  double lead_in_ns = 30e3;
  int launches = 1;  ///< per sample
};

/// The options that a pool deserves: a budget in proportion to what its screening took, batches where it is fast.
TournamentOptions tournament_options(std::span<const Screened> pool, double lead_in_ns, std::uint64_t seed);

/// Halving among many entrants, then the race among those left, the baseline and the previous winner, within one
/// budget. What the halving measured counts in the race. Entries are named by their position among the entrants.
class Tournament {
 public:
  Tournament(std::span<const Finalist> entrants, const TournamentOptions& options);

  /// The entries to run next, in this order, one sample each; empty when finished.
  std::vector<std::size_t> next_block();
  void add_block(Block block);
  void withdraw(std::size_t entry);
  bool finished() const { return race_ && race_->finished(); }

  /// Who entered the race, in its order. Everybody that is left while the halving has not ended.
  std::vector<std::size_t> racers() const;
  bool racing() const { return race_.has_value(); }
  /// Of the race, with its numbering: entry i of it is racers()[i]. An interrupted halving is cut down here.
  RaceResult result();
  const Race& race() const { return *race_; }
  double spent_ns() const { return spent_ns_; }
  int blocks() const { return blocks_; }

 private:
  void begin_race();
  std::optional<std::size_t> racer(std::size_t entry) const;

  std::vector<Finalist> entrants_;
  TournamentOptions options_;
  std::vector<std::size_t> qualified_;  ///< the halving's numbering
  std::vector<bool> withdrawn_;
  std::optional<Halving> halving_;
  std::vector<std::size_t> racers_;
  std::optional<Race> race_;
  double spent_ns_ = 0;
  int blocks_ = 0;
};

}  // namespace tuner::engine
