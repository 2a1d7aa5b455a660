// Which macros a kernel's machine code may depend on.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/task/task_state.hpp"

namespace tuner {
namespace {

/// What the compiler reads of the user's: a macro has no effect where none of it names it.
std::vector<std::string_view> written_texts(const KernelDescription& description, const std::vector<Header>& headers) {
  std::vector<std::string_view> texts{description.blanked_source};
  for (const Header& header : headers) texts.emplace_back(header.text);
  texts.insert(texts.end(), description.options.begin(), description.options.end());
  for (const ParameterDescription& parameter : description.parameters) {
    if (parameter.form != ParameterForm::option && parameter.form != ParameterForm::text) continue;
    for (const search::Value& value : parameter.parameter.values) texts.emplace_back(value.as_name());
  }
  return texts;
}

/// What the expressions of the description name.
std::set<std::string> names_in_launch(const KernelDescription& description) {
  std::set<std::string> names;
  const auto add = [&](const search::Expression& expression) {
    names.insert(expression.names().begin(), expression.names().end());
  };
  for (const search::Expression& expression : description.grid) add(expression);
  for (const search::Expression& expression : description.block) add(expression);
  if (description.shared_bytes) add(*description.shared_bytes);
  for (const NamedExpression& named : description.names) add(named.expression);
  for (const Argument& argument : description.arguments) {
    if (argument.length) add(*argument.length);
    if (argument.value) add(*argument.value);
  }
  return names;
}

/// Whether a name can stand in what is not there to be read, or be put together.
bool may_hide_names(std::string_view source, const std::vector<Header>& headers) {
  if (source.find("##") != std::string_view::npos) return true;
  const CodeText code = read_code(source);
  return code.computes_includes || std::ranges::any_of(code.includes, [&](const CodeText::Include& include) {
           return !is_library_header(include.name) &&
                  std::ranges::none_of(headers, [&](const Header& header) { return header.name == include.name; });
         });
}

}  // namespace

std::vector<Macro> Task::compiled_macros(const search::Configuration& configuration) const {
  state_->looked_for_macros.run([this] {
    const KernelDescription& description = state_->description;
    const std::vector<std::string_view> texts = written_texts(description, state_->own_headers);
    const auto is_named = [&](std::string_view name) {
      return std::ranges::any_of(texts, [&](std::string_view text) { return has_word(text, name); });
    };
    std::set<std::string, std::less<>> unnamed;
    const std::set<std::string> in_launch = names_in_launch(description);
    for (const ParameterDescription& described : description.parameters) {
      // What shapes nothing here may be for a header of a library, whose text is not read.
      if (!in_launch.contains(described.parameter.name)) continue;
      // With the macros of its values, which that of the parameter names.
      std::vector<std::string> names{described.parameter.name};
      for (const search::Value& value : described.parameter.values) {
        if (value.is_name()) names.push_back(described.parameter.name + "_" + value.as_name());
      }
      if (std::ranges::none_of(names, is_named)) unnamed.insert(names.begin(), names.end());
    }
    if (unnamed.empty()) return;
    if (may_hide_names(description.blanked_source, state_->own_headers)) return;
    for (const Header& header : state_->own_headers) {
      if (may_hide_names(header.text, state_->own_headers)) return;
    }
    state_->unnamed_macros = std::move(unnamed);
  });
  std::vector<Macro> all = macros(configuration);
  std::erase_if(all, [&](const Macro& macro) { return state_->unnamed_macros.contains(macro.name); });
  return all;
}

}  // namespace tuner
