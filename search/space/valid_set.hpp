#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/space/constraint_program.hpp"
#include "search/space/diagram.hpp"
#include "search/space/group_build.hpp"

namespace tuner::search {

/// The valid configurations of a space, as one decision diagram a group of parameters. The space's configurations are
/// all combinations of the groups' completions; none is written down. Immutable; safe to use from several threads.
class ValidSet {
 public:
  using Choices = std::span<const std::uint32_t>;

  /// Configurations that no condition rejects although some cannot be computed make `fault`, and then there is no set.
  /// Throws BudgetExceeded.
  ValidSet(const ConstraintProgram& program, std::size_t parameters, BuildBudget& budget);

  /// Those of the space that are given: in ascending order, each once.
  using Rows = std::span<const Configuration* const>;
  ValidSet(Rows rows, std::span<const Parameter> parameters);

  /// The first such configuration in lexicographic order.
  const std::optional<std::vector<std::uint32_t>>& fault() const { return fault_; }

  bool empty() const { return empty_; }
  /// More than 2^64 - 1 configurations: then only `empty` and `fault` may be asked for.
  bool overflows() const { return overflows_; }
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return diagram_.bytes(); }

  /// For index < size(). `choices` has an element a parameter, all 0.
  void read(std::uint64_t index, std::span<std::uint32_t> choices) const;
  std::optional<std::uint64_t> find(Choices choices) const;
  /// Maps a point of the unit cube, for size() > 0. What lies outside is moved to the border.
  void read_point(std::span<const double> point, std::span<std::uint32_t> choices) const;

  /// See Space::neighbours. Follows the diagrams, so that what no valid configuration begins with costs nothing.
  std::vector<Configuration> neighbours(const Configuration& from, Neighbourhood neighbourhood) const;

 private:
  /// A parameter with more than one value, in declared order.
  struct Place {
    std::uint32_t parameter = 0;
    std::uint32_t group = 0;
    std::uint32_t depth = 0;  ///< in the group
  };
  class Cursor;
  class NeighbourSearch;

  void find_fault(const std::vector<BuiltGroup>& built, std::size_t parameters, bool everywhere);

  std::vector<Place> places_;
  std::vector<std::vector<std::uint32_t>> groups_;  // their parameters
  std::vector<Diagram::Id> roots_;                  // by group
  Diagram diagram_;
  bool empty_ = false;
  std::uint64_t size_ = 0;
  bool overflows_ = false;
  std::optional<std::vector<std::uint32_t>> fault_;
};

}  // namespace tuner::search
