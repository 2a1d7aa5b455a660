#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/engine/measure/block.hpp"
#include "tuner/engine/measure/entrant_id.hpp"
#include "tuner/engine/measure/shuffle.hpp"

namespace tuner::engine {

struct RaceOptions {
  /// How much slower than the leader, as a fraction, still counts as equal. Higher: shorter races, more ties.
  double tie_threshold = 0.01;
  /// An entrant whose difference from the leader is known to plus or minus this fraction counts as settled although the
  /// race cannot say on which side of the tie threshold it lies. Lower: longer races when entrants lie near the
  /// threshold.
  double resolution = 0.003;
  /// Nothing is decided on fewer blocks.
  int min_blocks = 4;
  /// The race ends here, decided or not; later only where an entrant fails late. Dropped blocks count: they cost as
  /// much.
  int max_blocks = 400;
  /// Blocks between two looks at the numbers. Higher: fewer chances of a wrong look, longer races.
  int check_every = 4;
  /// Width of every interval, in standard errors; Student's t widens it while blocks are few. See docs/measuring.md for
  /// what 3 means when the numbers are looked at repeatedly. Higher: longer races, fewer errors.
  double z = 3.0;
  /// A baseline that is slower stays until its speed-up is known to plus or minus this fraction...
  double baseline_precision = 0.01;
  /// ...or is shown to be at least this many times: each of its samples costs as much as that many others.
  double far_baseline = 2.0;
  /// Of the order within blocks.
  std::uint64_t seed = 0;
};

/// A ratio of two times and the interval that should contain it.
struct Ratio {
  double ratio = 1;
  double low = 1;
  double high = 1;
};
/// Time of the baseline over time of an entrant: 2 is twice as fast.
using Speedup = Ratio;

/// How one entrant came out.
struct Standing {
  double relative_time = 1;        ///< paired ratio of its time to the leader's
  double low = 1, high = 1;        ///< interval of `relative_time`; 0 and infinity while nothing is known
  int blocks = 0;                  ///< used blocks it took part in
  double median_ns = 0;            ///< 0 when it has no used sample
  std::vector<double> samples_ns;  ///< of the used blocks, in their order
  bool eliminated = false;         ///< shown to be slower than the leader by more than the tie threshold
  bool withdrawn = false;
  bool rested = false;  ///< no longer run, for want of budget
  bool tied = false;    ///< neither eliminated nor withdrawn: the leader itself, and everything not shown to be slower
};

struct RaceResult {
  /// The fastest by paired differences; while nobody has a sample, the first entrant that was not withdrawn.
  EntrantId leader;
  PerEntrant<Standing> standings;
  int blocks = 0;          ///< used: the clean ones, or for want of those also the disturbed ones
  int dropped_blocks = 0;  ///< disturbed and not used
  bool noisy = false;      ///< more than 30 % of the blocks were disturbed, or disturbed ones had to be used
  bool decided = false;    ///< the stop rule was met before the budget ended
  double confidence = 0;   ///< nominal, two-sided, of each interval taken by itself: 0.9973 for z = 3
};

/// Finds the fastest of a few candidates by running them in blocks: every entrant still in the race once, in random
/// order. Within a block the clock, the temperature and the neighbours are nearly the same for all, so entrants are
/// compared by their differences of log(time) inside blocks, averaged with a winsorised mean.
///
/// Every look recomputes all standings from all samples. An entrant shown to be more than `tie_threshold` slower than
/// the leader is left out of the next blocks, and comes back if that no longer holds because the leader changed or
/// slowed down. The race is decided when every other entrant is shown to be slower, or is shown to be within the
/// threshold, or is known to `resolution`. Reads no clock and runs nothing; the same seed and samples give the same
/// race.
class Race {
 public:
  /// `baseline` is the entrant that speed-ups refer to. Throws Error{internal} for no entrants or a baseline outside
  /// them, Error{bad_usage} for options outside their range.
  Race(std::size_t entrants, const RaceOptions& options, std::optional<EntrantId> baseline);

  /// The entrants to run next, in this order, one sample each; the same answer until a block is added or an entrant
  /// withdrawn. Empty when the race is finished.
  std::vector<EntrantId> next_block();

