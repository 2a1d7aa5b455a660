#include "tuner/engine/comparison/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "tuner/engine/measure/paired_ratio.hpp"

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// A choice between changes needs less precision than what is told of the path.
constexpr double kChoicePrecision = 0.005, kPathPrecision = 0.0025;
constexpr std::size_t kLeastBlocks = 12, kMostBlocks = 2000;
constexpr std::size_t kInteracting = 3;

/// Whether every ratio to the first is known so well, of its own size: a tenfold time need not be known to a per cent.
bool all_known(const Panel& panel, std::size_t entrants, double precision) {
  if (panel.blocks() < kLeastBlocks || (panel.is_noisy() && panel.blocks() < kMostBlocks)) return false;
  if (panel.blocks() >= kMostBlocks) return true;
  for (std::size_t i = 1; i < entrants; ++i) {
    const Ratio ratio = panel.ratio({i}, {i - 1});
    const double half = 0.5 * std::log(ratio.high / ratio.low);
    if (half > precision * (1 + 2 * std::abs(std::log(ratio.ratio)))) return false;
  }
  return true;
}

class PathFinder {
 public:
  PathFinder(SideBySide& side_by_side, std::size_t from, std::size_t to, const PathOptions& options)
      : side_by_side_(side_by_side),
        task_(*side_by_side[from].task),
        from_(side_by_side[from].configuration),
        to_(side_by_side[to].configuration),
        until_(Clock::now() + options.limit),
        half_(Clock::now() + options.limit / 2) {
    path_.from = from;
    path_.to = to;
    known_.emplace(from_, from);
    known_.emplace(to_, to);
  }

  Path find() {
    // Each time around another configuration is known to fail, and there are few on a path.
    constexpr int kMostAttempts = 5;
    for (int attempt = 0; attempt < kMostAttempts && !path_.is_complete && runs(path_.from) && runs(path_.to);
         ++attempt) {
      path_.steps.clear();
      search::Configuration here = from_;
      while (here != to_ && !side_by_side_.stopped()) {
        const search::Change change = best_change(here);
        here = search::changed(here, to_, change);
        path_.steps.push_back({.change = change, .assignments = assignments(change), .contestant = contestant(here)});
      }
      if (here != to_ || !measure()) break;
    }
    if (!path_.is_complete && path_.note.empty()) path_.note = "it was stopped, or too much fails on the way";
    if (path_.is_complete) look_for_interactions();
    return std::move(path_);
  }

 private:
  bool has_time() const { return !side_by_side_.stopped() && Clock::now() < until_; }
  bool runs(std::size_t contestant) const { return !side_by_side_[contestant].failure; }

  std::size_t contestant(const search::Configuration& configuration) {
    add({configuration});
    return known_.at(configuration);
  }

