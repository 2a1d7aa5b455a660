#include "tuner/core/task/argument_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace tuner {
namespace {

/// The least number that is infinity in a type of reals.
double rounded_to_infinity(ElementType type) {
  switch (type) {
    case ElementType::float16:
      return 65520;
    case ElementType::bfloat16:
      return 0x1.ffp127;
    case ElementType::float32:
      return 0x1.ffffffp127;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

search::Value bind_scalar(const KernelDescription& description, const Argument& argument, ElementType type,
                          const search::Scope& scope) {
  const std::string what = argument_label(description, argument, "the value");
  const search::Value value =
      computed(what, [&] { return argument.value ? argument.value->evaluate(scope) : scope.get(argument.name); });
  const auto refuse = [&](std::string_view why) {
    throw Error(Errc::bad_problem, fmt::format("{} is {}, which {}.", what, value.text(), why));
  };
  if (value.is_name()) refuse("is not a number");
  if (is_real(type)) {
    if (std::isfinite(value.as_real()) && std::abs(value.as_real()) >= rounded_to_infinity(type))
      refuse(fmt::format("does not fit {}", to_string(type)));
    return value.as_real();
  }
  if (value.is_real() && value.as_real() != std::floor(value.as_real())) refuse("is not integral");
  if (value.is_real() && std::abs(value.as_real()) >= 0x1p63) refuse("does not fit in 64 bits");
  const std::int64_t integer = value.as_integer();
  // The maxima of 64-bit types are not exact as reals; every 64-bit integer is below them.
  const bool wide = type == ElementType::int64 || (type == ElementType::uint64 && integer >= 0);
  const auto real = static_cast<double>(integer);
  if (!wide && (real < least_value(type) || real > greatest_value(type)))
    refuse(fmt::format("does not fit {}", to_string(type)));
  return integer;
}

std::vector<search::Value> bind_members(const KernelDescription& description, const Argument& argument,
                                        const search::Scope& scope) {
  std::vector<search::Value> values;
  for (std::size_t at = 0; at + 1 < argument.bytes.size(); at += 2) {
    unsigned byte = 0;
    std::from_chars(argument.bytes.data() + at, argument.bytes.data() + at + 2, byte, 16);
    values.emplace_back(std::int64_t{byte});
  }
  for (const ValueMember& member : argument.members) {
    const std::string what =
        argument_label(description, argument, fmt::format("value {} (`{}`)", values.size() + 1, member.value.text()));
    values.push_back(computed(what, [&] { return member.value.evaluate(scope); }));
    if (values.back().is_name())
      throw Error(Errc::bad_problem, fmt::format("{} is {}, which is not a number.", what, values.back().text()));
  }
  return values;
}

std::uint64_t position_of(const KernelDescription& description, const std::string& name) {
  const auto found = std::find_if(description.arguments.begin(), description.arguments.end(),
                                  [&](const Argument& argument) { return argument.name == name; });
  return static_cast<std::uint64_t>(found - description.arguments.begin());
}

void bind_tolerances(const KernelDescription& description, const Argument& argument, const search::Scope& scope,
                     BoundArgument& bound) {
  const auto tolerance = [&](const std::optional<search::Expression>& expression, std::string_view word,
                             double otherwise) {
    if (!expression) return otherwise;
    const std::string what = argument_label(description, argument, word);
    const double value = computed(what, [&] { return expression->evaluate(scope).as_real(); });
    if (value >= 0 && std::isfinite(value)) return value;
    throw Error(Errc::bad_problem, fmt::format("{} is {}; a tolerance is a number from 0.", what, value));
  };
  // What may stand anywhere is moved, not computed. Sorted, a lost element hides within any tolerance.
  const bool is_exact = argument.is_unordered;
  bound.rtol = tolerance(argument.rtol, "the rtol", is_exact ? 0 : default_rtol(bound.type));
  bound.atol = tolerance(argument.atol, "the atol", is_exact ? 0 : default_atol(bound.type));
  bound.chosen_tolerance = argument.rtol || argument.atol;
  if (!argument.may_differ) return;
  const std::string what = argument_label(description, argument, "the number of elements that may differ");
  const std::int64_t most = computed(what, [&] { return argument.may_differ->evaluate_integer(scope); });
  if (most < 0) throw Error(Errc::bad_problem, fmt::format("{} is {}; it cannot be negative.", what, most));
  bound.may_differ = static_cast<std::uint64_t>(most);
}

/// What counts the elements of an output whose order is free has one element itself.
void check_counts(const KernelDescription& description, const std::vector<BoundArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].counted_by) continue;
    const BoundArgument& counting = arguments[*arguments[i].counted_by];
    if (counting.length == 1) continue;
    throw Error(Errc::bad_problem,
                fmt::format("{} is {}, but it says how many elements `{}` has, so it is a single one. Counts of parts "
                            "cannot be used: count all elements, or compare `{}` in order.",
                            argument_label(description, description.arguments[*arguments[i].counted_by], "the length"),
                            counting.length, arguments[i].name, arguments[i].name));
  }
}

