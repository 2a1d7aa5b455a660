#include "tuner/core/task/awkward_problems.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace tuner {
namespace {

/// Steps away from a size until the domain accepts one: where tiles must divide, a power of two further on.
constexpr std::int64_t kSteps[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr std::int64_t kTiny[] = {7, 8, 16, 32};
/// Beyond it, finding a prime by division takes longer than it is worth.
constexpr std::int64_t kLargestPrime = std::int64_t{1} << 36;

bool is_prime(std::int64_t number) {
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number >= 2;
}

std::optional<std::int64_t> prime_below(std::int64_t size) {
  if (size > kLargestPrime) return std::nullopt;
  for (std::int64_t number = size - 1; number >= 2; --number) {
    if (is_prime(number)) return number;
  }
  return std::nullopt;
}

std::vector<std::string> size_names(const KernelDescription& description) {
  std::vector<std::string> names;
  for (const ProblemProperty& property : description.problem) {
    if (property.kind == ProblemProperty::Kind::size) names.push_back(property.name);
  }
  return names;
}

class Search {
 public:
  Search(const Task& task, std::span<const search::Configuration> configurations, const AwkwardOptions& options)
      : task_(task),
        configurations_(configurations),
        options_(options),
        sizes_(size_names(task.description())),
        most_bytes_(1.25 * bytes(task) + 65536) {
    seen_.insert(problem_text(task.problem()));
  }

  std::vector<Task> run() {
    const std::int64_t small = std::max<std::int64_t>(options_.block, 2) - 1;
    step_all(-1);
    step_all(+1);
    for (const std::string& name : sizes_) {
      // Half of a block and a block for kernels whose tiles must divide.
      first_of({small, (small + 1) / 2, small + 1},
               [&](std::int64_t size) { return size < at(name) ? with(name, size) : task_.problem(); });
    }
    for (const std::string& name : sizes_) {
      if (const auto prime = prime_below(at(name))) try_problem(with(name, *prime));
    }
    first_of({std::begin(kTiny), std::end(kTiny)}, [&](std::int64_t size) { return with_all(size); });
    try_problem(with_all(1));
    return std::move(found_);
  }

 private:
  std::int64_t at(const std::string& name) const { return task_.problem().at(name).as_integer(); }

  ProblemValues with(const std::string& name, std::int64_t size) const {
    ProblemValues problem = task_.problem();
    problem[name] = search::Value(size);
    return problem;
  }

  /// A size that is smaller already stays as it is.
  ProblemValues with_all(std::int64_t size) const {
    ProblemValues problem = task_.problem();
    for (const std::string& name : sizes_) problem[name] = search::Value(std::min(size, at(name)));
    return problem;
  }

  void step_all(std::int64_t sign) {
    first_of({std::begin(kSteps), std::end(kSteps)}, [&](std::int64_t step) {
      ProblemValues problem = task_.problem();
      for (const std::string& name : sizes_) problem[name] = search::Value(at(name) + sign * step);
      return problem;
    });
  }

  void first_of(const std::vector<std::int64_t>& alternatives,
                const std::function<ProblemValues(std::int64_t)>& problem) {
    for (const std::int64_t alternative : alternatives) {
      if (try_problem(problem(alternative))) return;
    }
  }

  /// Whether the problem is awkward and acceptable; if so it is one of those found, unless there are enough.
  bool try_problem(const ProblemValues& problem) {
    if (found_.size() >= options_.most) return true;
    const bool positive = std::all_of(sizes_.begin(), sizes_.end(),
                                      [&](const std::string& name) { return problem.at(name).as_integer() >= 1; });
    if (!positive || !seen_.insert(problem_text(problem)).second) return false;
    try {
      // The space is not wanted: a condition that is never true spares listing it.
      Task task(task_.description(), problem, task_.device(), {"0 == 1"}, options_.include_folders);
      if (!std::all_of(configurations_.begin(), configurations_.end(),
                       [&](const auto& configuration) { return task.accepts(configuration); })) {
        return false;
      }
      if (bytes(task) > most_bytes_ || !has_same_data(task)) return false;
      for (const search::Configuration& configuration : configurations_) task.geometry(configuration);
      if (const auto baseline = task.baseline()) task.reference_geometry(*baseline);
      found_.push_back(std::move(task));
      return true;
    } catch (const Error&) {
      return false;  // outside the domain, or there is no launch
    }
  }

  /// What a file holds is for arguments of one length.
  bool has_same_data(const Task& other) const {
    const std::vector<BoundArgument> here = task_.arguments();
    const std::vector<BoundArgument> there = other.arguments();
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here[i].file && there[i].length != here[i].length) return false;
    }
    return true;
  }

  /// Of all buffers, the larger scratch counting.
  double bytes(const Task& task) const {
    const std::vector<BoundArgument> arguments = task.arguments();
    double fixed = 0;
    for (const BoundArgument& argument : arguments) {
      if (argument.role != Argument::Role::scratch) fixed += size(argument, argument.length);
    }
    double most_scratch = 0;
    for (const search::Configuration& configuration : configurations_) {
      const std::vector<std::uint64_t> lengths = task.scratch_lengths(configuration);
      double scratch = 0;
      std::size_t next = 0;
      for (const BoundArgument& argument : arguments) {
        if (argument.role == Argument::Role::scratch) scratch += size(argument, lengths.at(next++));
      }
      most_scratch = std::max(most_scratch, scratch);
    }
    return fixed + most_scratch;
  }

  static double size(const BoundArgument& argument, std::uint64_t length) {
    if (is_by_value(argument.role)) return 0;
    return static_cast<double>(length) * argument.lanes * static_cast<double>(size_of(argument.type));
  }

  const Task& task_;
  std::span<const search::Configuration> configurations_;
  const AwkwardOptions& options_;
  const std::vector<std::string> sizes_;
  const double most_bytes_;
  std::set<std::string> seen_;
  std::vector<Task> found_;
};

}  // namespace

bool declares_domain(const KernelDescription& description) {
  std::set<std::string> constrained;
  for (const search::Constraint& constraint : description.problem_constraints) {
    for (const std::string& name : constraint.expression.names()) constrained.insert(name);
  }
  const std::vector<std::string> sizes = size_names(description);
  return !sizes.empty() &&
         std::all_of(sizes.begin(), sizes.end(), [&](const std::string& name) { return constrained.contains(name); });
}

/// At other sizes nothing would say what is right.
bool needs_expected_files(const KernelDescription& description) {
  return !description.reference.is_named() &&
         std::any_of(description.arguments.begin(), description.arguments.end(),
                     [](const Argument& argument) { return argument.expected.has_value(); });
}

std::vector<Task> awkward_problems(const Task& task, std::span<const search::Configuration> configurations,
                                   const AwkwardOptions& options) {
  if (!declares_domain(task.description()) || needs_expected_files(task.description())) return {};
  return Search(task, configurations, options).run();
}

}  // namespace tuner
