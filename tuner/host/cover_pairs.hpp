#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tuner::host {

/// Adds to `chosen` positions of `rows` out of `candidates`, so that any two values that stand together in a candidate
/// (in two columns) stand together in a chosen row too: every pair of parameter values that the constraints allow is
/// tested, with few configurations. Stops early when `limit` rows are chosen. Greedy, so not the fewest; the same rows
/// always give the same choice. All rows have the same number of columns.
void cover_pairs(const std::vector<std::vector<std::uint32_t>>& rows, const std::vector<std::size_t>& candidates,
                 std::size_t limit, std::vector<std::size_t>& chosen);

}  // namespace tuner::host