/// A module has 64 KB of constant memory, however its arrays are laid out.
void check_constant_memory(const KernelDescription& description, const std::vector<BoundArgument>& arguments) {
  constexpr std::uint64_t kConstantMemory = 64 * 1024;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (argument.role != Argument::Role::constant) continue;
    bytes += argument.length * element_size(argument);
    if (bytes <= kConstantMemory) continue;
    throw Error(Errc::bad_problem, fmt::format("{}: with it the arrays in constant memory have {} bytes, but only {} "
                                               "are available; pass it as an input, or choose a smaller problem.",
                                               argument_label(description, description.arguments[i], "the length"),
                                               bytes, kConstantMemory));
  }
}

/// A file says what is right for one set of inputs: none of them may depend on a seed.
void check_expected(const KernelDescription& description, const std::vector<BoundArgument>& arguments) {
  const auto has_expected = [](const BoundArgument& argument) { return argument.expected.has_value(); };
  const auto expected = std::find_if(arguments.begin(), arguments.end(), has_expected);
  if (expected == arguments.end()) return;
  const auto seeded = std::find_if(arguments.begin(), arguments.end(), is_seeded);
  if (seeded == arguments.end()) return;
  const auto which = static_cast<std::size_t>(seeded - arguments.begin());
  throw Error(Errc::bad_description,
              fmt::format("{} is random, but {} holds the correct `{}` for certain inputs; take `{}` from a file, too, "
                          "or from iota(…) or constant(…).",
                          argument_label(description, description.arguments[which], "the content"),
                          expected->expected->path.filename().string(), expected->name, seeded->name));
}

/// Whether `expression` uses a name of which `is_it` is true, directly or through lets that are not `seen` yet.
template <class IsIt>
bool depends(const KernelDescription& description, const search::Expression& expression, const IsIt& is_it,
             std::set<std::string>& seen) {
  for (const std::string& name : expression.names()) {
    if (is_it(name)) return true;
    for (const NamedExpression& let : description.names) {
      if (let.name == name && seen.insert(name).second && depends(description, let.expression, is_it, seen))
        return true;
    }
  }
  return false;
}

bool depends_on_parameters(const KernelDescription& description, const search::Expression& expression) {
  std::set<std::string> seen;
  const auto is_it = [&](const std::string& name) {
    return std::any_of(description.parameters.begin(), description.parameters.end(),
                       [&](const ParameterDescription& p) { return p.parameter.name == name; });
  };
  return depends(description, expression, is_it, seen);
}

}  // namespace

TypeShape bind_type(const KernelDescription& description, const std::string& what, const std::string& type,
                    const search::Scope& scope) {
  std::string name = type;
  for (const ProblemProperty& property : description.problem) {
    if (property.name == name) name = scope.get(name).text();
  }
  const auto shape = shape_of_type(name);
  if (!shape) {
    throw Error(Errc::bad_description, fmt::format("{} is `{}`, which is not an element type.", what, name));
  }
  return *shape;
}

bool is_partial(const NotCompared& left, const std::vector<BoundArgument>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const BoundArgument& argument) {
    return argument.name == left.buffer && argument.is_partial;
  });
}

std::uint64_t counted(const BoundArgument& argument, const BoundArgument& counting, std::span<const std::byte> count) {
  const std::size_t size = size_of(counting.type);
  std::uint64_t number = 0;
  std::memcpy(&number, count.data(), std::min(size, count.size()));
  const bool is_negative = least_value(counting.type) < 0 && (number >> (8 * size - 1) & 1) != 0;
  return element_size(argument) / size_of(argument.type) * (is_negative ? 0 : std::min(number, argument.length));
}

