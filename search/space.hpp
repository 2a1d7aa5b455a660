#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression.hpp"
#include "search/value.hpp"

namespace tuner::search {

/// One tunable parameter: a name, its values in declared order, and the default.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  Value default_value;
};

/// A configuration: for each parameter, in declared order, the position of its value in the parameter's list.
/// Meaningful only together with its Space; what is stored is always `Space::text`.
struct Configuration {
  std::vector<std::uint32_t> choice;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

/// A condition that a configuration must satisfy, and where it came from for messages ("prefetch.cu:12", "--where").
struct Constraint {
  Expression expression;
  std::string origin;
};

/// Which configurations are one step away.
enum class Neighbourhood {
  adjacent,  ///< one parameter moved to the next or previous value of its list
  hamming1,  ///< one parameter changed to any other value
};

/// The configurations that satisfy every constraint, in lexicographic order of value positions (last parameter
/// fastest). Immutable after construction; safe to use from several threads.
/// Constraints are applied as soon as all parameters they use are fixed, so pruned branches cost nothing.
class Space {
 public:
  /// `constants` holds everything the constraints use besides the parameters: problem values, device attributes, lets.
  /// Throws ExpressionError / Error{bad_description} for an unknown name or a constraint that cannot be evaluated,
  /// Error{bad_usage} for duplicate parameters or an empty value list. An empty space is not an error here: see
  /// `why_empty`.
  Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, Scope constants);

  std::span<const Parameter> parameters() const;
  std::span<const Constraint> constraints() const;
  const Scope& constants() const;

  std::uint64_t size() const;            ///< valid configurations, exact
  double cartesian_size() const;         ///< product of the value counts
  Configuration at(std::uint64_t index) const;                       ///< index < size()
  std::optional<std::uint64_t> index_of(const Configuration&) const; ///< nothing if it is not valid
  bool contains(const Configuration&) const;
  std::vector<Configuration> neighbours(const Configuration&, Neighbourhood) const;

  /// All defaults. Need not be valid.
  Configuration defaults() const;
  /// The first constraint that `configuration` violates; nothing if it is valid.
  std::optional<std::string> why_invalid(const Configuration& configuration) const;
  /// One sentence naming the constraint that removed the last candidates. Only for size() == 0.
  std::string why_empty() const;

  const Value& value(const Configuration& configuration, std::size_t parameter) const;
  /// `constants` extended by the configuration's parameters: for geometry, lengths and work. Refers to this space.
  Scope scope(const Configuration& configuration) const;

  /// Canonical text: `NAME=value` sorted by name, joined by commas. Independent of declared order and value lists.
  std::string text(const Configuration& configuration) const;
  /// The configuration that `text` names: parameters in any order, parameters left out at their default. Throws
  /// Error{bad_usage} naming the unknown parameter or value; validity is not checked.
  Configuration parse(std::string_view text) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
  Scope constants_;
  std::vector<Configuration> valid_;  // sorted
  std::string why_empty_;
};

}  // namespace tuner::search
