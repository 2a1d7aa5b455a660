#include "search/enumeration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "search/arithmetic.hpp"
#include "search/messages.hpp"
#include "search/tree.hpp"

namespace tuner::search {

std::string describe(const Constraint& constraint) {
  const std::string& text = constraint.expression.text();
  return constraint.origin.empty() ? fmt::format("the constraint `{}`", text)
                                   : fmt::format("the constraint `{}` ({})", text, constraint.origin);
}

Enumeration::Enumeration(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                         const Scope& constants)
    : parameters_(parameters),
      constraints_(constraints),
      binding_(parameters, constants),
      conditions_(parameters.size() + 1),
      choice_(parameters.size()) {
  for (std::uint32_t i = 0; i < constraints.size(); ++i) {
    const ExpressionTree& tree = constraints[i].expression.tree();
    try {
      slots_.push_back(binding_.bind(constraints[i].expression));
    } catch (const ExpressionError& error) {
      throw ExpressionError(fmt::format("{} It belongs to {}.", error.what(), describe(constraints[i])),
                            error.offset());
    }
    for (const NodeId root : conjuncts(tree, tree.root)) {
      Condition condition;
      condition.constraint = i;
      condition.root = root;
      condition.parameters = binding_.parameters_used(tree, root, slots_[i]);
      const std::size_t level = condition.parameters.empty() ? 0 : condition.parameters.back() + 1;
      conditions_[level].push_back(std::move(condition));
    }
  }
}

void Enumeration::run(const Visit& visit) {
  visit_all(constraints_.size(), visit, false);
}

bool Enumeration::satisfiable(std::size_t count) {
  return !visit_all(
      count, [](std::span<const std::uint32_t>) { return false; }, true);
}

std::vector<std::string> Enumeration::parameters_of(std::size_t constraint) const {
  std::set<std::uint32_t> used;
  for (const std::vector<Condition>& level : conditions_) {
    for (const Condition& condition : level) {
      if (condition.constraint == constraint) used.insert(condition.parameters.begin(), condition.parameters.end());
    }
  }
  std::vector<std::string> result;
  for (const std::uint32_t parameter : used) result.push_back(parameters_[parameter].name);
  return result;
}

/// Returns false if `visit` stopped it. Backtracking as in D. E. Knuth, TAOCP 4B, 7.2.2, algorithm B. Walks the tree of
/// choices with a counter a level instead of recursion, so that any number of parameters will do.
bool Enumeration::visit_all(std::size_t constraints, const Visit& visit, bool faults_reject) {
  faults_.clear();
  if (!accepts(0, constraints)) return true;
  const std::size_t last = parameters_.size();
  std::vector<std::size_t> next(last + 1);  // by level: the choice to try next
  for (std::size_t level = 0;;) {
    // Here the first `level` parameters are fixed and accepted.
    bool descend = false;
    if (level == last) {
      if (faults_.empty()) {
        if (!visit(choice_)) return false;
      } else if (!faults_reject) {
        report(faults_.front());
      }
    } else {
      while (!descend && next[level] < parameters_[level].values.size()) {
        while (!faults_.empty() && faults_.back().level > level) faults_.pop_back();
        choice_[level] = static_cast<std::uint32_t>(next[level]);
        binding_.set(level, next[level]++);
        descend = accepts(level + 1, constraints);
      }
    }
    if (descend) {
      if (++level < last) next[level] = 0;
    } else if (level-- == 0) {
      return true;
    }
  }
}

/// Applies the conditions that become decidable when the first `level` parameters are fixed.
bool Enumeration::accepts(std::size_t level, std::size_t constraints) {
  for (const Condition& condition : conditions_[level]) {
    if (condition.constraint >= constraints) continue;
    try {
      if (!holds(condition)) return false;
    } catch (const ExpressionError&) {
      faults_.push_back({level, &condition});
    }
  }
  return true;
}

bool Enumeration::holds(const Condition& condition) {
  const ExpressionTree& tree = constraints_[condition.constraint].expression.tree();
  const Operand result = binding_.evaluate(tree, condition.root, slots_[condition.constraint]);
  return truth(result, tree.site(tree.nodes[condition.root].offset));
}

/// Evaluates the condition once more, for its message.
void Enumeration::report(const Fault& fault) {
  const Condition& condition = *fault.condition;
  std::vector<std::string> settings;
  for (const std::uint32_t i : condition.parameters) {
    settings.push_back(fmt::format("{}={}", parameters_[i].name, parameters_[i].values[choice_[i]].text()));
  }
  const std::string where = settings.empty() ? "" : fmt::format(" for {}", fmt::join(settings, ","));
  const std::string what = fmt::format("{} cannot be evaluated{}", describe(constraints_[condition.constraint]), where);
  try {
    holds(condition);
  } catch (const ExpressionError& error) {
    throw ExpressionError(fmt::format("T{}. {}", what.substr(1), error.what()), error.offset());
  }
  throw Error(Errc::internal, fmt::format("T{} and then again can.", what.substr(1)));
}

}  // namespace tuner::search
