#include "tuner/host/cover_pairs.hpp"

#include <queue>
#include <unordered_set>

namespace tuner::host {
namespace {

using Row = std::vector<std::uint32_t>;
using Pairs = std::unordered_set<std::uint64_t>;

/// Calls `visit` with a number for each pair of values in `row`.
template <typename Visit>
void for_each_pair(const Row& row, Visit visit) {
  for (std::uint64_t a = 0; a < row.size(); ++a) {
    for (std::uint64_t b = a + 1; b < row.size(); ++b) visit(a << 56 | b << 48 | std::uint64_t{row[a]} << 24 | row[b]);
  }
}

std::size_t gain(const Row& row, const Pairs& missing) {
  std::size_t pairs = 0;
  for_each_pair(row, [&](std::uint64_t pair) { pairs += missing.count(pair); });
  return pairs;
}

struct RowGain {
  std::size_t gain;
  std::size_t row;
  // The most pairs first, then the earliest row.
  bool operator<(const RowGain& other) const { return gain != other.gain ? gain < other.gain : row > other.row; }
};

}  // namespace

void cover_pairs(const std::vector<Row>& rows, const std::vector<std::size_t>& candidates, std::size_t limit,
                 std::vector<std::size_t>& chosen) {
  Pairs missing;
  for (std::size_t row : candidates) for_each_pair(rows[row], [&](std::uint64_t pair) { missing.insert(pair); });
  for (std::size_t row : chosen) for_each_pair(rows[row], [&](std::uint64_t pair) { missing.erase(pair); });

  std::priority_queue<RowGain> queue;
  for (std::size_t row : candidates) queue.push({missing.size(), row});
  while (!missing.empty() && chosen.size() < limit) {
    // A row's gain only shrinks as others are chosen, so a gain that is out of date is an upper bound.
    const RowGain best = queue.top();
    queue.pop();
    const std::size_t now = gain(rows[best.row], missing);
    if (now < best.gain) {
      queue.push({now, best.row});
      continue;
    }
    chosen.push_back(best.row);
    for_each_pair(rows[best.row], [&](std::uint64_t pair) { missing.erase(pair); });
  }
}

}  // namespace tuner::host