  void add(const std::vector<search::Configuration>& configurations) {
    std::vector<SideBySide::NewContestant> added;
    for (const search::Configuration& one : configurations) {
      if (!known_.contains(one)) added.push_back({&task_, one});
    }
    const std::vector<std::size_t> numbers = side_by_side_.add(added);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      known_.emplace(added[i].configuration, numbers[i]);
      const Contestant& one = side_by_side_[numbers[i]];
      if (one.failure) path_.failures.push_back(fmt::format("{} fails: {}", one.text, one.failure->message));
    }
  }

  std::string assignments(const search::Change& change) const {
    std::vector<std::string> parts;
    for (const std::size_t parameter : change) {
      parts.push_back(
          fmt::format("{}={}", task_.space().parameters()[parameter].name, task_.space().value(to_, parameter).text()));
    }
    return fmt::format("{}", fmt::join(parts, ","));
  }

  /// All that is left where no smaller step runs, or half of the time is spent.
  search::Change best_change(const search::Configuration& here) {
    const std::vector<search::Change> changes =
        search::smallest_changes(here, to_, [this](const search::Configuration& one) { return task_.accepts(one); });
    if (changes.size() == 1) return changes.front();
    if (Clock::now() >= half_) {
      path_.note = "half of the time was spent, so the last step is all that was left";
      return search::differing(here, to_);
    }
    std::vector<search::Configuration> nexts;
    for (const search::Change& change : changes) nexts.push_back(search::changed(here, to_, change));
    add(nexts);
    for (;;) {
      std::vector<std::size_t> entrants, of_change;
      for (std::size_t i = 0; i < nexts.size(); ++i) {
        if (!runs(known_.at(nexts[i]))) continue;
        entrants.push_back(known_.at(nexts[i]));
        of_change.push_back(i);
      }
      if (entrants.empty()) return search::differing(here, to_);
      if (entrants.size() == 1) return changes[of_change.front()];
      const Panel panel = race(entrants, kChoicePrecision, half_);
      if (side_by_side_.stopped()) return search::differing(here, to_);
      if (!note_failures(entrants)) return changes[of_change[best_of(panel, entrants.size())]];
    }
  }

  /// Of those that cannot be told from the fastest the first.
  static std::size_t best_of(const Panel& panel, std::size_t entrants) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < entrants; ++i) {
      if (panel.ratio({i}, {best}).ratio < 1) best = i;
    }
    for (std::size_t i = 0; i < best; ++i) {
      if (panel.ratio({i}, {best}).ratio < 1 + kPathTie) return i;
    }
    return best;
  }

  /// Whether one of them failed in a race, which is written down.
  bool note_failures(const std::vector<std::size_t>& entrants) {
    bool any = false;
    for (const std::size_t entrant : entrants) {
      const Contestant& one = side_by_side_[entrant];
      if (!one.failure) continue;
      any = true;
      path_.failures.push_back(fmt::format("{} fails: {}", one.text, one.failure->message));
    }
    return any;
  }

  Panel race(const std::vector<std::size_t>& entrants, double precision, Clock::time_point until) {
    return side_by_side_.race(
        entrants, [&](const Panel& panel) { return all_known(panel, entrants.size(), precision); }, until);
  }

  /// All configurations of the path against each other. True if another path is to be tried.
  bool measure() {
    std::vector<std::size_t> entrants{path_.from};
    for (const PathStep& step : path_.steps) entrants.push_back(step.contestant);
    const Panel panel = race(entrants, kPathPrecision, until_);
    if (side_by_side_.stopped()) return false;
    if (note_failures(entrants)) return true;
    if (panel.blocks() < kLeastBlocks) {
      path_.note = "the time was spent before its steps were measured; --limit gives it more";
      return false;
    }
    const EntrantId last{entrants.size() - 1};
    path_.whole = panel.ratio(last, {0});
    path_.blocks = panel.blocks();
    path_.from_ns = panel.median_ns({0});
    path_.to_ns = panel.median_ns(last);
    path_.is_noisy = panel.is_noisy();
    path_.is_complete = true;
    const bool is_change = path_.whole.low > 1 + kPathTie || path_.whole.high < 1 - kPathTie;
    for (std::size_t i = 0; i < path_.steps.size(); ++i) {
      path_.steps[i].time = panel.ratio({i + 1}, {i});
      if (is_change) path_.steps[i].share = std::log(path_.steps[i].time.ratio) / std::log(path_.whole.ratio);
    }
    for (std::size_t i = path_.steps.size(); i-- > 0;) {
      const Ratio rest_of_path = panel.ratio(last, {i});
      if (rest_of_path.low < 1 - kPathTie || rest_of_path.high > 1 + kPathTie) break;
      path_.steps[i].is_idle = true;
    }
    return false;
  }

  void look_for_interactions() {
    std::vector<std::size_t> largest(path_.steps.size());
    std::iota(largest.begin(), largest.end(), std::size_t{0});
    std::stable_sort(largest.begin(), largest.end(), [this](std::size_t a, std::size_t b) {
      return std::abs(std::log(path_.steps[a].time.ratio)) > std::abs(std::log(path_.steps[b].time.ratio));
    });
    largest.resize(std::min(largest.size(), kInteracting));
    std::sort(largest.begin(), largest.end());
    for (std::size_t i = 0; i < largest.size(); ++i) {
      for (std::size_t j = i + 1; j < largest.size(); ++j) {
        if (has_time()) look_at_pair(largest[i], largest[j]);
      }
    }
  }

  void look_at_pair(std::size_t first, std::size_t second) {
    const search::Configuration one = search::changed(from_, to_, path_.steps[first].change);
    const search::Configuration other = search::changed(from_, to_, path_.steps[second].change);
    const search::Configuration both = search::changed(one, to_, path_.steps[second].change);
    for (const search::Configuration& needed : {one, other, both}) {
      if (!task_.accepts(needed)) return;
    }
    add({one, other, both});
    const std::vector<std::size_t> entrants{path_.from, known_.at(one), known_.at(other), known_.at(both)};
    for (const std::size_t entrant : entrants) {
      if (!runs(entrant)) return;
    }
    const Panel panel = race(entrants, kPathPrecision, until_);
    if (note_failures(entrants) || panel.blocks() < kLeastBlocks) return;
    // log(both) - log(one) - log(other) + log(neither), block by block.
    std::vector<double> together, apart;
    const std::vector<double> none = panel.samples_ns({0}), a = panel.samples_ns({1}), b = panel.samples_ns({2}),
                              ab = panel.samples_ns({3});
    for (std::size_t i = 0; i < none.size(); ++i) {
      together.push_back(ab[i] * none[i]);
      apart.push_back(a[i] * b[i]);
    }
    const Ratio ratio = paired_ratio(together, apart);
    if (ratio.low > 1 + kPathTie || ratio.high < 1 - kPathTie) path_.interactions.push_back({first, second, ratio});
  }

  SideBySide& side_by_side_;
  const Task& task_;
  const search::Configuration from_, to_;
  const Clock::time_point until_, half_;
  std::map<search::Configuration, std::size_t> known_;
  Path path_;
};

}  // namespace

Path find_path(SideBySide& side_by_side, std::size_t from, std::size_t to, const PathOptions& options) {
  return PathFinder(side_by_side, from, to, options).find();
}

}  // namespace tuner::engine