  /// `samples_ns[i]` is the time of entrant `order[i]`. A block that lost an entrant on the way may be added without
  /// it. A disturbed block (the clock moved) is set aside: it decides nothing, and is used only by whoever asks for a
  /// result while fewer than `min_blocks` are clean, because disturbed samples say more than none. Throws
  /// Error{internal} for samples that are no times, unknown or repeated entrants, or after the end.
  void add_block(std::span<const EntrantId> order, std::span<const double> samples_ns, bool disturbed = false);

  /// Blocks that were run before the race or after its end, looked at once when all are there; a race that has ended
  /// stays so. Throws as `add_block` does.
  void carry(std::span<const Block> blocks);

  /// Takes an entrant out for good: it failed. It neither leads nor ties from now on; its samples stay in its
  /// standing. Unless it rested, those that rest wake, and a race that had ended, decided or not, is looked at anew
  /// among the others and goes on until that is decided, for two looks at least. Throws Error{internal} for an unknown
  /// entrant.
  void withdraw(EntrantId entrant);

  /// Runs an entrant no longer unless another one fails, because there is more hope in others. What its samples say of
  /// it stays: it ties until they show it to be slower, however few they are. Throws Error{internal} for an unknown
  /// entrant.
  void rest(EntrantId entrant);

  /// Runs those that rest again, unless they were shown to be slower: a decided race goes on, with them.
  void wake();

  /// Ends the race here, decided or not: its budget is spent.
  void end();
  bool finished() const { return finished_; }

  /// May be asked at any time, so an interrupted race has a result too.
  RaceResult result() const;

  /// Time of `entrant` over time of `other`, paired; nothing when they share fewer than two used blocks. Both must
  /// exist.
  std::optional<Ratio> compare(EntrantId entrant, EntrantId other) const;
  /// Used blocks in which both took part.
  int shared_blocks(EntrantId entrant, EntrantId other) const;
  /// Time of the baseline over time of `entrant`; nothing without a baseline or enough blocks.
  std::optional<Speedup> speedup(EntrantId entrant) const;

 private:
  struct Difference;
  struct Look;
  struct Prior {
    double variance = 0;
    int freedom = 0;
  };
  struct Samples {
    PerEntrant<std::vector<double>> log_times;  ///< [entrant][block]; NaN where it did not take part
    PerEntrant<std::vector<double>> times_ns;   ///< [entrant]: of the blocks it took part in
    int blocks = 0;
    explicit Samples(std::size_t entrants) : log_times(entrants), times_ns(entrants) {}
    void add(std::span<const EntrantId> order, std::span<const double> samples_ns);
  };

  const Samples& used() const;
  void add(std::span<const EntrantId> order, std::span<const double> samples_ns, bool disturbed);
  bool may_lead(EntrantId entrant, bool leader_gone) const;
  bool somebody_has(const Samples& samples) const;
  Difference difference(EntrantId entrant, EntrantId other) const;
  Prior prior(EntrantId leader) const;
  void widen(Difference& one, const Prior& prior) const;
  EntrantId find_leader() const;
  EntrantId best_known() const;
  Look look() const;
  bool settled(const Difference& to_leader) const;
  bool baseline_known(const Difference& to_leader) const;
  /// Takes over what a look says, where one is due; the most blocks end the race in any case.
  void look_again(bool is_due);
  void wake_all();

  RaceOptions options_;
  std::optional<EntrantId> baseline_;
  Samples clean_;
  Samples all_;  ///< with the disturbed ones
  PerEntrant<bool> running_;
  PerEntrant<bool> withdrawn_;
  PerEntrant<bool> resting_;
  std::vector<EntrantId> pending_;
  int most_blocks_;
  EntrantId leader_;
  bool finished_ = false;
  bool decided_ = false;
  Shuffle shuffle_;
};

/// The entrants that may win: tied, run to the end, and known to be where they are. At least the leader, unless that
/// was withdrawn.
std::vector<EntrantId> eligible(const RaceResult& result);

}  // namespace tuner::engine
