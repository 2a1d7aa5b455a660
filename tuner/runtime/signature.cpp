#include "tuner/runtime/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/task/argument_binding.hpp"

namespace tuner {
namespace {

using detail::PassedArgument;
using Kind = PassedArgument::Kind;

constexpr std::uint32_t kPointerSize = 8;

std::uint32_t element_size(const BoundArgument& argument) {
  return static_cast<std::uint32_t>(size_of(argument.type)) * static_cast<std::uint32_t>(std::max(argument.lanes, 1));
}

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

std::optional<std::string> why_no_buffer(const CallArgument& call, const PassedArgument& passed) {
  const BoundArgument& argument = call.bound;
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
  if (call.varies) return std::string(kVariesWithoutSize);
  if (is_address || passed.pointee == 0) return std::nullopt;  // void*
  const bool size_fits = passed.pointee == element_size(argument) || passed.pointee == size_of(argument.type);
  if (size_fits && may_hold(passed.pointee_kind, argument.type)) return std::nullopt;
  return fmt::format("is a buffer of {} ({} bytes each), but the call passes a pointer to {} of {} bytes",
                     type_text(argument), element_size(argument), kind_text(passed.pointee_kind), passed.pointee);
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

/// Whether the value follows from the problem, by way of lets too.
bool depends_on_problem(const KernelDescription& description, const search::Expression& expression, int depth = 0) {
  constexpr int kDeepest = 200;  // lets that need themselves are errors elsewhere
  for (const std::string& name : expression.names()) {
    const auto is_it = [&](const auto& named) { return named.name == name; };
    if (std::any_of(description.problem.begin(), description.problem.end(), is_it)) return true;
    const auto let = std::find_if(description.names.begin(), description.names.end(), is_it);
    if (let != description.names.end() && depth < kDeepest &&
        depends_on_problem(description, let->expression, depth + 1))
      return true;
  }
  return false;
}

/// The bytes of a value as the kernel takes them; nothing where that is not known here.
std::optional<std::uint64_t> bits_of(const BoundArgument& argument) {
  if (argument.type == ElementType::float64) return std::bit_cast<std::uint64_t>(argument.value.as_real());
  if (argument.type == ElementType::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(argument.value.as_real()));
  if (is_real(argument.type)) return std::nullopt;
  const std::size_t size = size_of(argument.type);
  const auto bits = static_cast<std::uint64_t>(argument.value.as_integer());
  return size == 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
}

}  // namespace

const std::string_view kVariesWithoutSize =
    "is scratch whose length depends on the configuration, but the call passes a pointer, which does not tell its "
    "length: pass tuner::scratch, and the library provides the memory, or tuner::Buffer{pointer, bytes}";

std::vector<CallArgument> call_arguments(const KernelDescription& description, std::span<const BoundArgument> bound) {
  std::vector<CallArgument> arguments;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Argument& described = description.arguments[i];
    const bool varies = described.role == Argument::Role::scratch && described.length &&
                        depends_on_parameters(description, *described.length);
    arguments.push_back({bound[i], varies});
  }
  return arguments;
}

std::optional<std::string> why_not_callable(const std::string& kernel, std::span<const CallArgument> arguments,
                                            const detail::CallSignature& signature) {
  if (signature.arguments.size() != arguments.size()) {
    std::vector<BoundArgument> all;
    for (const CallArgument& argument : arguments) all.push_back(argument.bound);
    return fmt::format("The kernel `{}` takes {} arguments ({}), but the call passes {}.", kernel, arguments.size(),
                       names_of(all), signature.arguments.size());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& bound = arguments[i].bound;
    const auto why = bound.role == Argument::Role::scalar ? why_no_scalar(bound, signature.arguments[i])
                                                          : why_no_buffer(arguments[i], signature.arguments[i]);
    if (why) return fmt::format("Argument {} of the kernel `{}`, `{}`, {}.", i + 1, kernel, bound.name, *why);
  }
  return std::nullopt;
}

std::optional<std::string> why_not_described(const std::string& kernel, std::span<const BoundArgument> arguments,
                                             std::span<const KernelParameter> parameters) {
  std::vector<BoundArgument> described;
  for (const BoundArgument& argument : arguments) {
    if (is_parameter(argument.role)) described.push_back(argument);
  }
  if (parameters.size() != described.size()) {
    return fmt::format("The binary of `{}` takes {} arguments, but its description has {} ({}).", kernel,
                       parameters.size(), described.size(), names_of(described));
  }
  for (std::size_t i = 0; i < described.size(); ++i) {
    const bool scalar = described[i].role == Argument::Role::scalar;
    const std::uint32_t size = scalar ? element_size(described[i]) : kPointerSize;
    if (parameters[i].size == size) continue;
    return fmt::format("Argument {} of the binary of `{}` has {} bytes, but `{}` is described with {}.", i + 1, kernel,
                       parameters[i].size, described[i].name, size);
  }
  return std::nullopt;
}

std::vector<detail::BoundScalar> bound_scalars(const KernelDescription& description,
                                               std::span<const BoundArgument> arguments) {
  std::vector<detail::BoundScalar> bound;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& described = description.arguments[i];
    if (described.role != Argument::Role::scalar || arguments[i].lanes > 1) continue;
    if (described.value && !depends_on_problem(description, *described.value)) continue;
    if (const auto bits = bits_of(arguments[i])) {
      bound.push_back({i, static_cast<std::uint32_t>(size_of(arguments[i].type)), *bits});
    }
  }
  return bound;
}

}  // namespace tuner
