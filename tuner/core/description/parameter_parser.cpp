// The directives that describe what is tuned: param, option; and options, which are passed always.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/compiler_options.hpp"
#include "tuner/core/description/description_parser.hpp"
#include "tuner/core/description/directive_words.hpp"
#include "tuner/core/description/parameter_values.hpp"

namespace tuner {
namespace {

std::string listed(const std::vector<search::Value>& values) {
  constexpr std::size_t kMostListed = 20;
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < kMostListed; ++i)
    text += (i > 0 ? ", " : "") + search::shortened(values[i].text());
  return values.size() > kMostListed ? text + ", ..." : text;
}

/// In double quotes, and with a dash in front unless it is the value of the option before it.
search::Value read_option_text(const Span& item, bool may_be_empty, bool is_value = false) {
  const auto refuse = [&] {
    item.fail(fmt::format("`{}` is not a compiler option; write it in double quotes, as in \"--fmad=false\"{}",
                          item.text(), may_be_empty ? ", or \"\" for none" : ""));
  };
  if (!item.text().starts_with('"')) refuse();
  search::Value value = read_value(item);
  const std::string& option = value.as_name();
  if (!option.starts_with('-') && !(option.empty() && may_be_empty) && !is_value) refuse();
  return value;
}

void check_option(const Span& item, const std::string& option) {
  if (option.empty()) return;  // none, where that is allowed
  if (const std::optional<std::string> why = why_refused(option)) item.fail(*why);
}

/// With `text` every value is a string, and stands behind `#define NAME` as it is.
void check_texts(const Span& name, const std::vector<search::Value>& values) {
  for (const search::Value& value : values) {
    if (!value.is_name()) {
      name.fail(fmt::format("the value {} of `{}` is not a string; with `text` write \"{}\"",
                            search::shortened(value.text()), name.text(), search::shortened(value.text())));
    }
    const std::string& text = value.as_name();
    const bool one_line =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
    if (!one_line || text.ends_with('\\')) {
      name.fail(fmt::format("the value {} of `{}` cannot be part of a `#define`", search::shortened(value.text()),
                            name.text()));
    }
  }
}

/// Of a second clause that says how the value reaches the kernel.
std::string why_not_also(std::string_view name, std::string_view clause, ParameterForm form) {
  if (form == ParameterForm::option) {
    return fmt::format("`{}` is a compiler option, which has no clause `{}`", name, clause);
  }
  const std::string_view before = form == ParameterForm::text ? "text" : "argument";
  if (before == clause) return fmt::format("`{}` has the clause `{}` twice", name, clause);
  return fmt::format(
      "`{}` cannot have both `text` and `argument`: with `text` the value becomes a macro, with `argument` one of "
      "the kernel's template arguments; a macro may stand in kernel(NAME<{}>), too, so leave out `argument`",
      name, name);
}

}  // namespace

void DescriptionParser::read_parameter_clauses(const Span& name, const std::vector<Span>& clauses,
                                               ParameterDescription& parameter) {
  bool has_default = false;
  for (std::size_t i = 1; i < clauses.size(); ++i) {
    const std::string_view text = clauses[i].text();
    if (text == "argument" || text == "text") {
      const ParameterForm form = text == "text" ? ParameterForm::text : ParameterForm::argument;
      if (parameter.form != ParameterForm::macro) clauses[i].fail(why_not_also(name.text(), text, parameter.form));
      parameter.form = form;
    } else if (text.starts_with("default") &&
               (text.size() == 7 || text[7] == ' ' || text[7] == '\t' || text[7] == '"')) {
      if (has_default) clauses[i].fail(fmt::format("`{}` has two defaults", name.text()));
      has_default = true;
      const Span value = clauses[i].sub(7).trimmed();
      const search::Value wanted = read_value(value);
      const auto& values = parameter.parameter.values;
      const auto found = std::find(values.begin(), values.end(), wanted);
      if (found == values.end()) {
        value.fail(fmt::format("the default {} of `{}` is not among its values {}", search::shortened(wanted.text()),
                               name.text(), listed(values)));
      }
      parameter.parameter.default_value = *found;
    } else {
      const std::string_view word = text.substr(0, text.find_first_of(" \t"));
      clauses[i].fail(fmt::format("`{}` is not a clause of a parameter (`default VALUE`, `argument` or `text`){}", text,
                                  suggestion(word, words_of(parameter_clauses()))));
    }
  }
  if (!has_default) parameter.parameter.default_value = parameter.parameter.values.front();
}

