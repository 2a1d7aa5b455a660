#include <cstdio>

#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/core/description/directive_words.hpp"

namespace tuner::cli {

namespace {

ExitCode run_help(const Arguments& arguments) {
  const std::string topic = arguments.operands().empty() ? "" : arguments.operands().front();
  const std::string text = topic.empty()           ? overview()
                           : topic == "directives" ? directive_reference()
                                                   : help_text(find_command(topic));
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .synopsis = "tuner help [COMMAND | directives]",
      .summary = "explain a command, or list the directives",
      .purpose =
          "Explains a command: its purpose, options, examples and exit codes. Without a command, lists all of\n"
          "them. `tuner help directives` lists what can stand in `#pragma tuner` lines, with examples.",
      .options = {},
      .most_operands = 1,
      .examples = {{"tuner help tune", "explain `tuner tune`"},
                   {"tuner tune --help", "the same"},
                   {"tuner help directives", "how to describe a kernel"}},
      .exit_codes = {},
      .run = run_help,
  };
}

}  // namespace tuner::cli
