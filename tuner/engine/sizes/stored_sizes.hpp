#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/store.hpp"
#include "search/portfolio/loss_matrix.hpp"

namespace tuner::engine {

/// What is stored of one kernel on one GPU over its problems: which configuration takes how long where.
struct StoredSizes {
  std::vector<cache::Decision> decisions;   ///< one a problem, by the text of the problem
  std::vector<std::string> configurations;  ///< every winner, and what came near to one, sorted
  /// `times_ns[problem][configuration]`: on the scale of the decision's own time. Nothing where there is none: it was
  /// not tried, failed, or was stopped early, so that its time is only a bound.
  std::vector<std::vector<std::optional<double>>> times_ns;
  /// `tried[problem][configuration]`: there is a trial, whatever came of it.
  std::vector<std::vector<bool>> tried;

  /// Whether the configuration won somewhere.
  bool is_winner(std::size_t configuration) const;
  /// `weights` by the text of a problem; those without count once.
  search::LossMatrix losses(const std::map<std::string, double>& weights = {}) const;
};

/// Reads decisions and trials for the kernel, device, mode and objective of `key`, whatever its problem, or of the
/// problems in `among`, by their texts; those that were imported too, replayed ones not. The race says more than the
/// trials, so what tied is as much slower than the winner as it was there. Throws Error{store_*}. Costs a millisecond
/// for some hundred trials.
StoredSizes stored_sizes(const cache::Store& store, const cache::DecisionKey& key,
                         const std::map<std::string, double>* among = nullptr);

}  // namespace tuner::engine
