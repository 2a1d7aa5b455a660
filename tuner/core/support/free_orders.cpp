#include "tuner/core/support/free_orders.hpp"

#include <algorithm>

#include "tuner/core/support/support.hpp"

namespace tuner {
namespace {

bool is_one_record(const BoundArgument& one, const BoundArgument& other) {
  return one.counted_by && one.counted_by == other.counted_by && one.length == other.length &&
         one.expected.has_value() == other.expected.has_value();
}

}  // namespace

std::vector<std::vector<std::size_t>> free_orders(const std::vector<const BoundArgument*>& arguments) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i]->is_unordered) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& one) {
      return one.size() < kMostColumns && is_one_record(*arguments[one.front()], *arguments[i]);
    });
    if (group == groups.end())
      groups.push_back({i});
    else
      group->push_back(i);
  }
  for (std::vector<std::size_t>& group : groups) {
    std::stable_partition(group.begin(), group.end(), [&](std::size_t i) { return !is_real(arguments[i]->type); });
  }
  return groups;
}

}  // namespace tuner
