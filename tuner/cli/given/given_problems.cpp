#include "tuner/cli/given/given_problems.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/kernel_text.hpp"

namespace tuner::cli {

namespace {

std::vector<GivenProblem> read_problem_file(const std::string& file) {
  return parse_problem_file(read_text_file(file, "file of problems", "a file with one problem a line"), file);
}

}  // namespace

std::vector<GivenProblem> given_problems(const Arguments& arguments) {
  std::vector<GivenProblem> all;
  const auto add = [&](std::vector<GivenProblem> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
    if (all.size() <= kMostProblems) return;
    throw Error(Errc::bad_problem, fmt::format("There are more than {} problems, which is the most that one command "
                                               "takes. Give fewer, and the others to another command.",
                                               grouped(kMostProblems)));
  };
  for (const std::string& text : arguments.values("problem")) {
    std::vector<GivenProblem> given;
    for (ProblemValues& values : parse_problems(text)) given.push_back({std::move(values), {}});
    add(std::move(given));
  }
  for (const std::string& file : arguments.values("problems")) add(read_problem_file(file));
  return all;
}

ProblemValues one_problem(std::string_view text) {
  std::vector<ProblemValues> problems = parse_problems(text);
  if (problems.size() == 1) return std::move(problems.front());
  throw Error(Errc::bad_problem, search::with_short_quotations(fmt::format(
                                     "The problem `{}` has several values for one name, and this command takes one "
                                     "problem: give one value for each name. `tuner tune` and `tuner check` take more.",
                                     text)));
}

std::vector<GivenProblem> distinct_problems(const KernelDescription& description,
                                            const std::vector<GivenProblem>& given,
                                            const std::function<void(const std::string&)>& warn) {
  std::vector<GivenProblem> distinct;
  std::map<std::string, double> weights;
  std::string twice;
  bool any_other_weight = false;
  for (const GivenProblem& problem : given.empty() ? std::vector<GivenProblem>(1) : given) {
    ProblemValues values = at_origin(problem, [&] { return complete_problem(description, problem.values); });
    std::string text = problem_text(values);
    const auto [known, is_new] = weights.emplace(text, problem.weight);
    if (is_new) {
      distinct.push_back({std::move(values), problem.origin, problem.weight});
      continue;
    }
    any_other_weight |= known->second != problem.weight;
    if (twice.empty()) twice = std::move(text);
  }
  const std::size_t all = given.empty() ? 1 : given.size();
  if (const std::size_t left_out = all - distinct.size(); left_out > 0) {
    warn(fmt::format("{} of the {} problems {} given before, for example {}; each is tuned once{}.", grouped(left_out),
                     grouped(all), left_out == 1 ? "was" : "were", search::shortened(twice),
                     any_other_weight ? ", with its first weight" : ""));
  }
  return distinct;
}

}  // namespace tuner::cli
