#pragma once

#include <cstddef>
#include <vector>

#include "tuner/core/task/bound_argument.hpp"

namespace tuner {

/// The positions of the outputs whose order is free, in groups of at most kMostColumns that are put in order together:
/// elements of one place are one record where one output counts them all, and their number is the same. Integers come
/// first, because they are exact. Each group is expected from files, or none of it.
std::vector<std::vector<std::size_t>> free_orders(const std::vector<const BoundArgument*>& arguments);

}  // namespace tuner
