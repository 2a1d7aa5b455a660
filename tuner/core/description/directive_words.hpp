#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// A word of directives with an example and half a line that explains it: what the parser accepts and `tuner help
/// directives` lists. docs/directives.md says the rest.
struct DirectiveWord {
  std::string_view word;
  std::string_view example;
  std::string_view meaning;
};

/// The directives. Their examples, one below the other, are a description that is accepted.
std::span<const DirectiveWord> directive_words();
/// The clauses behind the length of a buffer or the type of a scalar, but for generators.
std::span<const DirectiveWord> argument_clauses();
/// The generators, which are clauses too.
std::span<const DirectiveWord> generator_words();
/// The clauses of `param` and `option`, which stand behind semicolons.
std::span<const DirectiveWord> parameter_clauses();
/// The clauses of `reference`, which stand behind its semicolon.
std::span<const DirectiveWord> reference_clauses();
/// The kinds of properties of a problem.
std::span<const DirectiveWord> problem_kinds();

/// The words alone, for looking one up and for suggestions.
std::vector<std::string> words_of(std::span<const DirectiveWord> entries);

/// What `tuner help directives` prints: all of the above, lines of at most kReportWidth columns.
std::string directive_reference();

}  // namespace tuner
