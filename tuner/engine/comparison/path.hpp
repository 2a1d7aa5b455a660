#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/space/changes.hpp"
#include "tuner/engine/comparison/side_by_side.hpp"
#include "tuner/engine/measure/race.hpp"

namespace tuner::engine {

/// One step of a path: parameters that change together, and what that does to the time.
struct PathStep {
  search::Change change;        ///< parameters, by position
  std::string assignments;      ///< "PDIST=6,STRATEGY=shared": what they change to
  std::size_t contestant = 0;   ///< the configuration after the step
  Ratio time;                   ///< after over before, paired; below 1 is faster
  std::optional<double> share;  ///< its logarithm over that of the whole; nothing where the whole may be no change
  /// After this step and all that follow, the time is within kPathTie of what it is after the last: these parameters
  /// could keep their values.
  bool is_idle = false;
};

/// Two steps that do more, or less, together than one after the other would.
struct Interaction {
  std::size_t first = 0, second = 0;  ///< steps
  Ratio time;                         ///< of both over the product of each alone, from where the path begins
};

/// How the time gets from one configuration to another.
struct Path {
  std::size_t from = 0, to = 0;  ///< contestants
  std::vector<PathStep> steps;
  double from_ns = 0, to_ns = 0;  ///< medians of that race
  Ratio whole;                    ///< time of `to` over that of `from`, raced with all steps
  std::vector<Interaction> interactions;
  std::size_t blocks = 0;  ///< of the race of all steps
  bool is_noisy = false;
  bool is_complete = false;           ///< all steps were raced
  std::string note;                   ///< why it is not, or that its last step is all that was left when time was short
  std::vector<std::string> failures;  ///< sentences: configurations in between that do not run
};

/// A step that changes the time by less is none: what a race takes for a tie.
inline constexpr double kPathTie = 0.01;

struct PathOptions {
  std::chrono::milliseconds limit{60000};  ///< for everything; half of it for the search of the steps
};

/// Finds the path between two contestants of one task, which accepts both, in the manner of ablation (C. Fawcett, H.
/// Hoos, "Analysing differences between algorithm configurations through ablation", Journal of Heuristics 22, 2016): of
/// the smallest valid changes (search::smallest_changes) that which brings most is made, then again from there. Of
/// changes that cannot be told apart the one with the parameter that was declared first is made, so that paths repeat.
/// In the end all configurations of the path race together, and the ratios are those of that race. A configuration that
/// fails on the way is gone around. Interactions are looked for among the three steps that change most.
Path find_path(SideBySide& side_by_side, std::size_t from, std::size_t to, const PathOptions& options = {});

}  // namespace tuner::engine