std::string partly_filled(const std::string& array, std::uint64_t bytes, std::uint64_t described) {
  return fmt::format(
      "The array `{}` in constant memory has {} bytes, of which {} are described: only these are filled, and the rest "
      "keeps its initial values.",
      array, bytes, described);
}

bool is_seeded(const BoundArgument& argument) {
  const auto is_random = [](const BoundGenerator& generator) {
    return generator.kind != Generator::Kind::constant && generator.kind != Generator::Kind::iota;
  };
  return is_filled(argument.role) && !argument.file &&
         std::any_of(argument.generators.begin(), argument.generators.end(), is_random);
}

std::string argument_label(const KernelDescription& description, const Argument& argument, std::string_view what) {
  std::string place = description.file.filename().string();
  if (argument.place.line > 0)
    place += fmt::format(":{}", argument.place.line);
  else if (!argument.place.file.empty())
    place = argument.place.file;
  return fmt::format("{}: {} of `{}`", place, what, argument.name);
}

bool depends_on_problem(const KernelDescription& description, const search::Expression& expression) {
  std::set<std::string> seen;
  const auto is_it = [&](const std::string& name) {
    return std::any_of(description.problem.begin(), description.problem.end(),
                       [&](const ProblemProperty& property) { return property.name == name; });
  };
  return depends(description, expression, is_it, seen);
}

std::uint64_t buffer_length(const std::string& what, const search::Expression& length, const search::Scope& scope) {
  const std::int64_t elements = computed(what, [&] { return length.evaluate_integer(scope); });
  if (elements < 0)
    throw Error(Errc::bad_problem, fmt::format("{} is {}; a length cannot be negative.", what, elements));
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
  if (elements > kMostElements) {
    throw Error(Errc::bad_problem, fmt::format("{} is {} elements, more than any memory holds.", what, elements));
  }
  return static_cast<std::uint64_t>(elements);
}

std::vector<BoundArgument> bind_arguments(const KernelDescription& description, const search::Scope& scope) {
  std::vector<BoundArgument> bound_arguments;
  for (const Argument& argument : description.arguments) {
    BoundArgument bound;
    bound.name = argument.name;
    bound.role = argument.role;
    if (argument.role == Argument::Role::value) {
      bound.values = bind_members(description, argument, scope);
      bound_arguments.push_back(std::move(bound));
      continue;
    }
    const TypeShape shape =
        bind_type(description, argument_label(description, argument, "the type"), argument.type, scope);
    bound.type = shape.element;
    bound.lanes = shape.lanes;
    bound.alignment = static_cast<std::uint64_t>(argument.alignment.value_or(0));
    bound.padding = static_cast<std::uint64_t>(argument.padding.value_or(0));
    if (argument.role == Argument::Role::scalar) {
      bound.value = bind_scalar(description, argument, bound.type, scope);
      bound_arguments.push_back(std::move(bound));
      continue;
    }
    if (!argument.length) {
      throw Error(Errc::bad_description,
                  fmt::format("{} is missing.", argument_label(description, argument, "the length")));
    }
    bound.varies = argument.role == Argument::Role::scratch && depends_on_parameters(description, *argument.length);
    if (!bound.varies) {
      bound.length = buffer_length(argument_label(description, argument, "the length"), *argument.length, scope);
    }
    if (is_filled(argument.role)) bind_generators(description, argument, scope, bound);
    if (is_output(bound)) {
      bind_tolerances(description, argument, scope, bound);
      bound.is_partial = argument.is_partial;
      bound.is_trivial = argument.is_trivial;
      bound.is_unordered = argument.is_unordered;
      if (!argument.counted_by.empty()) bound.counted_by = position_of(description, argument.counted_by);
      if (argument.expected) bound.expected = DataFile{.path = description.file.parent_path() / *argument.expected};
    }
    bound_arguments.push_back(std::move(bound));
  }
  check_constant_memory(description, bound_arguments);
  check_counts(description, bound_arguments);
  check_expected(description, bound_arguments);
  return bound_arguments;
}

}  // namespace tuner
