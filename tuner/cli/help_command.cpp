#include <cstdio>
#include <string>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/manual_page.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/core/description/directive_words.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

std::string topic_text(const std::string& topic) {
  if (topic.empty()) return overview();
  return topic == "directives" ? directive_reference() : help_text(find_command(topic));
}

std::string topic_page(const std::string& topic) {
  if (topic == "directives") {
    throw Error(Errc::bad_usage, "The directives have no manual page: `tuner help directives` lists them.");
  }
  return topic.empty() ? manual_page() : manual_page(find_command(topic));
}

ExitCode run_help(const Arguments& arguments) {
  const std::string topic = arguments.operands().empty() ? "" : arguments.operands().front();
  std::fputs((arguments.has("man") ? topic_page(topic) : topic_text(topic)).c_str(), stdout);
  return ExitCode::done;
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .synopsis = "tuner help [COMMAND | directives] [--man]",
      .summary = "explain a command, or list the directives",
      .purpose =
          "Explains a command: its purpose, options, examples and exit codes. Without a command, lists all of\n"
          "them. `tuner help directives` lists what can stand in `#pragma tuner` lines, with examples.",
      .options = {{"man", Option::Kind::flag, "",
                   "print the manual page of the command, or of `tuner`, for `man -l -`"}},
      .most_operands = 1,
      .operands = {"COMMAND|directives"},
      .examples = {{"tuner help tune", "explain `tuner tune`"},
                   {"tuner tune --help", "the same"},
                   {"tuner help directives", "how to describe a kernel"},
                   {"tuner help tune --man | man -l -", "the manual page, where none is installed"}},
      .exit_codes = {},
      .run = run_help,
  };
}

}  // namespace tuner::cli
