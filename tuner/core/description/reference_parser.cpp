// The reference directive: which kernel says what is right, and how that one is launched.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/description_parser.hpp"
#include "tuner/core/description/directive_words.hpp"

namespace tuner {
namespace {

/// The `word(arguments)` that stand one after the other in `list`.
std::vector<Directive> clauses_of(const Span& list) {
  const std::vector<std::string> known = words_of(reference_clauses());
  std::vector<Directive> clauses;
  for (Span rest = list.trimmed(); !rest.empty();) {
    const std::size_t open = rest.text().find('(');
    const Span word = rest.sub(0, open).trimmed();
    const std::size_t close = open == std::string_view::npos ? open : rest.find(')', open + 1);
    if (std::find(known.begin(), known.end(), word.text()) == known.end()) {
      word.fail(
          fmt::format("`{}` is not a clause of reference; valid clauses are grid, block, shared, args and define{}",
                      word.text(), suggestion(word.text(), known)));
    }
    if (close == std::string_view::npos) word.fail(fmt::format("{} needs arguments in parentheses", word.text()));
    const Span arguments = rest.sub(open + 1, close - open - 1).trimmed();
    if (arguments.empty()) word.fail(fmt::format("{} needs arguments in parentheses", word.text()));
    clauses.push_back({word, arguments});
    rest = rest.sub(close + 1).trimmed();
  }
  return clauses;
}

}  // namespace

void DescriptionParser::read_reference(const Directive& directive) {
  const Span& text = *directive.arguments;
  const std::size_t semicolon = text.find(';');
  const Span name = function_name(text.sub(0, semicolon).trimmed());
  ReferenceDescription& reference = description_.reference;
  reference.kernel = name.string();
  reference.place = name.place();
  if (semicolon == std::string_view::npos) return;
  const std::vector<Directive> clauses = clauses_of(text.sub(semicolon + 1));
  if (clauses.empty()) text.fail("after the `;` come grid(...), block(...), shared(...), args(...) or define(...)");
  // They may stand in any order, but for a constant that uses another one.
  for (const Directive& clause : clauses) {
    if (clause.word.text() == "define") read_reference_constant(clause);
  }
  std::set<std::string_view> given;
  for (const Directive& clause : clauses) {
    const std::string_view word = clause.word.text();
    if (word == "define") continue;
    if (!given.insert(word).second) clause.word.fail(fmt::format("{} is given twice for the reference", word));
    if (word == "grid") read_extents(clause, reference.grid, reference_constants_);
    if (word == "block") read_extents(clause, reference.block, reference_constants_);
    if (word == "shared") reference.shared_bytes = expression(*clause.arguments, {}, reference_constants_);
    if (word == "args") read_reference_arguments(clause);
  }
}

/// What replaces a macro of the kernel needs no declaration; anything else is a name for the reference alone.
void DescriptionParser::read_reference_constant(const Directive& clause) {
  const Span& text = *clause.arguments;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) text.fail("define needs NAME = EXPRESSION, as in define(BLOCK = 256)");
  const Span name = text.sub(0, equals).trimmed();
  const Span value = text.sub(equals + 1).trimmed();
  check_identifier(name, "a constant of the reference");
  if (!is_declarable(name.text())) {
    name.fail(fmt::format("`{}` already has a meaning and cannot be a constant of the reference", name.text()));
  }
  if (reference_constants_.contains(name.string())) {
    name.fail(fmt::format("`{}` is given twice for the reference", name.text()));
  }
  description_.reference.constants.push_back(
      {name.string(), expression(value, {}, reference_constants_), true, name.place()});
  reference_constants_.insert(name.string());
}

void DescriptionParser::read_reference_arguments(const Directive& clause) {
  std::vector<std::string>& names = description_.reference.arguments.emplace();
  for (const Span& name : clause.arguments->split(',')) {
    if (std::find(names.begin(), names.end(), name.text()) != names.end()) {
      name.fail(fmt::format("`{}` is given twice for the reference", name.text()));
    }
    names.push_back(name.string());
    reference_argument_spans_.push_back(name);
  }
}

/// Once all arguments are known.
void DescriptionParser::check_reference() const {
  const ReferenceDescription& reference = description_.reference;
  if (!reference.arguments) return;
  std::vector<std::string> known;
  for (const Argument& argument : description_.arguments) {
    if (is_parameter(argument.role)) known.push_back(argument.name);
  }
  for (std::size_t i = 0; i < reference_argument_spans_.size(); ++i) {
    const Span& span = reference_argument_spans_[i];
    if (std::find(known.begin(), known.end(), span.text()) != known.end()) continue;
    span.fail(
        fmt::format("the reference takes `{}`, which is not an argument of the kernel{}; use a macro for anything else "
                    "that it needs, as in define(COUNT = n)",
                    span.text(), suggestion(span.text(), known)));
  }
  for (const Argument& argument : description_.arguments) {
    const bool is_written =
        argument.role == Argument::Role::inout || (argument.role == Argument::Role::out && !argument.is_partial);
    const auto& taken = *reference.arguments;
    if (!is_written || std::find(taken.begin(), taken.end(), argument.name) != taken.end()) continue;
    reference_argument_spans_.front().fail(
        fmt::format("the reference does not take `{}`, which the kernel writes, so there would be nothing to compare "
                    "it with; add it to args",
                    argument.name));
  }
}

}  // namespace tuner
