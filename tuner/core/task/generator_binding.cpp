#include <fmt/format.h>

#include <cmath>

#include "tuner/core/description/lane_generators.hpp"
#include "tuner/core/task/argument_binding.hpp"

namespace tuner {
namespace {

/// A real that is exact for every 64-bit integer below 2^53, which generators need not exceed.
double number(const std::string& what, const search::Expression& expression, const search::Scope& scope) {
  const double value = computed(what, [&] { return expression.evaluate(scope).as_real(); });
  if (!std::isfinite(value)) throw Error(Errc::bad_problem, fmt::format("{} is not a finite number.", what));
  return value;
}

BoundGenerator default_generator(ElementType type) {
  if (is_real(type)) return {Generator::Kind::uniform, {0, 1}};
  if (type == ElementType::boolean) return {Generator::Kind::index, {2, 0}};
  return {Generator::Kind::iota, {0, 1}};
}

/// What a generator is bound for.
struct Content {
  std::string label;  ///< "k.cu:6: the content of `a`"
  const BoundArgument& argument;

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Errc::bad_problem, fmt::format("{} {}.", label, why));
  }
  bool holds(double integer) const { return is_real(argument.type) || integer <= greatest_value(argument.type); }
};

void check_count(const Content& content, std::string_view word, double count) {
  if (count < 1 || count != std::floor(count))
    content.refuse(fmt::format("is {}({}), which needs a whole number of at least 1", word, count));
  if (!content.holds(count - 1))
    content.refuse(fmt::format("is {}({}), which does not fit {}", word, count, to_string(content.argument.type)));
}

/// The device needs the mean and the spread only: the rows are one less than the elements.
std::array<double, 2> bound_offsets(const Content& content, const std::vector<double>& numbers) {
  const double rows = numbers[0], mean = numbers[1], spread = numbers[2];
  const std::string text = fmt::format("is offsets({}, {}, {})", rows, mean, spread);
  if (rows < 0 || rows != std::floor(rows)) content.refuse(text + ", which needs a whole number of rows");
  if (spread < 0 || spread > mean)
    content.refuse(text + ", which needs a spread from 0 to the mean, so that no row has less than nothing");
  const std::uint64_t elements = content.argument.length * static_cast<std::uint64_t>(content.argument.lanes);
  if (static_cast<double>(elements) != rows + 1) {
    content.refuse(
        fmt::format("{}, which has {} values, one more than rows, but the length is {}", text, rows + 1, elements));
  }
  if (!content.holds(std::floor(rows * mean)))
    content.refuse(fmt::format("{}, whose last value does not fit {}", text, to_string(content.argument.type)));
  return {mean, std::ceil(spread)};
}

void check_parameters(const Content& content, const BoundGenerator& generator) {
  const auto [first, second] = generator.parameters;
  switch (generator.kind) {
    case Generator::Kind::uniform:
      if (first > second)
        content.refuse(fmt::format("is uniform({}, {}), whose low end is above its high end", first, second));
      break;
    case Generator::Kind::normal:
      if (second < 0) content.refuse(fmt::format("is normal({}, {}), whose deviation is negative", first, second));
      break;
    case Generator::Kind::index:
      check_count(content, "index", first);
      break;
    case Generator::Kind::permutation:
      check_count(content, "permutation", first);
      break;
    case Generator::Kind::constant:
      if (is_real(content.argument.type)) break;
      if (first < least_value(content.argument.type) || !content.holds(first) || first != std::floor(first))
        content.refuse(fmt::format("is constant({}), which does not fit {}", first, to_string(content.argument.type)));
      break;
    case Generator::Kind::iota:
    case Generator::Kind::file:
    case Generator::Kind::offsets:
      break;
  }
}

BoundGenerator bind_generator(const Content& content, const Generator& generator, const search::Scope& scope) {
  std::vector<double> numbers;
  for (const search::Expression& parameter : generator.parameters)
    numbers.push_back(number(content.label, parameter, scope));
  BoundGenerator bound{generator.kind, {0, 0}, generator.is_sorted};
  if (generator.kind == Generator::Kind::offsets) {
    bound.parameters = bound_offsets(content, numbers);
  } else {
    for (std::size_t i = 0; i < numbers.size() && i < bound.parameters.size(); ++i) bound.parameters[i] = numbers[i];
  }
  check_parameters(content, bound);
  return bound;
}

}  // namespace

void bind_generators(const KernelDescription& description, const Argument& argument, const search::Scope& scope,
                     BoundArgument& bound) {
  const Content content{argument_label(description, argument, "the content"), bound};
  if (const std::string why = why_not_by_lane(argument, argument.type, bound.lanes); !why.empty())
    content.refuse("cannot be generated: " + why);
  if (argument.generators.empty()) {
    bound.generators = {default_generator(bound.type)};
    return;
  }
  if (argument.generators.front().kind == Generator::Kind::file) {
    bound.generators = {{Generator::Kind::file, {0, 0}}};
    bound.file = DataFile{.path = description.file.parent_path() / argument.generators.front().file};
    return;
  }
  std::vector<BoundGenerator> generators;
  for (const Generator& generator : argument.generators)
    generators.push_back(bind_generator(content, generator, scope));
  bound.generators = std::move(generators);
}

std::string counting_inputs(const KernelDescription& description, const std::vector<BoundArgument>& arguments) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool counts = arguments[i].generators.front().kind == Generator::Kind::iota;
    if (is_filled(arguments[i].role) && counts && description.arguments[i].generators.empty())
      names.push_back("`" + arguments[i].name + "`");
  }
  if (names.empty()) return {};
  return fmt::format("No generator is given for {}: integers then count up from 0, as with iota().",
                     fmt::join(names, ", "));
}

}  // namespace tuner
