#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/strategy/strategy.hpp"
#include "tuner/engine/effort/budget.hpp"
#include "tuner/engine/effort/effort_limits.hpp"

namespace tuner::engine {

/// What going on may still bring, from the times of a search, in the order told. Two estimates of how much faster the
/// best becomes when as many configurations again are tried; the greater one counts:
/// - what the last doublings brought: the best of the first tenth against the best now. A search that learns makes its
///   progress in doublings.
/// - twice what the second half would have brought had the order been random. That follows from the fastest times
/// alone:
///   with s_1 <= s_2 <= ... the logarithms, half of them has its best at s_i with the probability 2^-i, so that the
///   mean gain is the sum of (s_(i+1) - s_i) / 2^i. In random order the chance that as many again bring a new best is
///   one half however long the search has been going on (Rényi 1962), so what was gained last is the scale of what
///   follows.
/// The times say nothing about what is far from all that was tried, and in a larger space the best is found later. So
/// more is tried of those before there is an estimate.
class GainEstimate {
 public:
  explicit GainEstimate(std::uint64_t space_size);

  void tell(std::optional<double> time_ns);  ///< nothing: it failed, or is slower than others
  /// 0.02: the best is expected to become 2 % faster at most. Nothing while too little was told.
  std::optional<double> expected() const;

 private:
  const std::size_t least_;      ///< fewer say too little
  std::vector<double> best_;     ///< logarithm of the best after each; infinite before the first
  std::vector<double> fastest_;  ///< logarithms of the fastest, ascending
};

/// Says when a search ends: by what was asked and told, and by the seconds it is given. Pure; reads no clock.
class StopRules {
 public:
  StopRules(const Budget& budget, std::uint64_t space_size);

  /// How many configurations may be asked for; nothing: no rule says.
  std::optional<std::uint64_t> evaluations() const { return evaluations_; }
  /// For a budget that weighs: what a result costs is known, and this takes the place of its `evaluations`.
  void spend(const Spending& spending);
  /// Whether a budget that weighs waits for that.
  bool awaits_spending() const { return budget_.weighs && !spending_; }
  /// How many the strategy asked for it was told of.
  std::uint64_t told() const { return told_; }

  /// Whether what was found may end the search.
  bool may_end_by_results() const;
  /// Whether another rule may end the search before.
  bool may_end_early() const;

  /// What became of a configuration, in the order asked, so that a seed reproduces where a search ends. `counts`: the
  /// strategy asked for it.
  void tell(const search::Observation& observation, bool counts = true);
  /// What the strategy believes now.
  void tell(const search::Belief& belief) { belief_ = belief; }
  /// What speed-ups refer to.
  void tell_baseline(double time_ns) { baseline_ns_ = time_ns; }

  /// Why to stop because of what was told, as the end of "stopped because"; nothing: go on.
  std::optional<std::string> met() const;
  bool out_of_time(double seconds) const;
  /// Why nothing more is asked for, or measured.
  std::string why_enough() const;
  std::string why_out_of_time() const;

 private:
  bool target_met() const;
  /// Whether the search ends when going on no longer pays, as far as is known.
  bool weighs() const { return budget_.weighs && (!spending_ || spending_->most); }

  const Budget budget_;
  std::optional<std::uint64_t> evaluations_;
  bool by_share_ = false;
  std::optional<double> baseline_ns_, best_ns_;
  std::optional<double> idle_since_ns_;  ///< the best that is not faster by too little
  std::uint64_t told_ = 0;               ///< of those that the strategy asked for
  std::uint64_t idle_ = 0;               ///< of them, in a row since that
  std::optional<Spending> spending_;
  std::optional<search::Belief> belief_;
  GainEstimate gain_;
};

}  // namespace tuner::engine
