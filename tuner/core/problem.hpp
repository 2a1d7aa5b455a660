#pragma once

#include <optional>

#include "tuner/core/task.hpp"

namespace tuner {

/// The values for `description`, checked and complete: defaults filled in, integral reals as integers where the
/// property is a run-time number. Throws Error{bad_problem}: a value that is missing, unknown, or of the wrong kind.
ProblemValues complete_problem(const KernelDescription& description, const ProblemValues& given);

/// Throws Error{bad_problem} naming the first problem_constraint that is false in `scope`.
void check_problem_constraints(const KernelDescription& description, const ProblemValues& problem,
                               const search::Scope& scope);

/// How far apart two problems of one kernel are: the greatest |log2| of the ratios of their sizes. Nothing if anything
/// but a size differs, or a size is zero in one of them only.
std::optional<double> distance(const KernelDescription& description, const ProblemValues& a, const ProblemValues& b);

}  // namespace tuner
