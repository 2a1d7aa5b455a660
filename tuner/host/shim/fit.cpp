#include "tuner/host/shim/fit.hpp"

#include <cstddef>

namespace tuner::host {
namespace {

/// Of the argument at `position`, which is a value.
std::size_t value_size(const Variant& variant, const PlannedCase& planned, std::size_t position) {
  std::size_t maker = 0;
  for (std::size_t i = 0; i < position; ++i) maker += planned.arguments[i].role == PlannedArgument::Role::value ? 1 : 0;
  return variant.makers[maker].size;
}

}  // namespace

std::string mismatch(const Variant& variant, const PlannedCase& planned) {
  const std::size_t parameters = planned.takes.size();
  std::size_t symbols = 0;
  for (const PlannedArgument& argument : planned.arguments) {
    if (argument.role != PlannedArgument::Role::constant) continue;
    const Symbol& symbol = variant.symbols[symbols++];
    if (symbol.size < argument.bytes) {
      return "an array in constant memory has only " + std::to_string(symbol.size) +
             " bytes and the directives describe " + std::to_string(argument.bytes);
    }
  }
  if (variant.parameter_count != parameters) {
    return "the kernel takes " + std::to_string(variant.parameter_count) + " arguments and the directives describe " +
           std::to_string(parameters);
  }
  std::size_t i = 0;
  for (const std::size_t position : planned.takes) {
    const PlannedArgument& argument = planned.arguments.at(position);
    const Parameter& parameter = variant.parameters[i++];
    const bool is_value = argument.role == PlannedArgument::Role::value;
    const bool is_scalar = argument.role == PlannedArgument::Role::scalar || is_value;
    if (is_scalar == parameter.is_pointer)
      return "argument " + std::to_string(i) + " of the kernel is " +
             (parameter.is_pointer ? "a pointer" : "no pointer");
    const std::size_t size = is_value ? value_size(variant, planned, position) : argument.value.size();
    if (is_scalar && size != parameter.size) {
      return "argument " + std::to_string(i) + " of the kernel has " + std::to_string(parameter.size) +
             " bytes and the directives describe one of " + std::to_string(size);
    }
  }
  return "";
}

}  // namespace tuner::host
