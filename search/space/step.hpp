#pragma once

#include <array>
#include <cstdint>

#include "search/expression/functions.hpp"
#include "search/expression/lexer.hpp"
#include "search/expression/operand.hpp"

namespace tuner::search {

using StepId = std::uint32_t;

/// One sub-expression of a constraint program. Its operands are steps before it, whose values stand in cells.
struct Step {
  enum class Kind : std::uint8_t {
    constant,
    parameter,  ///< operands[0] is its position among the parameters; whoever sets a parameter fills its cell
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    arithmetic,  ///< what else `sign` can be between two numbers
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    both,    ///< `and`: the second only if the first is true
    either,  ///< `or`
    choose,  ///< if the first then the second, else the third
    unary,
    call,
    member,      ///< whether the first is one of `more`
    not_member,  ///< or none
    size_of,
    lenient,  ///< whether it is true or cannot be computed
  };

  Kind kind = Kind::constant;
  Sign sign = Sign::none;
  Function function = Function::abs;
  std::uint8_t count = 0;  ///< of operands that stand here
  // What its values can be, where they are defined:
  bool integral = false;  ///< only integers and booleans
  bool boolean = false;   ///< only booleans
  bool may_name = false;
  bool constant = false;             ///< of kind `constant`
  std::array<StepId, 3> operands{};  ///< `count` of them, unless of kind `parameter`
  std::uint32_t more_first = 0;      ///< further operands, in a list of the program: of members
  std::uint32_t more_count = 0;
  std::uint32_t level = 0;  ///< how many parameters must be set before it has a value: one past the last that it uses
  Operand value;            ///< of a constant
};

/// The value of a step whose operands' values stand in `cells`: the same that Expression::evaluate gives, except that
/// it does not throw. What cannot be computed is `undefined`, and spoils only what needs it: `b == 0 or a % b == 0`
/// holds for b = 0. `settled` operands make a settled result. For all kinds but `constant` and `parameter`.
Operand evaluate(const Step& step, const Operand* cells, const StepId* more);

enum class Truth : std::uint8_t { no, yes, undefined, settled };

inline Truth truth_of(const Operand& a) {
  if (a.is_whole()) return a.integer != 0 ? Truth::yes : Truth::no;
  if (a.is_real()) return a.real != 0 ? Truth::yes : Truth::no;
  return a.kind == Operand::Kind::settled ? Truth::settled : Truth::undefined;
}

inline Operand undefined_operand() {
  Operand result;
  result.kind = Operand::Kind::undefined;
  return result;
}

inline Operand settled_operand() {
  Operand result;
  result.kind = Operand::Kind::settled;
  return result;
}

}  // namespace tuner::search
