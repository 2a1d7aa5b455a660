#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "search/expression/tree.hpp"
#include "search/space/parameter.hpp"

namespace tuner::search {

/// Looks up the names of expressions over parameters: each is a parameter, a `let` or a constant.
class Binding {
 public:
  /// All must outlive the binding.
  Binding(std::span<const Parameter> parameters, const Scope& constants);

  /// What one name of an expression stands for. Slots are in the order of the tree's names.
  struct Slot {
    enum class Kind : std::uint8_t { constant, parameter, let };
    Kind kind = Kind::constant;
    std::uint32_t index = 0;  ///< of the parameter or the let
    Operand constant;
  };
  using Slots = std::vector<Slot>;

  struct Let {
    std::string_view name;
    const ExpressionTree* tree = nullptr;
    Slots slots;
    std::vector<std::uint32_t> parameters;  ///< used by it and by the lets it needs; ascending
    std::size_t height = 0;                 ///< with those of the lets it needs; 0 while it is being bound
  };

  /// Looks up the names of `expression` and of every `let` that it needs. Throws ExpressionError for a name that is not
  /// known and for a `let` that needs itself.
  Slots bind(const Expression& expression);

  const std::vector<Let>& lets() const { return lets_; }

  /// The parameters that the part of a bound expression below `root` uses, by way of `let`s too; ascending.
  std::vector<std::uint32_t> parameters_used(const ExpressionTree& tree, NodeId root, const Slots& slots) const;

 private:
  Slots bind(const ExpressionTree& tree, std::size_t height_above);
  Slot slot(const ExpressionTree& tree, std::uint32_t name, std::size_t height_above);
  std::uint32_t bind_let(std::string_view name, const Expression& expression, const ExpressionSite& site,
                         std::size_t height_above);

  std::span<const Parameter> parameters_;
  const Scope& constants_;
  std::map<std::string_view, std::uint32_t> parameter_index_;
  std::map<std::string_view, std::uint32_t> let_index_;
  std::vector<Let> lets_;
};

}  // namespace tuner::search
