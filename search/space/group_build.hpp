#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "search/space/diagram.hpp"
#include "search/space/group_plan.hpp"

namespace tuner::search {

/// How much work may go into diagrams, and how much has. For all groups of a space together.
struct BuildBudget {
  std::uint64_t most_choices;  ///< partial configurations looked at, weighted with what that costs
  std::uint64_t most_bytes;    ///< held by one group while it is built
  std::uint64_t choices = 0;
};

/// The budget is used up.
class BudgetExceeded : public std::runtime_error {
 public:
  BudgetExceeded() : std::runtime_error("the budget for a decision diagram is used up") {}
};

/// What a group's diagram is, or why it has none.
struct BuiltGroup {
  Diagram::Id root = Diagram::kEnd;
  bool empty = false;     ///< nothing satisfies the conditions
  bool overflow = false;  ///< more than 2^64 - 1 completions
  /// The first choices, in lexicographic order, that no condition rejects and for which one cannot be computed. By
  /// parameter of the group.
  std::optional<std::vector<std::uint32_t>> fault;
  /// The first choices that no condition rejects, whether or not all can be computed. Only where there is a fault.
  std::vector<std::uint32_t> accepted;
};

/// Builds the diagram of a group into `diagram`. Parameter by parameter: partial configurations that leave the same
/// values to the conditions still open are one state, so work and memory go with the number of states, not of
/// configurations. A condition that ranges decide early rejects a state, or no longer keeps states apart.
/// Throws BudgetExceeded.
BuiltGroup build_group(const ConstraintProgram& program, const Group& group, Diagram& diagram, BuildBudget& budget);

}  // namespace tuner::search
