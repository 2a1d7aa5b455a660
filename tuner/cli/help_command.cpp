#include <cstdio>

#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"

namespace tuner::cli {

namespace {

ExitCode run_help(const Arguments& arguments) {
  const std::string text =
      arguments.operands().empty() ? overview() : help_text(find_command(arguments.operands().front()));
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .synopsis = "tuner help [COMMAND]",
      .summary = "explain a command",
      .purpose =
          "Explains a command: its purpose, options with units and defaults, examples and exit codes.\n"
          "Without a command, lists all of them.",
      .options = {},
      .most_operands = 1,
      .examples = {{"tuner help tune", "explain `tuner tune`"}, {"tuner tune --help", "the same"}},
      .exit_codes = {},
      .run = run_help,
  };
}

}  // namespace tuner::cli
