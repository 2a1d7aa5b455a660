#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/binding.hpp"
#include "search/space.hpp"

namespace tuner::search {

/// Finds the configurations that satisfy constraints, in lexicographic order. Constraints are split at their outermost
/// `and`s, and each part is applied at the first parameter at which everything it uses is fixed.
class Enumeration {
 public:
  /// All must outlive the enumeration. Throws ExpressionError for a name that is not known.
  Enumeration(std::span<const Parameter> parameters, std::span<const Constraint> constraints, const Scope& constants);

  /// Gets the choices of a valid configuration; returns whether to go on.
  using Visit = std::function<bool(std::span<const std::uint32_t>)>;

  /// Visits every configuration. Throws ExpressionError, naming constraint and configuration, if a part cannot be
  /// evaluated for a configuration that no other part rejects.
  void run(const Visit& visit);

  /// Whether some configuration satisfies the first `count` constraints.
  bool satisfiable(std::size_t count);

  /// The names of the parameters that a constraint uses, by way of lets too.
  std::vector<std::string> parameters_of(std::size_t constraint) const;

 private:
  /// A part of a constraint.
  struct Condition {
    std::uint32_t constraint = 0;
    NodeId root = 0;
    std::vector<std::uint32_t> parameters;
  };
  /// A part that could not be evaluated for the choices made so far. It counts only if nothing else rejects them.
  struct Fault {
    std::size_t level = 0;
    const Condition* condition = nullptr;
  };

  bool visit_all(std::size_t constraints, const Visit& visit, bool faults_reject);
  bool accepts(std::size_t level, std::size_t constraints);
  bool holds(const Condition& condition);
  [[noreturn]] void report(const Fault& fault);

  std::span<const Parameter> parameters_;
  std::span<const Constraint> constraints_;
  Binding binding_;
  std::vector<Binding::Slots> slots_;               // by constraint
  std::vector<std::vector<Condition>> conditions_;  // by level: how many parameters must be fixed
  std::vector<Fault> faults_;
  std::vector<std::uint32_t> choice_;
};

}  // namespace tuner::search
