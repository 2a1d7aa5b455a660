#pragma once

#include <span>

#include "search/expression/value.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/problem.hpp"

namespace tuner {

search::Value search_value(const ProblemValue& value);

/// Values in declared order with their names. Throws Error{bad_problem} if there are more than properties.
ProblemValues named_values(const KernelDescription& description, std::span<const ProblemValue> values);

}  // namespace tuner
