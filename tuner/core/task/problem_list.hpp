#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/problem.hpp"

namespace tuner {

/// As many problems one command takes at most.
inline constexpr std::size_t kMostProblems = 10'000;

/// Problems in short form. Several values for one name stand for a problem each, those for several names for every
/// combination, in which the last name changes fastest:
///
///     text   = NAME "=" values { "," NAME "=" values }
///     values = value { "," value }
///     value  = VALUE                      as in parse_problem
///            | FROM ".." TO               every integer
///            | FROM ".." TO " x" FACTOR   64..8192 x2: 64, 128, ..., 8192
///            | FROM ".." TO " +" STEP     0..100 +25, or `0..100 step 25`: 0, 25, 50, 75, 100
///
/// A range ends with the last of its values that is not above TO. A quoted value is never a range. Empty text is one
/// problem without values. Problems that occur twice stay. Throws Error{bad_problem}, also if there are more than
/// kMostProblems.
std::vector<ProblemValues> parse_problems(std::string_view text);

/// A problem and where it was given.
struct GivenProblem {
  ProblemValues values;
  std::string origin;  ///< "sizes.txt:3"; empty: on the command line
  double weight = 1;   ///< how much it counts in means over problems
};

/// The problems of a file that was read: on each line what parse_problems takes, and after it ` weight NUMBER` where
/// they count for more or less than others; or nothing. `#` begins a comment.
/// Lines may end with CR LF. Throws Error{bad_problem} that begins with `file` and the line's number.
std::vector<GivenProblem> parse_problem_file(std::string_view text, std::string_view file);

}  // namespace tuner
