#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "search/expression/expression.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner {

/// Values of problem properties by name, as given by the user.
using ProblemValues = std::map<std::string, search::Value>;

/// "rows=528,row_length=65536" → values. Throws Error{bad_problem} for text that is not NAME=value. Lists are those of
/// parse_problems.
ProblemValues parse_problem(std::string_view text);
/// One value as parse_problem reads it: `64K` and `1<<20` are numbers. `name` is for the sentence of
/// Error{bad_problem}.
search::Value read_problem_value(std::string_view name, std::string_view text);
/// Canonical text: sorted by name.
std::string problem_text(const ProblemValues& problem);

/// The values for `description`, checked and complete: defaults filled in, integral reals as integers where the
/// property is a run-time number. Throws Error{bad_problem}: a value that is missing, unknown, or of the wrong kind.
/// `option` stands before what its sentence proposes to write; empty for a program, which has no options.
ProblemValues complete_problem(const KernelDescription& description, const ProblemValues& given,
                               std::string_view option = "--problem ");

/// Throws Error{bad_problem} naming the first problem_constraint that is false in `scope`.
void check_problem_constraints(const KernelDescription& description, const ProblemValues& problem,
                               const search::Scope& scope);

/// How far apart two problems of one kernel are: the greatest |log2| of the ratios of their sizes. Nothing if anything
/// but a size differs, or a size is zero in one of them only.
std::optional<double> distance(const KernelDescription& description, const ProblemValues& a, const ProblemValues& b);

/// The greatest distance at which the winner of one problem may be used for another: a factor of four.
inline constexpr double kNear = 2;

}  // namespace tuner
