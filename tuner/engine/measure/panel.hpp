#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/engine/measure/block.hpp"
#include "tuner/engine/measure/entrant_id.hpp"
#include "tuner/engine/measure/race.hpp"
#include "tuner/engine/measure/shuffle.hpp"

namespace tuner::engine {

/// A few entrants that all run in every block, in random order, however slow they are: for the ratio of any two of
/// them. Runs nothing and reads no clock.
class Panel {
 public:
  Panel(std::size_t entrants, std::uint64_t seed);

  /// All entrants, in the order to run them in next.
  std::vector<EntrantId> next_block();
  /// One sample of each. Disturbed blocks count only while the clean ones are fewer than kLeastBlocks. Throws
  /// Error{internal} for a block of others, or samples that are no times.
  void add_block(const Block& block);

  /// Blocks that count, and whether disturbed ones are among them.
  std::size_t blocks() const { return used().size(); }
  bool is_noisy() const { return &used() == &all_ && !all_.empty() && clean_.size() < all_.size(); }
  /// Time of one over time of another, paired; 0 to infinity while there are fewer than two blocks.
  Ratio ratio(EntrantId entrant, EntrantId other) const;
  /// 0 while there are no blocks.
  double median_ns(EntrantId entrant) const;
  std::vector<double> samples_ns(EntrantId entrant) const;  ///< of the blocks that count

  static constexpr std::size_t kLeastBlocks = 8;

 private:
  using Blocks = std::vector<PerEntrant<double>>;  ///< nanoseconds
  const Blocks& used() const { return clean_.size() >= kLeastBlocks ? clean_ : all_; }

  std::size_t entrants_;
  Shuffle shuffle_;
  Blocks clean_, all_;
};

}  // namespace tuner::engine
