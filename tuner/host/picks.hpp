#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner::host {

/// One configuration of one of several tasks.
struct Choice {
  std::size_t task = 0;  ///< position
  search::Configuration configuration;
};

/// Configurations of the tasks, each of which stands for one more value of one more parameter, in which every pair of
/// parameter values that stands together in a `wanted` configuration stands together: the baseline of the first task
/// first, at most `most`. What is left of `most` goes to the pairs of the rest. Of a space of more than 200,000
/// configurations a part is looked at, evenly. `complete` becomes false if the wanted pairs did not fit.
using PickFilter = std::function<bool(const Task& task, const search::Configuration& configuration)>;
std::vector<Choice> cover_tasks(const std::vector<const Task*>& tasks, const PickFilter& wanted, std::size_t most,
                                bool& complete);

}  // namespace tuner::host
