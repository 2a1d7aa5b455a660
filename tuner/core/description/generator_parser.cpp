// What buffers are filled with: the generators among the clauses of in, inout and constant.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/description/description_parser.hpp"
#include "tuner/core/description/lane_generators.hpp"

namespace tuner {
namespace {

struct GeneratorForm {
  std::string_view word;
  Generator::Kind kind;
  std::size_t least, most;                 ///< parameters that may be given
  std::vector<std::string_view> defaults;  ///< of those that are not
  std::string_view usage;
};

const std::vector<GeneratorForm>& generator_forms() {
  static const std::vector<GeneratorForm> forms{
      {"constant", Generator::Kind::constant, 1, 1, {}, "constant(value)"},
      {"iota", Generator::Kind::iota, 0, 2, {"0", "1"}, "iota(start, step)"},
      {"uniform", Generator::Kind::uniform, 0, 2, {"0", "1"}, "uniform(low, high)"},
      {"normal", Generator::Kind::normal, 0, 2, {"0", "1"}, "normal(mean, deviation)"},
      {"index", Generator::Kind::index, 1, 1, {}, "index(count)"},
      {"file", Generator::Kind::file, 1, 1, {}, "file(\"name.npy\")"},
      {"permutation", Generator::Kind::permutation, 1, 1, {}, "permutation(count)"},
      {"offsets", Generator::Kind::offsets, 3, 3, {}, "offsets(rows, mean, spread)"},
  };
  return forms;
}

/// `row_start_last` for the last value of `row_start`.
std::string last_value_name(const Argument& argument) {
  return argument.name + "_last";
}

}  // namespace

void DescriptionParser::add_generator(const Span& clause, Argument& argument) {
  Generator generator = read_generator(clause, argument);
  argument.generators.push_back(std::move(generator));
  if (argument.generators.size() == 1) return;
  for (const Generator& each : argument.generators) {
    if (each.kind != Generator::Kind::file && each.kind != Generator::Kind::offsets) continue;
    clause.fail(fmt::format("`{}` fills all of `{}`, so there is no other generator beside it",
                            kGenerators[static_cast<std::size_t>(each.kind)], argument.name));
  }
}

Generator DescriptionParser::read_generator(const Span& text, const Argument& argument) {
  const std::size_t length = std::min(text.text().find_first_of(" \t("), text.size());
  const Span word = text.sub(0, length);
  const Span operand = text.sub(length).trimmed();
  const auto check_brackets = [&](std::string_view usage) {
    if (operand.text().front() != '(' || !operand.text().ends_with(')')) {
      operand.fail(fmt::format("a generator has the form {}", usage));
    }
  };
  if (word.text() == "sorted") {
    constexpr std::string_view kUsage = "sorted(GENERATOR), as in sorted(uniform(0, 1))";
    if (operand.size() < 2) word.fail(fmt::format("a generator has the form {}", kUsage));
    check_brackets(kUsage);
    Generator generator = read_generator(operand.sub(1, operand.size() - 2).trimmed(), argument);
    if (generator.kind == Generator::Kind::file || generator.kind == Generator::Kind::offsets || generator.is_sorted) {
      operand.fail("only generated numbers that are not in order yet can be sorted");
    }
    generator.is_sorted = true;
    return generator;
  }
  const std::vector<GeneratorForm>& forms = generator_forms();
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const auto& f) { return f.word == word.text(); });
  if (form == forms.end()) {
    text.fail(fmt::format("`{}` is not a generator ({})", text.text(), fmt::join(kGenerators, ", ")));
  }
  std::vector<Span> parameters;
  if (!operand.empty()) {
    check_brackets(form->usage);
    parameters = operand.sub(1, operand.size() - 2).split(',');
  }
  if (parameters.size() < form->least || parameters.size() > form->most) {
    word.fail(
        fmt::format("the generator has the form {}, but {} parameters are given", form->usage, parameters.size()));
  }
  Generator generator;
  generator.kind = form->kind;
  if (generator.kind == Generator::Kind::file) {
    generator.file = read_file_name(parameters.front());
    return generator;
  }
  for (const Span& parameter : parameters) {
    generator.parameters.push_back(expression(parameter, fmt::format("the content of `{}`", argument.name)));
  }
  for (std::size_t i = parameters.size(); i < form->defaults.size(); ++i) {
    generator.parameters.push_back(search::Expression::parse(form->defaults[i]));
  }
  if (generator.kind == Generator::Kind::offsets) define_last_offset(word, parameters, generator, argument);
  return generator;
}

void DescriptionParser::define_last_offset(const Span& word, const std::vector<Span>& parameters,
                                           const Generator& generator, const Argument& argument) {
  const std::string name = last_value_name(argument);
  names_.declare_implied(word, name, NameTable::Kind::expression);
  for (std::size_t i = 0; i < 2; ++i) names_.use_in_definition(generator.parameters[i], parameters[i], name);
  const std::string last =
      fmt::format("floor(({}) * ({}))", generator.parameters[0].text(), generator.parameters[1].text());
  description_.names.push_back({name, search::Expression::parse(last), false, argument.place, true});
}

std::string why_not_by_lane(const Argument& argument, std::string_view type, int lanes) {
  const std::size_t given = argument.generators.size();
  if (given <= 1 || given == static_cast<std::size_t>(lanes)) return {};
  return fmt::format("`{}` has {} generators, but `{}` has {}: give one for all elements{}", argument.name, given, type,
                     lanes == 1 ? "one number an element" : fmt::format("{} lanes", lanes),
                     lanes == 1 ? "" : ", or one a lane");
}

}  // namespace tuner
