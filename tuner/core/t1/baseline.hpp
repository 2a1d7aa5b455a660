#pragma once

#include <string>
#include <vector>

#include "search/expression/value.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner {

/// Binds the description to its own problem, which throws what is wrong with sizes, contents and scalars.
void check_t1_problem(const KernelDescription& kernel);

struct T1Baseline {
  std::vector<search::Value> values;  ///< by parameter; empty if the defaults can stay
  std::string why;                    ///< what is wrong with the defaults
};

/// Looks for a configuration to take the place of defaults that violate a condition or have more threads than a block
/// can have: of the valid ones one that differs from the defaults in as few parameters as possible. None is found in an
/// empty space.
T1Baseline mend_t1_baseline(const KernelDescription& kernel);

}  // namespace tuner
