// The lists of the manual against those of the program: a name that one has and the other has not is a mistake in one
// of them. Tables and columns of databases, and directives, have such tests of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/cli/completion.hpp"
#include "tuner/cli/manual_page.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/core/description/directive_words.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path kTop = TUNER_SOURCE_DIR;

std::string document(const std::string& name) {
  return read_bytes(kTop / "docs" / name);
}

/// What the first group of `pattern` matches in `text`, everywhere.
Names found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

/// Those of `names` that are not among `others`, for messages.
std::string missing(const Names& names, const Names& others) {
  std::string text;
  for (const std::string& name : names) text += others.contains(name) ? "" : name + " ";
  return text;
}

/// From a heading to the next one of its level.
std::string section(const std::string& page, const std::string& heading) {
  const std::string text = "\n" + page;
  const std::size_t begin = text.find("\n" + heading + "\n");
  REQUIRE_MESSAGE(begin != std::string::npos, heading);
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

/// What stands between backquotes, and indented as an example, one below the other.
std::string code_in(const std::string& text) {
  static const std::regex code("`([^`]*)`|\n    ([^\n]*)");
  std::string all;
  for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at) all += (*at).str() + "\n";
  return all;
}

/// The sources of these folders, one behind the other.
std::string sources(const std::vector<std::string>& folders, const Names& without = {}) {
  std::string text;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kTop / folder)) {
      const std::string ending = entry.path().extension();
      if ((ending != ".cpp" && ending != ".hpp") || without.contains(entry.path().filename())) continue;
      text += read_bytes(entry.path());
    }
  }
  return text;
}

/// The words that stand as literals in code, `"like_this"`. Of megabytes, for which a regular expression takes long.
Names literals_in(const std::string& code) {
  Names words;
  for (std::size_t begin = code.find('"'); begin != std::string::npos;) {
    const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::size_t end = begin + 1;
    while (end < code.size() && is_of_word(code[end])) ++end;
    if (end < code.size() && code[end] == '"' && end > begin + 1) words.insert(code.substr(begin + 1, end - begin - 1));
    begin = code.find('"', begin + 1);
  }
  return words;
}

Names words_of_candidates(const std::vector<std::string>& words) {
  Names names;
  for (const cli::Completion& candidate : cli::complete(words).candidates) names.insert(candidate.word);
  return names;
}

std::vector<cli::Option> options_of(const cli::Command& command) {
  std::vector<cli::Option> options = command.options;
  options.insert(options.end(), cli::global_options().begin(), cli::global_options().end());
  return options;
}

std::string escaped(std::string name) {
  for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2)) name.insert(at, "\\");
  return name;
}

}  // namespace

TEST_CASE("every command is in the help, in tuner(1), among the completions and in the manual, and no other") {
  const std::string manual = document("cli.md");
  const Names completed = words_of_candidates({""});
  Names names;
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(command.name);
    names.insert(command.name);
    CHECK(contains(cli::overview(), "\n  " + command.name + " "));
    CHECK(contains(cli::manual_page(), ".TP\n\\fB" + command.name + "\\fR\n"));
    CHECK(contains(cli::manual_page(), ".BR tuner\\-" + command.name + " (1)"));
    CHECK(contains(manual, "\n| `" + command.name));
    CHECK((command.most_operands == 0) == command.operands.empty());
  }
  CHECK(completed == names);
  CHECK(missing(found(section(manual, "# The `tuner` program"), "\n\\| `([a-z]+)"), names) == "");
}

// The page of the site is made of the manual's text.
TEST_CASE("every option of every command is in its help, its manual page, its completions and its part of the manual") {
  const std::string manual = document("cli.md");
  const std::string common = section(manual, "## Options common to all commands");
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(command.name);
    const std::string help = cli::help_text(command);
    const std::string page = cli::manual_page(command);
    const std::string own = section(manual, "## " + command.name);
    Names completed = words_of_candidates({command.name, "-"});
    for (const cli::Option& option : options_of(command)) {
      const std::string name = cli::spelled(option.name);
      CAPTURE(name);
      const bool is_listed = contains(help, "\n  " + name + " ") || contains(help, "\n  " + name + "\n");
      CHECK((is_listed || contains(help, ", " + name + " ")));
      CHECK(contains(page, "\\fB" + escaped(name) + "\\fR"));
      CHECK((contains(own, "`" + name) || contains(common, "`" + name)));
      CHECK(completed.erase(name) == 1);
    }
    CHECK(missing(completed, {}) == "");
  }
}

