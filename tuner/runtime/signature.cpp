#include "tuner/runtime/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "tuner/core/base/element_type.hpp"

namespace tuner {
namespace {

using detail::PassedArgument;
using Kind = PassedArgument::Kind;

constexpr std::uint64_t kPointerSize = 8;

std::string type_text(const BoundArgument& argument) {
  return argument.lanes > 1 ? fmt::format("{} x{}", to_string(argument.type), argument.lanes)
                            : std::string(to_string(argument.type));
}

std::string_view kind_text(Kind kind) {
  switch (kind) {
    case Kind::pointer:
      return "a pointer";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a real number";
    case Kind::boolean:
      return "a boolean";
    case Kind::sized_buffer:
      return "a tuner::Buffer";
    case Kind::scratch:
      return "tuner::scratch";
    case Kind::other:
      break;
  }
  return "an object";
}

/// Whether a C++ type of this kind may hold an element of that type. Classes such as __half are judged by their size.
bool may_hold(Kind kind, ElementType type) {
  if (kind == Kind::other) return true;
  if (is_real(type)) return kind == Kind::real;
  return kind == Kind::integer || kind == Kind::boolean;
}

std::optional<std::string> why_no_buffer(const BoundArgument& argument, const PassedArgument& passed) {
  if (passed.kind == Kind::sized_buffer) return std::nullopt;
  if (passed.kind == Kind::scratch) {
    if (argument.role == Argument::Role::scratch) return std::nullopt;
    return "is not scratch, but the call passes tuner::scratch: pass the device pointer";
  }
  const bool is_address = passed.kind == Kind::integer && passed.size == kPointerSize;  // a CUdeviceptr
  if (passed.kind != Kind::pointer && !is_address) {
    return fmt::format("is a buffer of {}, but the call passes {} of {} bytes: pass the device pointer",
                       type_text(argument), kind_text(passed.kind), passed.size);
  }
  if (argument.varies) return std::string(kVariesWithoutSize);
  if (argument.padding > 0) return padded_without_size(argument);
  if (is_address || passed.pointee == 0) return std::nullopt;  // void*
  const bool size_fits = passed.pointee == element_size(argument) || passed.pointee == size_of(argument.type);
  if (size_fits && may_hold(passed.pointee_kind, argument.type)) return std::nullopt;
  return fmt::format("is a buffer of {} ({} bytes each), but the call passes a pointer to {} of {} bytes",
                     type_text(argument), element_size(argument), kind_text(passed.pointee_kind), passed.pointee);
}

std::optional<std::string> why_no_value(const PassedArgument& passed) {
  const bool is_memory =
      passed.kind == Kind::pointer || passed.kind == Kind::sized_buffer || passed.kind == Kind::scratch;
  if (!is_memory) return std::nullopt;
  return fmt::format("is a value, but the call passes {}: pass the object itself", kind_text(passed.kind));
}

std::optional<std::string> why_no_scalar(const BoundArgument& argument, const PassedArgument& passed) {
  const bool is_memory =
      passed.kind == Kind::pointer || passed.kind == Kind::sized_buffer || passed.kind == Kind::scratch;
  if (passed.size == element_size(argument) && !is_memory &&
      (argument.lanes > 1 || may_hold(passed.kind, argument.type)))
    return std::nullopt;
  return fmt::format("is {} ({} bytes), but the call passes {} of {} bytes: convert it to the kernel's type",
                     type_text(argument), element_size(argument), kind_text(passed.kind), passed.size);
}

std::string names_of(std::span<const BoundArgument> arguments) {
  std::vector<std::string> names;
  for (const BoundArgument& argument : arguments) names.push_back(argument.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const std::string_view kVariesWithoutSize =
    "is scratch whose length depends on the configuration, but the call passes a pointer, which does not tell its "
    "length: pass tuner::scratch, and the library provides the memory, or tuner::Buffer{pointer, bytes}";

std::string padded_without_size(const BoundArgument& argument) {
  return fmt::format(
      "has a padding of {} bytes, which the kernel may read before and behind it, but the call passes a pointer, which "
      "does not tell how much memory is there: pass {}tuner::Buffer{{pointer, bytes}} with the bytes of the padding "
      "behind it, and have as many before it",
      argument.padding, argument.role == Argument::Role::scratch ? "tuner::scratch, or " : "");
}

std::optional<std::string> why_not_callable(const std::string& kernel, std::span<const BoundArgument> arguments,
                                            const detail::CallSignature& signature) {
  if (signature.arguments.size() != arguments.size()) {
    return fmt::format("The kernel `{}` takes {} arguments ({}), but the call passes {}.", kernel, arguments.size(),
                       names_of(arguments), signature.arguments.size());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& bound = arguments[i];
    const auto why = bound.role == Argument::Role::scalar  ? why_no_scalar(bound, signature.arguments[i])
                     : bound.role == Argument::Role::value ? why_no_value(signature.arguments[i])
                                                           : why_no_buffer(bound, signature.arguments[i]);
    if (why) return fmt::format("Argument {} of the kernel `{}`, `{}`, {}.", i + 1, kernel, bound.name, *why);
  }
  return std::nullopt;
}

std::optional<std::string> why_not_described(const std::string& kernel, std::span<const BoundArgument> arguments,
                                             std::span<const KernelParameter> parameters) {
  std::vector<BoundArgument> described;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(described),
               [](const BoundArgument& argument) { return is_parameter(argument.role); });
  if (parameters.size() != described.size()) {
    return fmt::format("The binary of `{}` takes {} arguments, but its description has {} ({}).", kernel,
                       parameters.size(), described.size(), names_of(described));
  }
  for (std::size_t i = 0; i < described.size(); ++i) {
    const BoundArgument& argument = described[i];
    if (argument.role == Argument::Role::value) continue;  // only the compiler knows its size
    const std::uint64_t size = argument.role == Argument::Role::scalar ? element_size(argument) : kPointerSize;
    if (parameters[i].size == size) continue;
    return fmt::format("Argument {} of the binary of `{}` has {} bytes, but `{}` is described with {}.", i + 1, kernel,
                       parameters[i].size, argument.name, size);
  }
  return std::nullopt;
}

}  // namespace tuner
