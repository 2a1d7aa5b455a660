#pragma once

#include <cstdint>
#include <vector>

#include "search/space/constraint_program.hpp"

namespace tuner::search {

/// Parameters that conditions join, directly or by way of others, and their conditions. What is valid in one group does
/// not depend on another group's choices. The idea is that of ATF's and KTT's chains of trees: A. Rasch, R. Schulze,
/// M. Steuwer, S. Gorlatch, "Efficient Auto-Tuning of Parallel Programs with Interdependent Tuning Parameters via
/// Auto-Tuning Framework (ATF)", ACM TACO 18(1), 2021.
struct Group {
  std::vector<std::uint32_t> parameters;  ///< with more than one value; ascending
  std::vector<StepId> conditions;         ///< each once, by their steps
};

/// The groups in the order of their first parameters. Parameters with one value are in none, nor are conditions that no
/// choice changes.
std::vector<Group> make_groups(const ConstraintProgram& program, std::size_t parameters);

/// By step: the parameters that it depends on, ascending.
std::vector<std::vector<std::uint32_t>> supports(const ConstraintProgram& program);

}  // namespace tuner::search
