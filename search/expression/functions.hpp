#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/lexer.hpp"
#include "search/expression/operand.hpp"
#include "search/expression/site.hpp"

namespace tuner::search {

enum class Function : std::uint8_t {
  min,
  max,
  abs,
  ceil_div,
  round_up,
  is_pow2,
  next_pow2,
  log2,
  sqrt,
  floor,
  ceil,
  to_integer,
  to_real,
  to_boolean,
};

struct FunctionInfo {
  std::string_view name;
  Function function;
  std::size_t least_arguments;
  std::size_t most_arguments;
};

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

/// The function called `name`, or null. `sizeof` is none: its argument is a type.
const FunctionInfo* find_function(std::string_view name);
std::vector<std::string> function_names();

/// Applies a function that takes one or two arguments. `min` and `max` of more are folded from left to right.
Operand call(Function function, std::span<const Operand> arguments, const ExpressionSite& site);

}  // namespace tuner::search
