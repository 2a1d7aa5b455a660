#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tuner {

/// How many times a product of sizes an index reaches.
struct Times {
  std::int64_t numerator = 1, denominator = 1;
  bool is_extent = false;  ///< of blocks, which stand for all of their elements whatever they are multiplied with
  bool is_bound = false;   ///< a part of a size that an index ends at; other parts may begin anywhere in the size
};

/// What an index can reach: for each product of sizes, their names sorted, how many times. Numbers have no sizes.
using Reach = std::map<std::vector<std::string>, Times>;

/// 1 for what is no positive number, or a very large one.
Reach reach_of_number(std::int64_t number);
Reach reach_of_size(const std::string& size);
/// Of the index of blocks over a size.
Reach reach_of_extent(const std::string& size);

/// The greater of both for each product of sizes.
void merge(Reach& into, const Reach& other);
/// The same for what is added. Parts of a size, as `i + n / 2` with `i < n / 2`, make up the whole.
Reach sum(Reach left, const Reach& right);
Reach product(const Reach& left, const Reach& right);
Reach quotient(Reach dividend, std::int64_t divisor);
/// Of an index that is `times` as far from the end: `i * 4 < n`.
Reach bounded(Reach end, std::int64_t times);

/// The terms with the most sizes, "4 * rows * columns"; empty if there are no sizes.
std::string length_of(const Reach& reach);

}  // namespace tuner
