#pragma once

#include <cstdint>
#include <vector>

#include "search/space/groups.hpp"
#include "search/space/interval.hpp"

namespace tuner::search {

/// A condition as one bit of a state's mask.
struct PendingCondition {
  StepId step = 0;
  std::uint64_t bit = 0;  ///< 0: one too many for the mask; never settled early
};

/// What is to be done when a group's parameter gets a value.
struct Stage {
  struct Action {
    StepId step = 0;
    bool compute = true;
    bool test = false;  ///< it is a condition: if it is false, nothing follows from the choice
  };
  std::uint32_t parameter = 0;
  StepId cell = 0;              ///< of the parameter
  bool has_cell = false;        ///< some condition uses it
  std::vector<Action> actions;  ///< in an order in which operands come first

  /// The cells that later stages need, and by cell the mask of conditions that need it; all ones if it must be kept.
  std::vector<StepId> kept;
  std::vector<std::uint64_t> needed_by;
  std::uint64_t open = 0;  ///< the bits of conditions that are not tested yet

  // To decide later conditions early: ranges of what is known now, then of what follows, then the conditions.
  std::vector<StepId> known;
  std::vector<StepId> ranged;
  std::vector<PendingCondition> pending;
};

/// The plan for one group: a stage a parameter.
struct GroupPlan {
  std::vector<Stage> stages;
  std::vector<Range> ranges;  ///< by step of the program, while nothing is chosen
};

GroupPlan make_plan(const ConstraintProgram& program, const Group& group);

}  // namespace tuner::search
