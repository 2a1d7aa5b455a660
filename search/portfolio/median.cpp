#include "search/portfolio/median.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tuner::search {
namespace {

using Costs = std::vector<double>;

/// What must be saved for one set to be better than another: sums are rounded.
constexpr double kRounding = 1e-12;

double sum(const Costs& costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

double joint_cost(const Costs& a, const Costs& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += std::min(a[i], b[i]);
  return total;
}

Costs joined(Costs a, const Costs& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::min(a[i], b[i]);
  return a;
}

class MedianSearch {
 public:
  MedianSearch(const std::vector<Costs>& costs, const std::vector<std::size_t>& candidates, std::size_t count,
               std::size_t steps)
      : costs_(costs), candidates_(candidates), count_(count), steps_(steps) {}

  MedianSet run(std::vector<std::size_t> start) {
    best_ = std::move(start);
    best_cost_ = sum(costs_of(best_));
    while (best_.size() < count_ && add()) {
    }
    while (swap()) {
    }
    search(nothing(), candidates_);
    drop_superfluous();
    std::sort(best_.begin(), best_.end());
    return {best_, !cut_short_};
  }

 private:
  /// What no column serves costs more than anything that a column may cost.
  Costs nothing() const {
    Costs none(costs_.front().size(), 0.0);
    for (const Costs& column : costs_) {
      for (std::size_t i = 0; i < none.size(); ++i) none[i] = std::max(none[i], column[i]);
    }
    for (double& cost : none) cost = cost * 2 + 1;
    return none;
  }

  Costs costs_of(const std::vector<std::size_t>& columns) const {
    Costs costs = nothing();
    for (const std::size_t column : columns) costs = joined(std::move(costs), costs_[column]);
    return costs;
  }

  bool is_less(double a, double b) const { return a < b - kRounding * (1 + b); }

  /// One look at every candidate's costs.
  bool spend() {
    const std::size_t steps = candidates_.size() * costs_.front().size();
    cut_short_ = cut_short_ || steps > steps_;
    steps_ -= std::min(steps, steps_);
    return !cut_short_;
  }

  /// The candidate that costs least together with `costs`, if it makes that less than `bound`.
  std::pair<std::size_t, double> cheapest_with(const Costs& costs, double bound) const {
    std::pair<std::size_t, double> cheapest{costs_.size(), bound};
    for (const std::size_t column : candidates_) {
      const double cost = joint_cost(costs, costs_[column]);
      if (is_less(cost, cheapest.second)) cheapest = {column, cost};
    }
    return cheapest;
  }

  bool add() {
    const auto [column, cost] = cheapest_with(costs_of(best_), best_cost_);
    if (column == costs_.size()) return false;
    best_.push_back(column);
    best_cost_ = cost;
    return true;
  }

  bool swap() {
    bool swapped = false;
    for (std::size_t i = 0; i < best_.size() && spend(); ++i) {
      std::vector<std::size_t> others = best_;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const auto [column, cost] = cheapest_with(costs_of(others), best_cost_);
      if (column == costs_.size()) continue;
      best_[i] = column;
      best_cost_ = cost;
      swapped = true;
    }
    return swapped && !cut_short_;
  }

  /// All sets that extend `chosen_`, which costs `costs`, by `candidates`.
  void search(const Costs& costs, const std::vector<std::size_t>& candidates) {
    const double cost = sum(costs);
    if (is_less(cost, best_cost_)) {
      best_ = chosen_;
      best_cost_ = cost;
    }
    if (chosen_.size() == count_ || !spend()) return;
    std::vector<std::pair<double, std::size_t>> savings;
    for (const std::size_t column : candidates) {
      const double saved = cost - joint_cost(costs, costs_[column]);
      if (saved > kRounding * (1 + cost)) savings.emplace_back(-saved, column);
    }
    std::sort(savings.begin(), savings.end());
    // The column that saves most is tried first; behind it, sets without it.
    std::vector<double> all_behind(savings.size());
    Costs behind = costs;
    for (std::size_t i = savings.size(); i-- > 0;) {
      behind = joined(std::move(behind), costs_[savings[i].second]);
      all_behind[i] = sum(behind);
    }
    const std::size_t left = count_ - chosen_.size();
    for (std::size_t i = 0; i < savings.size() && !cut_short_; ++i) {
      // Columns never save more together than each does alone.
      double least = cost;
      for (std::size_t j = i; j < savings.size() && j < i + left; ++j) least += savings[j].first;
      if (!is_less(std::max(least, all_behind[i]), best_cost_)) return;
      std::vector<std::size_t> later;
      for (std::size_t j = i + 1; j < savings.size(); ++j) later.push_back(savings[j].second);
      chosen_.push_back(savings[i].second);
      search(joined(costs, costs_[savings[i].second]), later);
      chosen_.pop_back();
    }
  }

  void drop_superfluous() {
    for (std::size_t i = best_.size(); i-- > 0;) {
      std::vector<std::size_t> others = best_;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (is_less(best_cost_, sum(costs_of(others)))) continue;
      best_ = std::move(others);
    }
  }

  const std::vector<Costs>& costs_;
  const std::vector<std::size_t>& candidates_;
  std::size_t count_;
  std::size_t steps_;
  bool cut_short_ = false;
  std::vector<std::size_t> chosen_, best_;
  double best_cost_ = 0;
};

bool costs_no_more(const Costs& a, const Costs& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

}  // namespace

Medians::Medians(std::vector<std::vector<double>> costs) : costs_(std::move(costs)) {
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    bool is_superfluous = false;
    for (std::size_t j = 0; j < costs_.size() && !is_superfluous; ++j) {
      if (j != i && costs_no_more(costs_[j], costs_[i])) is_superfluous = j < i || !costs_no_more(costs_[i], costs_[j]);
    }
    if (!is_superfluous) candidates_.push_back(i);
  }
}

MedianSet Medians::best(std::size_t count, std::vector<std::size_t> start, std::size_t steps) const {
  if (candidates_.empty() || costs_.front().empty()) return {};
  return MedianSearch(costs_, candidates_, count, steps).run(std::move(start));
}

}  // namespace tuner::search
