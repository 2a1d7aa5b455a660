#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression.hpp"
#include "search/value.hpp"

namespace tuner::search {

class Enumeration;

/// One tunable parameter: a name, its values in declared order, and the default.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  Value default_value;

  /// Where `value` stands in the list: the one with the same text, or else the first equal one (as 1 for true).
  std::optional<std::uint32_t> position_of(const Value& value) const;
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

/// When the valid configurations are found.
enum class Listing {
  at_once,     ///< by the constructor: whatever is wrong with a constraint is thrown there
  when_needed  ///< by the first question that needs them all: for who only looks at single configurations
};

/// The configurations that satisfy every constraint, in lexicographic order of value positions (last parameter
/// fastest). Immutable after construction; safe to use from several threads.
/// Constraints are split at their outermost `and`s and each part is applied as soon as all parameters it uses are
/// fixed, so pruned branches cost nothing. The order of constraints does not matter: a configuration is invalid if any
/// part is false, and a part that cannot be evaluated (`a % b` where b is 0) is an error only if no other part is
/// false.
class Space {
 public:
  /// `constants` holds everything the constraints use besides the parameters: problem values, device attributes, lets.
  /// Throws ExpressionError (its offset is one in the constraint's text) for an unknown name or a constraint that
  /// cannot be evaluated, and Error{bad_usage} for duplicate parameters or values, an empty value list, a default that
  /// is not in its list, or more valid configurations than fit in 1 GiB (about 100 million). An empty space is not an
  /// error here: see `why_empty`. An outer scope of `constants` must outlive the space. Enumerates: costs time and
  /// about 8 bytes a valid configuration; with Listing::when_needed the first call of size, at, index_of, contains,
  /// neighbours or why_empty does, and throws what is said here of constraints.
  Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, Scope constants,
        Listing listing = Listing::at_once);

  std::span<const Parameter> parameters() const;
  std::span<const Constraint> constraints() const;
  const Scope& constants() const;

  std::uint64_t size() const;                                         ///< valid configurations, exact
  double cartesian_size() const;                                      ///< product of the value counts
  Configuration at(std::uint64_t index) const;                        ///< index < size()
  std::optional<std::uint64_t> index_of(const Configuration&) const;  ///< nothing if it is not valid
  bool contains(const Configuration&) const;

  /// The valid ones, by parameter and then by value. `configuration` itself need not be valid.
  std::vector<Configuration> neighbours(const Configuration&, Neighbourhood) const;

  /// All defaults. Need not be valid.
  Configuration defaults() const;
  /// The first constraint that `configuration` violates; nothing if it is valid.
  /// Throws ExpressionError if none is violated and one cannot be evaluated.
  std::optional<std::string> why_invalid(const Configuration& configuration) const;
  /// One sentence naming the constraint that removed the last candidates. Only for size() == 0.
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
  struct Valid;
  void check_parameters();
  const Valid& valid() const;
  void enumerate(Valid& valid) const;
  std::string explain_empty(Enumeration& enumeration) const;
  /// Whether every choice is a position in its parameter's list; `require` throws Error{internal} otherwise.
  bool fits(const Configuration& configuration) const;
  void require_fit(const Configuration& configuration) const;

  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
  Scope constants_;
  std::vector<std::uint32_t> defaults_;        // by parameter, the position of its default
  std::vector<std::uint32_t> sorted_by_name_;  // parameters, for canonical text
  std::shared_ptr<Valid> valid_;  // copies share it: they are the same space
};

}  // namespace tuner::search
