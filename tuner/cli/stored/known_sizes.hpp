#pragma once

#include <string>
#include <vector>

#include "cache/store/database.hpp"
#include "tuner/cli/given/selection.hpp"
#include "tuner/core/sizes/sizes.hpp"

namespace tuner::cli {

/// The first of these keys for each kernel, GPU, mode and objective: what is known over all problems is the same for
/// the others.
std::vector<cache::DecisionKey> whatever_problem(const std::vector<cache::DecisionKey>& keys);

/// What is stored of kernels over all their problems, one for a kernel on a GPU in a mode, as far as the selection
/// includes any of its problems. Throws Error{store_damaged, store_newer}.
std::vector<KernelSizes> known_sizes(const cache::Database& store, const Selection& selection);

/// In a line, what is stored of one key's kernel, GPU and mode: "4 configurations serve all 25 problems within 2 %, and
/// a rule other sizes: `tuner sizes softmax`"; or why that cannot be read. Empty if there is nothing.
std::string sizes_line(const cache::Database& store, const cache::DecisionKey& key);

/// How to get some where there are none.
std::string no_sizes(const std::string& kernel);

}  // namespace tuner::cli
