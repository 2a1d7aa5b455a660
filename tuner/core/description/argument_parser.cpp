// The directives that describe what a kernel is launched with: in, out, inout, scratch, scalar, constant, value.
#include <fmt/format.h>

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/description_parser.hpp"
#include "tuner/core/description/directive_words.hpp"
#include "tuner/core/description/lane_generators.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/description/parameter_values.hpp"
#include "tuner/core/description/plain_number.hpp"

namespace tuner {
namespace {

const char* role_text(Argument::Role role) {
  switch (role) {
    case Argument::Role::in:
      return "an input";
    case Argument::Role::out:
      return "an output";
    case Argument::Role::inout:
      return "an input and output";
    case Argument::Role::scratch:
      return "a scratch buffer";
    case Argument::Role::scalar:
      return "a scalar";
    case Argument::Role::constant:
      return "an array in constant memory";
    case Argument::Role::value:
      return "a value";
  }
  return "";
}

/// What can be known before there is a problem.
void check_tolerance(const search::Expression& tolerance, const Span& span) {
  std::optional<double> number;
  try {
    number = plain_number(tolerance);
  } catch (const Error& error) {
    span.fail(error.what());
  }
  if (number.value_or(0) < 0) span.fail(fmt::format("a tolerance cannot be negative, as {} is", span.text()));
}

bool allows(Argument::Role role, std::string_view word) {
  if (word == "rtol" || word == "atol" || word == "at" || word == "expect" || word == "trivial" || word == "unordered")
    return is_compared(role);
  if (word == "partial") return role == Argument::Role::out;
  if (word == "align" || word == "pad") return has_surroundings(role);
  if (word == "value") return role == Argument::Role::scalar;
  return is_filled(role);
}

/// Where the type that begins at `begin` ends: `Pair<int, float>` has commas of its own.
std::size_t end_of_type(const Span& text, std::size_t begin) {
  for (std::size_t end = text.find(',', begin);; end = text.find(',', end + 1)) {
    const std::string_view type = text.text().substr(begin, std::min(end, text.size()) - begin);
    const auto opened = std::count(type.begin(), type.end(), '<'), closed = std::count(type.begin(), type.end(), '>');
    if (opened == closed) return std::min(end, text.size());
    if (end == std::string_view::npos) text.fail("the `<` of this type has no `>`", begin);
  }
}

}  // namespace

void DescriptionParser::read_argument(const Directive& directive) {
  const auto* const word = std::find(kRoles.begin(), kRoles.end(), directive.word.text());
  const auto role = static_cast<Argument::Role>(word - kRoles.begin());
  const std::vector<Span> items = directive.arguments->split(',');
  const bool is_scalar = role == Argument::Role::scalar;
  const std::size_t needed = is_scalar ? 2 : 3;
  if (items.size() < needed) {
    directive.arguments->fail(
        fmt::format("{} needs a name{}, as in {}", directive.word.text(),
                    is_scalar ? " and a type" : ", a type and a length in elements",
                    is_scalar ? "scalar(n, int32)" : fmt::format("{}(values, float, n)", directive.word.text())));
  }
  Argument argument;
  argument.role = role;
  read_name(items[0], argument);
  if (items[1].empty()) items[1].fail("a type is missing here");
  argument.type = items[1].string();
  if (!is_scalar) {
    const bool may_vary = role == Argument::Role::scratch;
    argument.length = expression(items[2], may_vary ? "" : fmt::format("the length of `{}`", argument.name));
  }
  argument_types_.push_back(items[1]);
  for (std::size_t i = needed; i < items.size(); ++i) read_clause(items[i], argument);
  description_.arguments.push_back(std::move(argument));
}

void DescriptionParser::read_name(const Span& name, Argument& argument) {
  check_identifier(name, "an argument");
  argument.name = name.string();
  argument.place = name.place();
  for (const Argument& other : description_.arguments) {
    if (other.name == argument.name) {
      name.fail(fmt::format("the argument `{}` is already declared on line {}", argument.name, other.place.line));
    }
  }
  argument_names_.push_back(name);
}

/// `value(NAME, TYPE, E, {E, E}, ...)` or `value(NAME, TYPE, bytes "0000803f")`
void DescriptionParser::read_by_value(const Directive& directive) {
  const Span& all = *directive.arguments;
  const std::size_t comma = all.find(',');
  if (comma == std::string_view::npos)
    all.fail("value needs a name, a type and what its members hold, as in value(cells, int3, n, n, 1)");
  Argument argument;
  argument.role = Argument::Role::value;
  read_name(all.sub(0, comma).trimmed(), argument);
  const std::size_t end = end_of_type(all, comma + 1);
  const Span type = all.sub(comma + 1, end - comma - 1).trimmed();
  if (type.empty()) type.fail("a type is missing here");
  argument.type = type.string();
  argument_types_.push_back(type);
  if (end < all.size()) {
    constexpr std::string_view kBytes = "bytes";
    const Span made_of = all.sub(end + 1).trimmed();
    const Span digits = made_of.sub(std::min(kBytes.size(), made_of.size())).trimmed();
    if (made_of.text().starts_with(kBytes) && digits.text().starts_with('"'))
      argument.bytes = read_bytes(digits);
    else
      read_members(made_of, 0, argument);
  }
  description_.arguments.push_back(std::move(argument));
}

std::string DescriptionParser::read_bytes(const Span& digits) const {
  constexpr std::size_t kMostBytes = 32764;  // of all parameters of a kernel
  const std::string_view text = digits.text();
  if (text.size() < 2 || text.back() != '"') digits.fail("the bytes stand in quotes, as in bytes \"0000803f\"");
  const std::string_view hex = text.substr(1, text.size() - 2);
  if (hex.empty() || hex.size() % 2 != 0 || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    digits.fail("each byte is two digits of 0123456789abcdef, the first byte first, as in bytes \"0000803f\"");
  if (hex.size() / 2 > kMostBytes) digits.fail(fmt::format("a kernel takes no more than {} bytes", kMostBytes));
  return std::string(hex);
}

void DescriptionParser::read_members(const Span& list, int depth, Argument& argument) {
  constexpr int kDeepest = 32;
  if (depth > kDeepest) list.fail("braces are nested too deeply here");
  if (list.empty()) list.fail("an expression is missing here; {0} holds zeros");
  for (const Span& item : list.split(',')) {
    const std::size_t first = argument.members.size();
    if (item.text().starts_with('{') && item.text().ends_with('}')) {
      read_members(item.sub(1, item.size() - 2).trimmed(), depth + 1, argument);
      ++argument.members[first].opening;
      ++argument.members.back().closing;
    } else {
      argument.members.push_back({0, expression(item, fmt::format("a value of `{}`", argument.name)), 0});
    }
  }
}

void DescriptionParser::read_clause(const Span& clause, Argument& argument) {
  const std::string_view text = clause.text();
  if (text.empty()) clause.fail("a clause is missing here, or there is an extra comma");
  const std::size_t length = std::min(text.find_first_of(" \t("), text.size());
  const Span word = clause.sub(0, length);
  const Span operand = clause.sub(length).trimmed();
  std::vector<std::string> words = words_of(argument_clauses());
  words.insert(words.end(), {"at", "sorted"});
  words.insert(words.end(), kGenerators.begin(), kGenerators.end());
  if (std::find(words.begin(), words.end(), word.text()) == words.end()) {
    clause.fail(fmt::format("`{}` is not a clause of {} (valid are generators such as uniform(0, 1), and {}){}", text,
                            role_text(argument.role), fmt::join(words_of(argument_clauses()), ", "),
                            suggestion(word.text(), words)));
  }
  if (!allows(argument.role, word.text())) {
    clause.fail(
        fmt::format("`{}` does not apply to `{}`, which is {}", word.text(), argument.name, role_text(argument.role)));
  }
  const auto once = [&](bool given) {
    if (given) clause.fail(fmt::format("`{}` is given twice for `{}`", word.text(), argument.name));
  };
  if (word.text() == "rtol" || word.text() == "atol") {
    std::optional<search::Expression>& tolerance = word.text() == "rtol" ? argument.rtol : argument.atol;
    once(tolerance.has_value());
    tolerance = expression(operand, fmt::format("the tolerance of `{}`", argument.name));
    check_tolerance(*tolerance, operand);
  } else if (word.text() == "at") {
    once(argument.may_differ.has_value());
    if (!operand.text().starts_with("most")) clause.fail("how many elements may differ is said as in `at most 10`");
    const Span most = operand.sub(4).trimmed();
    argument.may_differ = expression(most, fmt::format("how many elements of `{}` may differ", argument.name));
  } else if (word.text() == "align") {
    once(argument.alignment.has_value());
    const search::Value value = read_value(operand);
    const bool valid = value.is_integer() && value.as_integer() >= 1 && value.as_integer() <= 4096 &&
                       (value.as_integer() & (value.as_integer() - 1)) == 0;
    if (!valid) operand.fail(fmt::format("an alignment is a power of two from 1 to 4096, not `{}`", operand.text()));
    argument.alignment = value.as_integer();
  } else if (word.text() == "pad") {
    once(argument.padding.has_value());
    const search::Value value = read_value(operand);
    const bool valid = value.is_integer() && value.as_integer() >= 1 && value.as_integer() <= kMostPadding;
    if (!valid) operand.fail(fmt::format("a padding is 1 to {} bytes, not `{}`", kMostPadding, operand.text()));
    argument.padding = value.as_integer();
  } else if (word.text() == "partial") {
    once(argument.is_partial);
    if (!operand.empty()) operand.fail("`partial` takes no value");
    argument.is_partial = true;
  } else if (word.text() == "trivial") {
    once(argument.is_trivial);
    if (!operand.empty()) operand.fail("`trivial` takes no value");
    argument.is_trivial = true;
  } else if (word.text() == "unordered") {
    once(argument.is_unordered);
    argument.is_unordered = true;
    argument.counted_by = read_counting_output(operand);
  } else if (word.text() == "expect") {
    once(argument.expected.has_value());
    argument.expected = read_expected(operand);
  } else if (word.text() == "value") {
    once(argument.value.has_value());
    argument.value = expression(operand, fmt::format("the value of the scalar `{}`", argument.name));
  } else {
    add_generator(clause, argument);
  }
}

/// `by count`, or nothing
std::string DescriptionParser::read_counting_output(const Span& operand) {
  if (operand.empty()) return {};
  const std::string_view text = operand.text();
  if (!text.starts_with("by ")) operand.fail("which output says how many there are is said as in `unordered by count`");
  const Span name = operand.sub(3).trimmed();
  check_identifier(name, "an output");
  counting_outputs_.push_back(name);
  return name.string();
}

/// What counts the elements of an output is another output, and an integer.
void DescriptionParser::check_counting_outputs() const {
  for (std::size_t i = 0; i < description_.arguments.size(); ++i) {
    const Argument& argument = description_.arguments[i];
    if (argument.is_unordered && argument.is_partial)
      argument_names_[i].fail(
          fmt::format("`{}` cannot be `partial` and `unordered`: say which output counts what is written, as in "
                      "`unordered by count`",
                      argument.name));
  }
  for (const Span& name : counting_outputs_) {
    std::vector<std::string> candidates;
    const Argument* found = nullptr;
    for (const Argument& argument : description_.arguments) {
      if (!is_compared(argument.role) || argument.is_unordered) continue;
      candidates.push_back(argument.name);
      if (argument.name == name.text()) found = &argument;
    }
    if (found == nullptr)
      name.fail(fmt::format("`{}` is no output of this kernel that could count others{}", name.text(),
                            suggestion(name.text(), candidates)));
    if (found->rtol || found->atol || found->may_differ || found->is_partial)
      name.fail(
          fmt::format("`{}` says how many elements there are, so it must be exact: give it no rtol, atol, `at "
                      "most` or `partial`",
                      name.text()));
    const auto shape = shape_of_type(found->type);
    if (shape && (shape->lanes != 1 || is_real(shape->element) || shape->element == ElementType::boolean))
      name.fail(fmt::format("`{}` says how many elements there are, so its type is an integer, not {}", name.text(),
                            found->type));
  }
}

/// `file("y.npy")`
std::string DescriptionParser::read_expected(const Span& operand) const {
  const std::size_t open = operand.text().find('(');
  const bool is_file = operand.sub(0, open).trimmed().text() == "file" && operand.text().ends_with(')');
  if (!is_file) operand.fail("the expected output is in a file, as in expect file(\"y.npy\")");
  return read_file_name(operand.sub(open + 1, operand.size() - open - 2).trimmed());
}

std::string DescriptionParser::read_file_name(const Span& span) const {
  const std::string_view text = span.text();
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  if (!quoted) span.fail("the name of a file must be in quotes, as in file(\"values.npy\")");
  const auto name = search::unescape(text.substr(1, text.size() - 2), text.front());
  if (!name) span.fail("the name of this file has an invalid escape; write \\\\ for a backslash");
  if (name->empty()) span.fail("the name of the file is missing");
  if (name->find('\0') != std::string::npos) span.fail("a file name cannot contain a zero byte");
  return *name;
}

/// The name of an element type, or what the constant problem property of that name holds; empty where the user says it.
std::string DescriptionParser::element_type_name(const Span& type) const {
  std::string name = type.string();
  if (names_.is_problem(name)) {
    const auto property = std::find_if(description_.problem.begin(), description_.problem.end(),
                                       [&](const ProblemProperty& p) { return p.name == name; });
    if (property->kind != ProblemProperty::Kind::constant) {
      type.fail(fmt::format("`{}` cannot be a type: only a constant problem property can hold one", name));
    }
    if (!property->default_value) return {};
    if (!property->default_value->is_name()) {
      type.fail(fmt::format("`{}` cannot be a type: its default is {}", name, property->default_value->text()));
    }
    name = property->default_value->as_name();
  }
  if (shape_of_type(name)) return name;
  std::vector<std::string> candidates = type_names();
  for (const ProblemProperty& property : description_.problem) {
    if (property.kind == ProblemProperty::Kind::constant) candidates.push_back(property.name);
  }
  type.fail(fmt::format("`{}` is neither an element type nor a constant problem property{}", name,
                        suggestion(name, candidates,
                                   "; a structure by value is described with value(NAME, TYPE, E, ...), an expression "
                                   "for each member")));
}

void DescriptionParser::check_types() const {
  for (std::size_t i = 0; i < description_.arguments.size(); ++i) {
    const Argument& argument = description_.arguments[i];
    if (argument.role == Argument::Role::value) continue;  // the compiler knows it
    const Span& type = argument_types_[i];
    const std::string name = element_type_name(type);
    if (name.empty()) continue;
    const int lanes = shape_of_type(name)->lanes;
    if (argument.role == Argument::Role::scalar && lanes != 1) {
      type.fail(fmt::format("a scalar has a plain type, but `{}` has {} lanes: write value({}, {}{})", name, lanes,
                            argument.name, argument.type, fmt::join(std::vector<std::string>(lanes, ", E"), "")));
    }
    if (const std::string why = why_not_by_lane(argument, name, lanes); !why.empty()) type.fail(why);
  }
  if (!work_type_) return;
  const std::string name = element_type_name(*work_type_);
  if (!name.empty() && shape_of_type(name)->lanes != 1) {
    work_type_->fail(fmt::format("operations are counted one by one, so their type is a plain one, not `{}`", name));
  }
}

void DescriptionParser::check_scalars() const {
  std::vector<std::string> candidates;
  for (const ProblemProperty& property : description_.problem) candidates.push_back(property.name);
  for (std::size_t i = 0; i < description_.arguments.size(); ++i) {
    const Argument& argument = description_.arguments[i];
    if (argument.role != Argument::Role::scalar || argument.value || names_.is_problem(argument.name)) continue;
    argument_names_[i].fail(
        fmt::format("`{}` is not a problem property, so it needs a value, as in scalar({}, {}, value EXPRESSION){}",
                    argument.name, argument.name, argument.type, suggestion(argument.name, candidates)));
  }
}

}  // namespace tuner
