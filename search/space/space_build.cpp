// How a space gets its diagrams, and why it has none.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "search/expression/arithmetic.hpp"
#include "search/expression/evaluator.hpp"
#include "search/expression/messages.hpp"
#include "search/expression/tree.hpp"
#include "search/space/constraint_compiler.hpp"
#include "search/space/space.hpp"
#include "search/space/space_parts.hpp"

namespace tuner::search {
namespace {

// Reaching either takes less than 20 seconds.
constexpr std::uint64_t kMostChoices = 200'000'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

}  // namespace

const ConstraintProgram& Space::program() const {
  parts_->compiled.run([this] { parts_->program.emplace(compile_constraints(parameters_, constraints_, constants_)); });
  return *parts_->program;
}

const ValidSet& Space::valid() const {
  parts_->built.run([this] { build(*parts_); });
  return *parts_->valid;
}

void Space::build_of_rows(SpaceParts& parts) const {
  program();  // whatever a constraint does not know is an error, even where no row would show it
  std::vector<const Configuration*> valid;
  for (const Configuration& row : *rows_) {
    if (!violated(row, constraints_.size())) valid.push_back(&row);
  }
  parts.valid.emplace(valid, parameters_);
}

void Space::build(SpaceParts& parts) const {
  if (rows_) {
    build_of_rows(parts);
    return;
  }
  BuildBudget budget{kMostChoices, kMostBytes};
  std::optional<ValidSet> valid;
  try {
    valid.emplace(program(), parameters_.size(), budget);
  } catch (const BudgetExceeded&) {
    throw Error(
        Errc::bad_usage,
        fmt::format("The valid configurations cannot be counted: the constraints relate so many parameters that {} "
                    "million partial configurations, or {} MiB of memory for them, are not enough. Declare parameters "
                    "that a constraint uses next to each other, remove values, or add constraints.",
                    kMostChoices / 1000000, kMostBytes >> 20));
  }
  if (valid->fault()) report_fault({*valid->fault()});
  if (valid->overflows()) {
    throw Error(Errc::bad_usage,
                "The space has more than 2^64 - 1 valid configurations; add constraints or remove values.");
  }
  parts.valid = std::move(valid);
}

/// Whether something satisfies the first constraints. Yes if that is hard to say.
bool Space::satisfiable(std::size_t count) const {
  if (rows_) {
    return std::any_of(rows_->begin(), rows_->end(), [&](const auto& row) { return !violated(row, count); });
  }
  BuildBudget budget{kMostChoices / 16, kMostBytes};
  const ConstraintProgram first = compile_constraints(parameters_, std::span(constraints_).first(count), constants_);
  try {
    return !ValidSet(first, parameters_.size(), budget).empty();
  } catch (const BudgetExceeded&) {
    return true;
  }
}

/// The constraint that leaves nothing is the last of the fewest constraints that together cannot be satisfied.
std::string Space::explain_empty() const {
  std::size_t some = 0;
  std::size_t none = constraints_.size();
  while (none - some > 1) {
    const std::size_t middle = some + (none - some) / 2;
    (satisfiable(middle) ? some : none) = middle;
  }
  const std::size_t culprit = none - 1;
  std::set<std::uint32_t> used;
  for (const ConstraintProgram::Condition& condition : program().conditions()) {
    if (condition.constraint == culprit) used.insert(condition.parameters.begin(), condition.parameters.end());
  }
  const std::string what = describe(constraints_[culprit]);
  if (used.empty()) {
    return fmt::format("No configuration is valid: {} uses no parameter and is false.", what);
  }
  std::vector<std::string> names;
  for (const std::uint32_t parameter : used) names.push_back(parameters_[parameter].name);
  return fmt::format("No configuration is valid: {} rejects {}; change it, or the values of {}.", what,
                     culprit == 0 ? "every one" : "every configuration that the constraints before it accept",
                     fmt::join(names, ", "));
}

/// Of the parts that cannot be evaluated, the one whose parameters are all set first.
void Space::report_fault(const Configuration& configuration) const {
  const Scope names = scope(configuration);
  std::vector<const ConstraintProgram::Condition*> conditions;
  for (const ConstraintProgram::Condition& condition : program().conditions()) conditions.push_back(&condition);
  const auto level = [](const ConstraintProgram::Condition* condition) {
    return condition->parameters.empty() ? 0 : condition->parameters.back() + 1;
  };
  std::stable_sort(conditions.begin(), conditions.end(), [&](auto* a, auto* b) { return level(a) < level(b); });
  for (const ConstraintProgram::Condition* condition : conditions) {
    const Constraint& constraint = constraints_[condition->constraint];
    if (constraint.holds_where_undefined) continue;
    const ExpressionTree& tree = constraint.expression.tree();
    try {
      truth(evaluate(tree, condition->root, names), tree.site(tree.nodes[condition->root].offset));
    } catch (const ExpressionError& error) {
      std::vector<std::string> settings;
      for (const std::uint32_t i : condition->parameters) {
        settings.push_back(
            fmt::format("{}={}", parameters_[i].name, parameters_[i].values[configuration.choice[i]].text()));
      }
      const std::string where = settings.empty() ? "" : fmt::format(" for {}", fmt::join(settings, ","));
      throw ExpressionError(
          fmt::format("T{} cannot be evaluated{}. {}", describe(constraint).substr(1), where, error.what()),
          error.offset());
    }
  }
  throw Error(Errc::internal, "A constraint that could not be evaluated could be evaluated later.");
}

std::string Space::why_empty() const {
  if (!valid().empty()) return {};
  parts_->explained.run([this] { parts_->why_empty = explain_empty(); });
  return parts_->why_empty;
}

}  // namespace tuner::search
