#include "search/portfolio/portfolio.hpp"

#include <algorithm>
#include <limits>

#include "search/portfolio/cover.hpp"
#include "search/portfolio/median.hpp"

namespace tuner::search {
namespace {

constexpr double kAnyLoss = std::numeric_limits<double>::max();

/// A problem in which every configuration loses more than `within` counts as one that is not served.
Medians medians_within(const LossMatrix& losses, double within) {
  std::vector<std::size_t> problems;
  double worst = 1;
  for (std::size_t problem = 0; problem < losses.problems(); ++problem) {
    if (!losses.best(problem)) continue;
    problems.push_back(problem);
    double greatest = 0;
    for (std::size_t i = 0; i < losses.configurations(); ++i) {
      if (losses.loss(problem, i) <= within) greatest = std::max(greatest, losses.loss(problem, i));
    }
    worst += losses.weight(problem) * greatest;
  }
  std::vector<std::vector<double>> costs(losses.configurations());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const std::size_t problem : problems) {
      const double loss = losses.loss(problem, i);
      // One more that is not served outweighs everything that the others can lose.
      costs[i].push_back(loss <= within ? losses.weight(problem) * loss : worst);
    }
  }
  return Medians(std::move(costs));
}

Portfolio portfolio_of(const LossMatrix& losses, const MedianSet& set) {
  Portfolio portfolio = evaluate_portfolio(losses, set.columns);
  portfolio.exact = set.exact;
  return portfolio;
}

}  // namespace

std::vector<std::size_t> Portfolio::not_served() const {
  std::vector<std::size_t> result;
  for (std::size_t problem = 0; problem < serves.size(); ++problem) {
    if (!serves[problem]) result.push_back(problem);
  }
  return result;
}

Portfolio evaluate_portfolio(const LossMatrix& losses, std::vector<std::size_t> members) {
  Portfolio portfolio;
  std::sort(members.begin(), members.end());
  portfolio.members = std::move(members);
  double sum = 0, weights = 0;
  for (std::size_t problem = 0; problem < losses.problems(); ++problem) {
    std::optional<std::size_t> server;
    double least = LossMatrix::kUnknown;
    for (const std::size_t member : portfolio.members) {
      if (losses.loss(problem, member) >= least) continue;
      least = losses.loss(problem, member);
      server = member;
    }
    portfolio.serves.push_back(server);
    if (!server) continue;
    sum += losses.weight(problem) * least;
    weights += losses.weight(problem);
    portfolio.worst_loss = std::max(portfolio.worst_loss, least);
  }
  if (weights > 0) portfolio.mean_loss = sum / weights;
  return portfolio;
}

Portfolio smallest_portfolio(const LossMatrix& losses, double within, std::size_t steps) {
  std::vector<std::size_t> rows;
  for (std::size_t problem = 0; problem < losses.problems(); ++problem) {
    if (losses.best(problem)) rows.push_back(problem);
  }
  within = std::max(within, 0.0);
  std::vector<Bits> columns(losses.configurations(), Bits(rows.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (losses.loss(rows[row], i) <= within) columns[i].set(row);
    }
  }
  const Cover cover = smallest_cover(columns, rows.size(), steps);
  const MedianSet set = medians_within(losses, within).best(cover.columns.size(), cover.columns, steps);
  Portfolio portfolio = evaluate_portfolio(losses, set.columns);
  portfolio.exact = cover.exact;
  return portfolio;
}

Portfolio best_portfolio(const LossMatrix& losses, std::size_t count, std::size_t steps) {
  return portfolio_of(losses, medians_within(losses, kAnyLoss).best(count, {}, steps));
}

std::vector<Portfolio> portfolio_curve(const LossMatrix& losses, std::size_t steps) {
  std::vector<Portfolio> curve;
  const Medians medians = medians_within(losses, kAnyLoss);
  MedianSet set;
  for (std::size_t count = 1; count <= kMostMembers; ++count) {
    const std::size_t before = set.columns.size();
    set = medians.best(count, set.columns, steps);
    if (set.columns.size() == before) break;  // nothing is left to gain
    curve.push_back(portfolio_of(losses, set));
  }
  return curve;
}

}  // namespace tuner::search
