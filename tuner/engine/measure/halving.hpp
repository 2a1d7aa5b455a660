#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/engine/measure/block.hpp"
#include "tuner/engine/measure/entrant_id.hpp"
#include "tuner/engine/measure/shuffle.hpp"

namespace tuner::engine {

struct HalvingOptions {
  /// The halving ends when this many are left. Higher: fewer good ones lost to noise, a longer race.
  std::size_t keep = 4;
  /// Clean blocks of the first rung; each rung has twice as many as the one before. Higher: fewer good ones lost, and
  /// more samples spent on those that go.
  int first_blocks = 2;
  /// Whoever is shown to be this much slower than the fastest, as a fraction, goes although it is in the better half.
  double tie_threshold = 0.01;
  /// Width of the interval behind that, in standard errors.
  double z = 3.0;
  /// Of the order within blocks.
  std::uint64_t seed = 0;
};

/// Thins out what screening could not tell apart: blocks of everybody left, in random order, after each rung of which
/// the better half stays, by the differences inside blocks. Noise costs blocks, not good entrants: whoever cannot be
/// told from the last of the better half stays too, as long as somebody goes. Reads no clock and runs nothing; the same
/// seed and samples give the same survivors.
class Halving {
 public:
  /// Among so many; those that are not to take part are withdrawn first. Throws Error{internal} for none,
  /// Error{bad_usage} for options outside their range.
  Halving(std::size_t entrants, const HalvingOptions& options);

  /// The entrants to run next, in this order, one sample each; empty when finished.
  std::vector<EntrantId> next_block();
  /// The answer to `next_block`, perhaps without entrants withdrawn since. A disturbed block decides nothing.
  void add_block(Block block);
  /// Takes an entrant out for good: it failed.
  void withdraw(EntrantId entrant);
  /// Ends it here: the survivors are the `keep` best as far as is known.
  void end();

  bool finished() const { return finished_; }
  /// Whoever is left, in the order of their numbers.
  std::vector<EntrantId> survivors() const;
  /// Everything that was added, in its order: samples that the race need not take again.
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  struct Score {
    EntrantId entrant;
    double mean = 0;  ///< of log(time) over what the middle entrant of the block took
  };

  std::vector<Score> scores() const;
  double variance(const std::vector<Score>& scores) const;
  void cut(std::size_t limit);
  void finish_if_few();

  HalvingOptions options_;
  PerEntrant<bool> left_;
  std::vector<Block> blocks_;
  PerEntrant<std::vector<double>> relative_;  ///< [entrant][clean block]: log(time), less the block's median
  std::vector<EntrantId> pending_;
  int rung_blocks_ = 0;  ///< of this rung, still to come
  int next_rung_ = 0;
  bool finished_ = false;
  Shuffle shuffle_;
};

}  // namespace tuner::engine
