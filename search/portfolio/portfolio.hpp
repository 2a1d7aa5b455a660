#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/portfolio/loss_matrix.hpp"

namespace tuner::search {

/// A few configurations that serve all problems, each by the member with the least loss there.
struct Portfolio {
  std::vector<std::size_t> members;  ///< configurations, ascending
  /// By problem, the member that serves it; nothing if no member has a time there.
  std::vector<std::optional<std::size_t>> serves;
  double mean_loss = 0;   ///< weighted, over the problems that are served
  double worst_loss = 0;  ///< over the same
  bool exact = true;      ///< proven to be best; else the search was cut short and another may be better

  /// The problems that no member has a time for, ascending.
  std::vector<std::size_t> not_served() const;
};

/// After this many looks at a loss a search is cut short: a few hundredths of a second.
inline constexpr std::size_t kPortfolioSteps = 20'000'000;

/// The fewest configurations of which each problem has a member that loses at most `within` (0.02: two per cent)
/// there. Of sets of equal size that with the least mean loss, and of those the first in order of columns, as far as
/// `steps` suffice to compare them: `exact` speaks of the size. A problem without any time is not served.
Portfolio smallest_portfolio(const LossMatrix& losses, double within, std::size_t steps = kPortfolioSteps);

/// At most `count` configurations with the least mean loss; of equally good sets the first in order of columns. No
/// problem is left unserved that `count` configurations could serve. Fewer members if more would improve nothing.
Portfolio best_portfolio(const LossMatrix& losses, std::size_t count, std::size_t steps = kPortfolioSteps);

/// As many members a curve goes to at most.
inline constexpr std::size_t kMostMembers = 32;

/// best_portfolio for one member, two, and so on, until nothing is lost or kMostMembers are reached. The mean loss
/// never rises, once all are served that can be. `steps` are those of each portfolio.
std::vector<Portfolio> portfolio_curve(const LossMatrix& losses, std::size_t steps = kPortfolioSteps / 4);

/// What these members make of the problems.
Portfolio evaluate_portfolio(const LossMatrix& losses, std::vector<std::size_t> members);

}  // namespace tuner::search
