#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/core/sizes/sizes.hpp"
#include "tuner/core/task/problem_list.hpp"

namespace tuner::engine {

/// How much each counts, by its text. The problems are complete.
std::map<std::string, double> weights_of(const std::vector<GivenProblem>& problems);

/// The distance of two problems if one may stand in for the other: at most kNear.
std::optional<double> near_distance(const KernelDescription& kernel, const ProblemValues& a, const ProblemValues& b);

/// What is known of a kernel over its problems, from everything that is stored for the device, mode and objective of
/// `key`; nothing where fewer than two problems are. A rule names winners that were verified at other sizes. `weights`
/// by the text of a problem. Takes seconds for dozens of problems. Throws Error{store_*}.
std::optional<KernelSizes> learn_sizes(const KernelDescription& kernel, const cache::DecisionKey& key,
                                       const cache::Store& store, double within = 0.02,
                                       const std::map<std::string, double>& weights = {});

/// Keeps it with the newest of the decisions that it was made from, in the place of what was kept before. Throws
/// Error{store_*}.
void record_sizes(const KernelSizes& sizes, cache::Store& store);

}  // namespace tuner::engine
