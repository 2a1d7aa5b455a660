#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/expression/value.hpp"
#include "search/space/parameter.hpp"

namespace tuner::search {

class ConstraintProgram;
struct SpaceParts;
class ValidSet;

/// When the valid configurations are found.
enum class Listing {
  at_once,     ///< by the constructor: whatever is wrong with a constraint is thrown there
  when_needed  ///< by the first question that needs them all: for who only looks at single configurations
};

/// The configurations that satisfy every constraint, in lexicographic order of value positions (last parameter
/// fastest). Immutable after construction; safe to use from several threads.
/// The order of constraints does not matter: a configuration is invalid if any part of one is false (constraints are
/// split at their outermost `and`s), and a part that cannot be evaluated (`a % b` where b is 0) is an error only if no
/// other part is false.
/// No configuration is stored, unless they are given. Parameters that constraints join form groups, and each group is
/// one decision diagram (see diagram.hpp), which is built without looking at every configuration: partial
/// configurations that leave the same to the constraints are looked at once. So what a space costs goes with how much
/// its constraints have to remember, seldom with how large it is; constraints over parameters that are declared next to
/// each other cost least.
class Space {
 public:
  /// `constants` holds everything the constraints use besides the parameters: problem values, device attributes, lets.
  /// Throws ExpressionError (its offset is one in the constraint's text) for an unknown name or a constraint that
  /// cannot be evaluated, and Error{bad_usage} for duplicate parameters or values, an empty value list, a default that
  /// is not in its list, more than 2^64 - 1 valid configurations, or constraints that tie so many parameters together
  /// that the diagrams would take more than 1 GiB or about ten seconds. An empty space is not an error here: see
  /// `why_empty`. An outer scope of `constants` must outlive the space. Costs milliseconds and kilobytes where
  /// thousands of configurations are valid, 2 ms and 70 kB for 350,000 of 22 million that seven parameters join. With
  /// Listing::when_needed the first call of size, at, index_of, at_point, contains, neighbours or why_empty does that,
  /// and throws what is said here of constraints.
  Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, Scope constants,
        Listing listing = Listing::at_once);

  /// The same of configurations that are given, where nobody knows the constraints that all of them satisfy: `rows` are
  /// in ascending order, each once, or that is Error{internal}. Of these `constraints` leave some. For what was
  /// recorded elsewhere: a configuration takes memory here, and some microseconds a constraint.
  Space(std::vector<Parameter> parameters, std::shared_ptr<const std::vector<Configuration>> rows,
        std::vector<Constraint> constraints, Scope constants, Listing listing = Listing::at_once);

  std::span<const Parameter> parameters() const;
  std::span<const Constraint> constraints() const;
  const Scope& constants() const;

  std::uint64_t size() const;     ///< valid configurations, exact
  double cartesian_size() const;  ///< product of the value counts
  /// index < size(). This and index_of take about 20 ns a parameter.
  Configuration at(std::uint64_t index) const;
  std::optional<std::uint64_t> index_of(const Configuration&) const;  ///< nothing if it is not valid
  bool contains(const Configuration&) const;
  /// The valid configuration that a point of the unit cube stands for, with a coordinate from [0, 1) a parameter: each
  /// coordinate chooses among the values that the choices before it leave, by the number of configurations that follow
  /// from them. So uniform points give uniform configurations, and near points often near ones: for quasi-random
  /// sequences. What lies outside of [0, 1) is taken as its border. For size() > 0.
  Configuration at_point(std::span<const double> point) const;

  /// How many numbers `terms` gives; at most 48.
  std::size_t terms() const;
  /// The values that a configuration, valid or not, gives to the numeric sub-expressions of the constraints that depend
  /// on at least two parameters (threads a block, bytes of a tile), each distinct one once, in the order of the
  /// constraints' text whatever the parameters are called. 0 where one cannot be computed or is a name. For models that
  /// learn: less than a microsecond, and no diagram is built for it.
  void terms(const Configuration&, std::span<double> out) const;

  /// The valid ones, by parameter and then by value: by the first parameter, its value, the second and its. Costs what
  /// it finds and about 100 ns a value tried. `configuration` itself need not be valid.
  std::vector<Configuration> neighbours(const Configuration&, Neighbourhood) const;

  /// Its configurations that have this value, as a space whose parameter has no other: there its position is 0. Costs
  /// what building a space costs.
  Space with_value(std::size_t parameter, std::uint32_t position) const;

  /// All defaults. Need not be valid.
  Configuration defaults() const;
  /// The first constraint that `configuration` violates, or that it is none of those given; nothing if it is valid.
  /// Throws ExpressionError if none is violated and one cannot be evaluated.
  std::optional<std::string> why_invalid(const Configuration& configuration) const;
  /// One sentence naming the constraint that removed the last candidates. Only for size() == 0.
  /// Looks for it when it is called.
  std::string why_empty() const;

  /// The value that `configuration` chooses for the parameter of that position.
  const Value& value(const Configuration& configuration, std::size_t parameter) const;
  /// `constants` extended by the configuration's parameters: for geometry, lengths and work. Refers to this space.
  Scope scope(const Configuration& configuration) const;

  /// Canonical text: `NAME=value` sorted by name, joined by commas. Independent of declared order and value lists.
  std::string text(const Configuration& configuration) const;
  /// The configuration that `text` names: parameters in any order, parameters left out at their default. Throws
  /// Error{bad_usage} naming the unknown parameter or value; validity is not checked.
  Configuration parse(std::string_view text) const;

 private:
  void check_parameters();
  const ConstraintProgram& program() const;
  const ValidSet& valid() const;
  void build(SpaceParts& parts) const;
  void build_of_rows(SpaceParts& parts) const;
  bool satisfiable(std::size_t count) const;
  std::optional<std::string> violated(const Configuration& configuration, std::size_t count) const;
  std::string explain_empty() const;
  [[noreturn]] void report_fault(const Configuration& configuration) const;
  /// Whether every choice is a position in its parameter's list; `require` throws Error{internal} otherwise.
  bool fits(const Configuration& configuration) const;
  void require_fit(const Configuration& configuration) const;

  std::vector<Parameter> parameters_;
  std::shared_ptr<const std::vector<Configuration>> rows_;  // null: whatever the constraints allow
  std::vector<Constraint> constraints_;
  Scope constants_;
  std::vector<std::uint32_t> defaults_;        // by parameter, the position of its default
  std::vector<std::uint32_t> sorted_by_name_;  // parameters, for canonical text
  std::shared_ptr<SpaceParts> parts_;          // copies share it: they are the same space
};

}  // namespace tuner::search
