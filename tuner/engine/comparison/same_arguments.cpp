#include "tuner/engine/comparison/same_arguments.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "tuner/core/task/argument_binding.hpp"

namespace tuner::engine {

namespace {

bool same_data(const std::optional<DataFile>& a, const std::optional<DataFile>& b) {
  return a.has_value() == b.has_value() && (!a || (a->hash == b->hash && a->bytes == b->bytes));
}

/// What of the two differs, as a word; empty: nothing that matters.
const char* difference(const BoundArgument& a, const BoundArgument& b) {
  if (a.role != b.role) return "role";
  if (a.type != b.type || a.lanes != b.lanes) return "type";
  if (a.role == Argument::Role::constant && a.name != b.name) return "name";
  if (a.varies != b.varies || (!a.varies && a.length != b.length)) return "length";
  if (a.generators != b.generators || !same_data(a.file, b.file)) return "content";
  if (a.role == Argument::Role::scalar && a.value.text() != b.value.text()) return "value";
  if (a.values != b.values) return "value";
  const bool same_tolerance = a.rtol == b.rtol && a.atol == b.atol && a.may_differ == b.may_differ;
  if (!same_tolerance || a.is_partial != b.is_partial || !same_data(a.expected, b.expected)) return "tolerance";
  if (a.alignment != b.alignment || a.padding != b.padding) return "alignment or padding";
  return "";
}

}  // namespace

std::string different_arguments(const Task& task, const Task& other) {
  const std::vector<BoundArgument>&mine = task.arguments_with_data(), &its = other.arguments_with_data();
  if (mine.size() != its.size()) return fmt::format("{} arguments in one, {} in the other", mine.size(), its.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::string what = difference(mine[i], its[i]);
    const Argument &described = task.description().arguments[i], &other_described = other.description().arguments[i];
    if (mine[i].role == Argument::Role::value && described.type != other_described.type) what = "type";
    if (what.empty()) continue;
    return mine[i].name == its[i].name ? fmt::format("the {} of `{}`", what, mine[i].name)
                                       : fmt::format("the {} of `{}` and `{}`", what, mine[i].name, its[i].name);
  }
  if (task.parameters() != other.parameters()) return "which of them are parameters of the kernel";
  return {};
}

}  // namespace tuner::engine
