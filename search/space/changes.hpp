#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "search/space/space.hpp"

namespace tuner::search {

/// Parameters that change together, by position, ascending.
using Change = std::vector<std::size_t>;

/// The parameters in which they differ.
Change differing(const Configuration& from, const Configuration& to);

/// `from` with the values that `to` has for these parameters.
Configuration changed(const Configuration& from, const Configuration& to, const Change& change);

/// The smallest changes that lead from `from` towards `to` and are accepted: each single parameter in which they
/// differ, where that alone is; for every other one the smallest set of them that contains it and is, the first such
/// set in the order of parameters. Each set once, by its first parameter. `to` itself must be accepted; empty if it is
/// `from`. Looks at sets of up to four parameters one by one, and then at all that differ.
std::vector<Change> smallest_changes(const Configuration& from, const Configuration& to,
                                     const std::function<bool(const Configuration&)>& accepts);

}  // namespace tuner::search
