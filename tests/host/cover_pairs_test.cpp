#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <tuple>

#include "tuner/host/cover_pairs.hpp"

using tuner::host::cover_pairs;

namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

/// All combinations of `columns` columns of `values` values except where the first two columns are equal.
Rows rows_of(std::uint32_t columns, std::uint32_t values) {
  Rows rows = {{}};
  for (std::uint32_t column = 0; column < columns; ++column) {
    Rows longer;
    for (const auto& row : rows) {
      for (std::uint32_t value = 0; value < values; ++value) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    rows = longer;
  }
  std::erase_if(rows, [](const auto& row) { return row[0] == row[1]; });
  return rows;
}

std::vector<std::size_t> positions(const Rows& rows) {
  std::vector<std::size_t> all(rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

using Pair = std::tuple<std::size_t, std::size_t, std::uint32_t, std::uint32_t>;
std::set<Pair> pairs(const Rows& rows, const std::vector<std::size_t>& chosen) {
  std::set<Pair> result;
  for (std::size_t row : chosen) {
    for (std::size_t b = 0; b < rows[row].size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) result.emplace(a, b, rows[row][a], rows[row][b]);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("the chosen rows hold every pair that occurs, and are few") {
  const Rows rows = rows_of(5, 4);
  std::vector<std::size_t> chosen;
  cover_pairs(rows, positions(rows), 1000, chosen);
  CHECK_EQ(pairs(rows, chosen), pairs(rows, positions(rows)));
  CHECK_LE(chosen.size(), 24);  // 16 is the least possible, of 768 rows
}

TEST_CASE("the same rows give the same choice, and a limit cuts it short") {
  const Rows rows = rows_of(4, 3);
  std::vector<std::size_t> first, second, few;
  cover_pairs(rows, positions(rows), 1000, first);
  cover_pairs(rows, positions(rows), 1000, second);
  cover_pairs(rows, positions(rows), 5, few);
  CHECK_EQ(first, second);
  CHECK_EQ(few, std::vector<std::size_t>(first.begin(), first.begin() + 5));
}

TEST_CASE("pairs that earlier choices hold are not looked for again") {
  const Rows rows = rows_of(4, 3);
  std::vector<std::size_t> chosen = positions(rows);
  cover_pairs(rows, positions(rows), 1000, chosen);
  CHECK_EQ(chosen.size(), rows.size());
}