TEST_CASE("the manual shows no command and no option that the program has not") {
  for (const fs::directory_entry& entry : fs::directory_iterator(kTop / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string code = code_in(read_bytes(entry.path()));
    static const std::regex call("(?:`|\n    )tuner ([a-z]+)([^`\n|]*)");
    for (std::sregex_iterator at(code.begin(), code.end(), call), end; at != end; ++at) {
      INFO(entry.path().filename() << ": tuner " << (*at)[1].str() << (*at)[2].str());
      const auto& all = cli::commands();
      const auto command =
          std::find_if(all.begin(), all.end(), [&](const cli::Command& one) { return one.name == (*at)[1].str(); });
      const bool is_hidden = (*at)[1] == "complete";
      REQUIRE((is_hidden || command != all.end()));
      if (is_hidden) continue;
      Names known;
      for (const cli::Option& option : options_of(*command)) known.insert(cli::spelled(option.name));
      CHECK(missing(found((*at)[2].str(), " (--[a-z][a-z0-9-]*)"), known) == "");
    }
  }
}

TEST_CASE("the manual lists the exit codes") {
  Names codes;
  for (const cli::ExitCodeText& entry : cli::exit_code_texts()) {
    codes.insert(std::to_string(static_cast<int>(entry.code)));
    CHECK(contains(cli::manual_page(), "\\fB" + std::to_string(static_cast<int>(entry.code)) + "\\fR\n"));
  }
  CHECK(found(section(document("cli.md"), "## Exit codes"), "\n\\| ([0-9]+) \\|") == codes);
}

TEST_CASE("the manual and tuner(1) list the variables that the sources read") {
  Names listed;
  for (const cli::Variable& variable : cli::environment_variables()) listed.insert(std::string(variable.name));
  const Names literals = literals_in(sources({"tuner", "cache", "search"}, {"manual_page.cpp"}));
  CHECK(missing(listed, literals) == "");
  Names read;
  for (const std::string& word : literals) {
    const bool is_beginning = word.ends_with('_');  // of a macro's name
    if (word.starts_with("TUNER_") && !is_beginning) read.insert(word);
  }
  CHECK(read.size() > 5);
  CHECK(missing(read, listed) == "");
  Names in_manual;
  for (const char* name : {"cli.md", "library.md"}) {
    const std::string table = section(document(name), "## Environment");
    for (const std::string& row : found(table, "\n\\| ([^|]*) \\|")) in_manual.merge(found(row, "`([A-Z_]+)`"));
  }
  CHECK(missing(listed, in_manual) == "");
  CHECK(missing(in_manual, listed) == "");
}

TEST_CASE("the manual lists the keys of JSON that the sources write, and no others") {
  const std::string manual = document("json.md");
  std::string writers = sources({"tuner/core/report"}) + read_bytes(kTop / "tuner/core/sizes/sizes_json.cpp") +
                        read_bytes(kTop / "tuner/core/task/doubts_json.hpp");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kTop / "tuner/cli")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_bytes(entry.path());
    if (entry.path().extension() == ".cpp" && (contains(text, "Json") || contains(text, "json::"))) writers += text;
  }
  // A pair that is no column of a table, no option, and no list of texts; or an element that is assigned.
  Names written = found(writers, "\\{\"([a-z][a-z0-9_]*)\",(?!\\s*(?:Kind|Option|Align|Table|\"))");
  written.merge(found(writers, "\\[\"([a-z][a-z0-9_]*)\"\\] ="));
  CHECK(written.size() > 200);
  CHECK(missing(written, found(code_in(manual), "([A-Za-z0-9_]+)")) == "");

  Names listed = found(manual, "`([a-z][a-z0-9_]*)`");
  for (const std::string& group : found(manual, "`\\{([a-z0-9_,\\s]*)\\}`")) {
    listed.merge(found(group, "([a-z][a-z0-9_]*)"));
  }
  listed.erase("null");
  CHECK(listed.size() > 300);
  CHECK(missing(listed, literals_in(sources({"tuner", "cache", "search"}))) == "");
}

TEST_CASE("the manual lists no directive that is not read") {
  Names words;
  for (const DirectiveWord& entry : directive_words()) words.insert(std::string(entry.word));
  for (const std::string& cell : found(section(document("directives.md"), "## Directives"), "\n\\| ([^|]*) \\|")) {
    CHECK(missing(found(cell, "`([a-z_]+)\\("), words) == "");
  }
}

TEST_CASE("the manual shows no view that the databases have not") {
  const Names shown = found(document("database.md"), "(v_[a-z_]+)");
  CHECK(shown.size() > 2);
  CHECK(missing(shown, found(sources({"cache"}), "CREATE VIEW (v_[a-z_]+)")) == "");
}
