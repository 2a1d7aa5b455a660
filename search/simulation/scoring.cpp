#include "search/simulation/scoring.hpp"

#include <algorithm>
#include <cmath>

#include "search/strategy/prng.hpp"

namespace tuner::search {
namespace {

/// The mean curve of random orders of rows whose costs differ.
std::vector<double> drawn_random_fractions(std::span<const ScoredRow> rows, double optimum_ns, std::size_t budget) {
  std::vector<double> sums(budget, 0.0);
  std::vector<std::uint32_t> drawn_in(rows.size(), 0);
  Prng prng(0);
  for (std::uint32_t order = 1; order <= Yardstick::kRandomOrders; ++order) {
    double best = 0, spent = 0;
    std::size_t position = 0, drawn = 0;
    while (position < budget) {
      const bool exhausted = drawn == rows.size();
      double time = 0;
      if (!exhausted) {
        std::uint64_t row = prng.below(rows.size());
        while (drawn_in[row] == order) row = prng.below(rows.size());
        drawn_in[row] = order;
        ++drawn;
        spent += rows[row].cost;
        time = rows[row].time_ns;
      }
      // What was best before this row was done is the best at every position that lies before its end.
      const double fraction = best > 0 ? optimum_ns / best : 0;
      while (position < budget && (exhausted || static_cast<double>(position + 1) < spent))
        sums[position++] += fraction;
      if (time > 0 && (best == 0 || time < best)) best = time;
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(Yardstick::kRandomOrders);
  return sums;
}

}  // namespace

Estimate estimate(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  if (values.size() == 1) return {mean, 0};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

Estimate average(std::span<const Estimate> estimates) {
  if (estimates.empty()) return {};
  double sum = 0, variance = 0;
  for (const Estimate& one : estimates) {
    sum += one.mean;
    variance += one.standard_error * one.standard_error;
  }
  const auto count = static_cast<double>(estimates.size());
  return {sum / count, std::sqrt(variance) / count};
}

std::vector<double> expected_random_fractions(std::span<const double> sorted_ns, std::uint64_t rows,
                                              std::size_t budget) {
  std::vector<double> result;
  result.reserve(budget);
  for (std::size_t m = 1; m <= budget; ++m) {
    // q is C(rows - r, m) / C(rows, m), the chance that none of the r fastest was drawn. Each is the one before times
    // (rows - r + 1 - m) / (rows - r + 1): as exact as the logarithms of factorials, and far cheaper.
    double q = 1, fraction = 0;
    for (std::size_t r = 1; r <= sorted_ns.size() && q > 1e-18; ++r) {
      const std::uint64_t left = rows - r + 1;
      const double next = left > m ? q * (static_cast<double>(left - m) / static_cast<double>(left)) : 0;
      fraction += sorted_ns.front() / sorted_ns[r - 1] * (q - next);
      q = next;
    }
    result.push_back(fraction);
  }
  return result;
}

Yardstick::Yardstick(std::span<const ScoredRow> rows, std::size_t budget) {
  std::vector<double> sorted_ns;
  bool same_cost = true;
  for (const ScoredRow& row : rows) {
    if (row.time_ns > 0) sorted_ns.push_back(row.time_ns);
    if (row.cost != 1) same_cost = false;
  }
  std::sort(sorted_ns.begin(), sorted_ns.end());
  if (!sorted_ns.empty()) optimum_ns_ = sorted_ns.front();
  random_ = same_cost ? expected_random_fractions(sorted_ns, rows.size(), budget)
                      : drawn_random_fractions(rows, optimum_ns_, budget);
}

std::vector<double> Yardstick::fractions(std::span<const ScoredVisit> visits) const {
  std::vector<double> result(budget(), 0.0);
  double best = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto m = static_cast<double>(i + 1);
    for (; next < visits.size() && visits[next].done <= m; ++next) {
      const double time = visits[next].time_ns;
      if (time > 0 && (best == 0 || time < best)) best = time;
    }
    if (best > 0) result[i] = optimum_ns_ / best;
  }
  return result;
}

double Yardstick::score(std::span<const double> fractions) const {
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < random_.size(); ++i) {
    const double room = 1 - random_[i];
    if (room < 1e-9) continue;
    sum += (fractions[i] - random_[i]) / room;
    ++counted;
  }
  return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

Score score_of(const Yardstick& yardstick, std::span<const std::vector<double>> curves) {
  Score result;
  std::vector<double> scores, first_hits, values, hits;
  for (const std::vector<double>& curve : curves) {
    scores.push_back(yardstick.score(curve));
    const auto hit = std::find_if(curve.begin(), curve.end(), [](double f) { return f >= Score::kHit; });
    const auto before = static_cast<std::size_t>(hit - curve.begin());
    first_hits.push_back(static_cast<double>(std::min(before + 1, curve.size())));
  }
  result.score = estimate(scores);
  result.to_95 = estimate(first_hits);
  for (std::size_t i = 0; i < yardstick.budget(); ++i) {
    values.clear();
    hits.clear();
    for (const std::vector<double>& curve : curves) {
      values.push_back(curve[i]);
      hits.push_back(curve[i] >= Score::kHit ? 1 : 0);
    }
    result.fraction.push_back(estimate(values));
    result.hit95.push_back(estimate(hits));
  }
  return result;
}

Score average(std::span<const Score> scores) {
  std::vector<Estimate> column;
  const auto mean_of = [&](auto&& get) {
    column.clear();
    for (const Score& score : scores) column.push_back(get(score));
    return average(std::span<const Estimate>(column));
  };
  Score result;
  result.score = mean_of([](const Score& score) { return score.score; });
  result.to_95 = mean_of([](const Score& score) { return score.to_95; });
  const std::size_t budget = scores.empty() ? 0 : scores.front().fraction.size();
  for (std::size_t i = 0; i < budget; ++i) {
    result.fraction.push_back(mean_of([i](const Score& score) { return score.fraction[i]; }));
    result.hit95.push_back(mean_of([i](const Score& score) { return score.hit95[i]; }));
  }
  return result;
}

}  // namespace tuner::search
