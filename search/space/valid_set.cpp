#include "search/space/valid_set.hpp"

#include <algorithm>
#include <array>

#include "search/space/groups.hpp"

namespace tuner::search {

/// A node a group.
class ValidSet::Cursor {
 public:
  explicit Cursor(const std::vector<Diagram::Id>& roots) {
    if (roots.size() > few_.size()) {
      many_ = roots;
    } else {
      std::copy(roots.begin(), roots.end(), few_.begin());
    }
    nodes_ = many_.empty() ? few_.data() : many_.data();
  }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  Diagram::Id& operator[](std::uint32_t group) { return nodes_[group]; }

 private:
  std::array<Diagram::Id, 32> few_;
  std::vector<Diagram::Id> many_;
  Diagram::Id* nodes_;
};

ValidSet::ValidSet(const ConstraintProgram& program, std::size_t parameters, BuildBudget& budget) {
  bool undefined = false;  // a condition without parameters
  for (const ConstraintProgram::Condition& condition : program.conditions()) {
    const Step& step = program.steps()[condition.step];
    if (!step.constant) continue;
    const Truth truth = truth_of(step.value);
    if (truth == Truth::no) empty_ = true;
    if (truth == Truth::undefined) undefined = true;
  }
  if (empty_) return;
  std::vector<BuiltGroup> built;
  for (Group& group : make_groups(program, parameters)) {
    built.push_back(build_group(program, group, diagram_, budget));
    roots_.push_back(built.back().root);
    groups_.push_back(std::move(group.parameters));
  }
  diagram_.shrink_to_fit();
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    for (std::uint32_t depth = 0; depth < groups_[group].size(); ++depth) {
      places_.push_back({groups_[group][depth], group, depth});
    }
  }
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.parameter < b.parameter; });
  find_fault(built, parameters, undefined);

  empty_ = undefined || std::any_of(built.begin(), built.end(), [](const BuiltGroup& group) { return group.empty; });
  if (empty_) return;
  size_ = 1;
  for (const BuiltGroup& group : built) {
    overflows_ |= group.overflow || __builtin_mul_overflow(size_, diagram_.node(group.root).total, &size_);
  }
}

/// Some group has choices that cannot be computed, or a condition without parameters cannot be, and every group has
/// choices that nothing rejects: then the first such choices are put together.
void ValidSet::find_fault(const std::vector<BuiltGroup>& built, std::size_t parameters, bool everywhere) {
  std::vector<std::uint32_t> first(parameters);
  for (std::uint32_t group = 0; group < built.size(); ++group) {
    std::vector<std::uint32_t> accepted = built[group].accepted;
    if (!built[group].fault) {
      if (built[group].empty) return;
      for (Diagram::Id at = roots_[group]; at != Diagram::kEnd;) {
        const Diagram::Edge& edge = *diagram_.begin(diagram_.node(at));
        accepted.push_back(edge.choice);
        at = edge.child;
      }
    }
    for (std::size_t i = 0; i < accepted.size(); ++i) first[groups_[group][i]] = accepted[i];
  }
  if (everywhere) fault_ = first;
  for (std::uint32_t group = 0; group < built.size(); ++group) {
    if (!built[group].fault) continue;
    std::vector<std::uint32_t> candidate = first;
    for (std::size_t i = 0; i < groups_[group].size(); ++i) candidate[groups_[group][i]] = (*built[group].fault)[i];
    if (!fault_ || candidate < *fault_) fault_ = std::move(candidate);
  }
}

void ValidSet::read(std::uint64_t index, std::span<std::uint32_t> choices) const {
  Cursor at(roots_);
  std::uint64_t rest = size_;  // configurations that begin with the choices so far
  for (const Place& place : places_) {
    Diagram::Id& here = at[place.group];
    const Diagram::Node& node = diagram_.node(here);
    const std::uint64_t others = rest == node.total ? 1 : rest / node.total;  // by completion of this group
    const Diagram::Edge& edge = diagram_.edge_at(node, others == 1 ? index : index / others);
    index -= edge.before * others;
    choices[place.parameter] = edge.choice;
    here = edge.child;
    rest = others * diagram_.node(edge.child).total;
  }
}

std::optional<std::uint64_t> ValidSet::find(Choices choices) const {
  if (size_ == 0) return std::nullopt;
  Cursor at(roots_);
  std::uint64_t rest = size_;
  std::uint64_t index = 0;
  for (const Place& place : places_) {
    Diagram::Id& here = at[place.group];
    const Diagram::Node& node = diagram_.node(here);
    const Diagram::Edge* const edge = diagram_.edge(node, choices[place.parameter]);
    if (edge == nullptr) return std::nullopt;
    const std::uint64_t others = rest == node.total ? 1 : rest / node.total;
    index += edge->before * others;
    here = edge->child;
    rest = others * diagram_.node(edge->child).total;
  }
  return index;
}

void ValidSet::read_point(std::span<const double> point, std::span<std::uint32_t> choices) const {
  Cursor at(roots_);
  for (const Place& place : places_) {
    Diagram::Id& here = at[place.group];
    const Diagram::Node& node = diagram_.node(here);
    const auto total = static_cast<double>(node.total);
    const double wanted = point[place.parameter] * total;
    std::uint64_t number = 0;
    if (wanted >= total) {
      number = node.total - 1;
    } else if (wanted > 0) {
      number = std::min(static_cast<std::uint64_t>(wanted), node.total - 1);
    }
    const Diagram::Edge& edge = diagram_.edge_at(node, number);
    choices[place.parameter] = edge.choice;
    here = edge.child;
  }
}

}  // namespace tuner::search
