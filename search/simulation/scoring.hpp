#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tuner::search {

/// How good a search was, by the numbers of times that it found: no space, no strategy, no file. docs/simulating.md has
/// the formulas.
///
/// `fraction(M)` is the best time of the whole space over the best of the first M evaluations, 0 while nothing valid
/// was seen. A curve holds it for M = 1, 2, … at positions 0, 1, …

/// A mean and how well it is known.
struct Estimate {
  double mean = 0;
  double standard_error = 0;  ///< 0 for a single value, which says nothing about its error
};

/// Of independent values; {0, 0} for none.
Estimate estimate(std::span<const double> values);
/// The mean of independent estimates, each counting the same.
Estimate average(std::span<const Estimate> estimates);

/// One row of a recorded space as random search sees it.
struct ScoredRow {
  double time_ns = 0;  ///< 0: it failed
  double cost = 1;     ///< what visiting it takes, in units of which a row takes one in the mean
};

/// One visit of a run.
struct ScoredVisit {
  double time_ns = 0;  ///< 0: it failed
  double done = 0;     ///< units spent when it was done, this visit's included: the first visit of cost 1 is done at 1
};

/// What is known of a space before anything is searched: its optimum, and how good random search is.
class Yardstick {
 public:
  /// Curves go to M = `budget`. Where every row costs 1, random search without replacement is computed exactly,
  /// otherwise it is the mean of kRandomOrders orders drawn from a fixed seed. Costs rows * budget additions, or as
  /// many draws as a search of that budget visits for each order.
  Yardstick(std::span<const ScoredRow> rows, std::size_t budget);

  double optimum_ns() const { return optimum_ns_; }  ///< 0: every row failed
  std::size_t budget() const { return random_.size(); }
  /// The expected curve of random search.
  std::span<const double> random() const { return random_; }

  /// The curve of one run, visits in order. A run that ended early keeps its last best.
  std::vector<double> fractions(std::span<const ScoredVisit> visits) const;
  /// 0 for random search, 1 for the optimum at once: the mean over M of (fraction - random) / (1 - random), over those
  /// M at which random search can miss the optimum. `fractions` has budget() values.
  double score(std::span<const double> fractions) const;

  static constexpr std::size_t kRandomOrders = 4000;

 private:
  double optimum_ns_ = 0;
  std::vector<double> random_;
};

/// What the runs of one strategy on one space come to. The score is linear in the fractions: its mean over runs is that
/// of their mean curve.
struct Score {
  Estimate score;
  std::vector<Estimate> fraction;  ///< by M
  std::vector<Estimate> hit95;     ///< by M: share of runs whose fraction is at least kHit
  Estimate to_95;                  ///< evaluations until a fraction of kHit; the budget in a run that never gets there

  static constexpr double kHit = 0.95;
};

/// The score of one or more curves, each of `yardstick.budget()` values.
Score score_of(const Yardstick& yardstick, std::span<const std::vector<double>> curves);
/// Averages of each number, spaces counting the same. All of one budget.
Score average(std::span<const Score> scores);

/// The exact expected curve of drawing without replacement from `rows` rows, of which those that are valid have
/// `sorted_ns`, ascending.
std::vector<double> expected_random_fractions(std::span<const double> sorted_ns, std::uint64_t rows,
                                              std::size_t budget);

}  // namespace tuner::search
