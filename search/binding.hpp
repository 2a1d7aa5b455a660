#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "search/evaluator.hpp"
#include "search/space.hpp"

namespace tuner::search {

/// Expressions over parameters whose names are looked up once instead of at each evaluation: what a name stands for is
/// a parameter, a `let` or a constant. Holds the parameters' current values; a `let` is evaluated again only after a
/// parameter that it uses has changed. For one enumeration, in one thread.
class Binding {
 public:
  /// All three must outlive the binding.
  Binding(std::span<const Parameter> parameters, const Scope& constants);

  /// The names of one expression, in the order of its tree.
  struct Slot {
    enum class Kind : std::uint8_t { constant, parameter, let };
    Kind kind = Kind::constant;
    std::uint32_t index = 0;  ///< of the parameter or the let
    Operand constant;
  };
  using Slots = std::vector<Slot>;

  /// Looks up the names of `expression` and of every `let` that it needs. Throws ExpressionError for a name that is not
  /// known and for a `let` that needs itself.
  Slots bind(const Expression& expression);

  /// The parameters that the part of a bound expression below `root` uses, by way of `let`s too; ascending.
  std::vector<std::uint32_t> parameters_used(const ExpressionTree& tree, NodeId root, const Slots& slots) const;

  void set(std::size_t parameter, std::size_t choice);
  Operand evaluate(const ExpressionTree& tree, NodeId root, const Slots& slots);

 private:
  struct Let {
    std::string_view name;
    const ExpressionTree* tree = nullptr;
    Slots slots;
    std::vector<std::uint32_t> parameters;
    std::size_t height = 0;  ///< with those of the lets it needs; 0 while it is being bound
    bool fresh = false;
    Operand value;
  };
  class SlotNames;

  Slots bind(const ExpressionTree& tree, std::size_t height_above);
  Slot slot(const ExpressionTree& tree, std::uint32_t name, std::size_t height_above);
  std::uint32_t bind_let(std::string_view name, const Expression& expression, const Site& site,
                         std::size_t height_above);
  Operand load(const Slot& slot, const Site& site);

  std::span<const Parameter> parameters_;
  const Scope& constants_;
  std::map<std::string_view, std::uint32_t> parameter_index_;
  std::map<std::string_view, std::uint32_t> let_index_;
  std::vector<Let> lets_;
  std::vector<std::vector<std::uint32_t>> lets_using_;  // by parameter
  std::vector<Operand> current_;                        // by parameter
};

}  // namespace tuner::search
