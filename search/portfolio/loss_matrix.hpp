#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tuner::search {

/// How much slower each configuration is on each problem than the best one known there: time / best time - 1. Problems
/// and configurations are numbered from 0. Immutable.
class LossMatrix {
 public:
  /// The loss of a pair without a time: greater than any other.
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  /// Half as much time again as the best takes.
  static constexpr double kLeastUnknown = 0.5;

  /// `times_ns[problem][configuration]`: nothing where it was never measured, failed, or was stopped early, since such
  /// a time is only a lower bound. `weights`, one a problem, say how much a problem counts in a mean; empty: all alike.
  /// Throws Error{internal} for rows of different lengths and for what is not a finite number above zero.
  explicit LossMatrix(const std::vector<std::vector<std::optional<double>>>& times_ns,
                      std::vector<double> weights = {});

  std::size_t problems() const { return weights_.size(); }
  std::size_t configurations() const { return configurations_; }
  /// kUnknown where there is no time.
  double loss(std::size_t problem, std::size_t configuration) const {
    return losses_[configuration * problems() + problem];
  }
  /// Where there is no time, the greatest loss known there, but at least kLeastUnknown: what is known there may be no
  /// more than what came near to the best, and what was stopped early did not.
  double loss_or_worst(std::size_t problem, std::size_t configuration) const;
  double weight(std::size_t problem) const { return weights_[problem]; }
  /// The first configuration without loss; nothing if none has a time.
  std::optional<std::size_t> best(std::size_t problem) const { return best_[problem]; }

  /// The same of some of the problems only, numbered anew in this order.
  LossMatrix of_problems(std::span<const std::size_t> problems) const;

 private:
  LossMatrix() = default;
  void find_best();

  std::size_t configurations_ = 0;
  std::vector<double> losses_;  // configuration by configuration: what is compared lies together
  std::vector<double> weights_;
  std::vector<std::optional<std::size_t>> best_;
};

}  // namespace tuner::search