void DescriptionParser::read_parameter(const Directive& directive) {
  const std::vector<Span> clauses = directive.arguments->split(';');
  std::vector<Span> items = clauses[0].split(',');
  if (items.empty()) clauses[0].fail("the name of the parameter is missing here");
  const Span name = items[0];
  names_.declare(name, NameTable::Kind::parameter);
  items.erase(items.begin());
  if (items.empty()) {
    name.fail(
        fmt::format("the parameter `{}` needs at least one value, as in param({}, 1, 2, 4)", name.text(), name.text()));
  }
  ParameterDescription parameter;
  parameter.place = name.place();
  parameter.parameter.name = name.string();
  parameter.parameter.values = read_values(items);
  read_parameter_clauses(name, clauses, parameter);

  const auto& values = parameter.parameter.values;
  const auto names = std::count_if(values.begin(), values.end(), [](const auto& value) { return value.is_name(); });
  if (names > 0 && static_cast<std::size_t>(names) < values.size()) {
    name.fail(
        fmt::format("the values of `{}` are partly names and partly numbers; use only one kind, because a name becomes "
                    "its position in the list",
                    name.text()));
  }
  if (parameter.form == ParameterForm::text) {
    check_texts(name, values);
  } else if (names > 0 && !are_types(values)) {
    for (const search::Value& value : values) {
      const std::string& text = value.as_name();
      if (!is_identifier(text)) {
        name.fail(fmt::format(
            "the value \"{}\" of `{}` cannot be part of a macro name; add `; text` if the kernel is to get it "
            "word for word, or use option(...) for compiler options",
            search::shortened(text), name.text()));
      }
      names_.declare_named_value(name, parameter.parameter.name, text);
    }
  }
  description_.parameters.push_back(std::move(parameter));
}

void DescriptionParser::read_option(const Directive& directive) {
  const std::vector<Span> clauses = directive.arguments->split(';');
  std::vector<Span> items = clauses[0].split(',');
  if (items.empty()) clauses[0].fail("the name of the option is missing here");
  const Span name = items[0];
  names_.declare(name, NameTable::Kind::parameter);
  items.erase(items.begin());
  if (items.empty()) {
    name.fail(fmt::format("the option `{}` needs values, as in option({}, \"--fmad=true\", \"--fmad=false\")",
                          name.text(), name.text()));
  }
  ParameterDescription parameter;
  parameter.form = ParameterForm::option;
  parameter.place = name.place();
  parameter.parameter.name = name.string();
  for (const Span& item : items) check_option(item, read_option_text(item, true).as_name());
  parameter.parameter.values = read_values(items);
  read_parameter_clauses(name, clauses, parameter);
  description_.parameters.push_back(std::move(parameter));
}

void DescriptionParser::read_options(const Directive& directive) {
  std::string waiting;  // for its value
  for (const Span& item : directive.arguments->split(',')) {
    std::string option = read_option_text(item, false, !waiting.empty()).as_name();
    if (!waiting.empty()) option = joined_option(std::exchange(waiting, {}), option);
    if (value_follows(option)) {
      waiting = std::move(option);
      continue;
    }
    check_option(item, option);
    description_.options.push_back(std::move(option));
  }
  if (!waiting.empty()) {
    directive.word.fail(fmt::format("the compiler option \"{}\" needs a value, as in \"-DNAME=1\"", waiting));
  }
}

}  // namespace tuner
