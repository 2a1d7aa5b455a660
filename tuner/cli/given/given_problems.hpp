#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/problem_list.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

class Arguments;

/// What --problem and then what the files of --problems give; nothing if neither is there. Throws Error{bad_problem,
/// file_not_found}.
std::vector<GivenProblem> given_problems(const Arguments& arguments);

/// The problem of a command that takes one. Throws Error{bad_problem}, also for a list.
ProblemValues one_problem(std::string_view text);

/// The problems, complete for `description`, each once; its defaults if `given` is empty. What is left out is told to
/// `warn`. Throws Error{bad_problem}.
std::vector<GivenProblem> distinct_problems(const KernelDescription& description,
                                            const std::vector<GivenProblem>& given,
                                            const std::function<void(const std::string&)>& warn);

/// What `action` returns. Where it refuses a problem that comes from a file, the sentence begins with its line.
template <typename Action>
auto at_origin(const GivenProblem& problem, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    const bool concerns_problem = error.code() == Errc::bad_problem || error.code() == Errc::empty_space;
    if (problem.origin.empty() || !concerns_problem) throw;
    throw Error(error.code(), problem.origin + ": " + error.what());
  }
}

}  // namespace tuner::cli
