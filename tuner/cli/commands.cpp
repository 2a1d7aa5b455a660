#include "tuner/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "search/expression/expression.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

// Each is defined in the NAME_command.cpp of its room.
Command tune_command();
Command check_command();
Command explain_command();
Command compare_command();
Command simulate_command();
Command list_command();
Command show_command();
Command sizes_command();
Command report_command();
Command forget_command();
Command wanted_command();
Command export_command();
Command import_command();
Command fleet_command();
Command pull_command();
Command pack_command();
Command prune_command();
Command recover_command();
Command describe_command();
Command new_command();
Command capture_command();
Command replay_command();
Command devices_command();
Command doctor_command();
Command help_command();

namespace {

// Help is the same everywhere: manuals quote it.
std::string help_lines(std::string_view label, std::string_view text) {
  return tuner::labelled(label, text, kReportWidth);
}

std::string option_lines(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string left = spelled(option.name) + (option.value_name.empty() ? "" : " " + option.value_name);
    if (option.name == "help") left = "-h, " + left;
    // A long left side stands on a line of its own, so that all explanations begin in one column.
    constexpr std::size_t kColumn = 24;
    if (left.size() + 4 > kColumn) {
      text += "  " + left + "\n";
      left.clear();
    }
    text += help_lines(fmt::format("  {:<{}}", left, kColumn - 2), option.help);
  }
  return text;
}

std::string exit_code_line(ExitCode code) {
  for (const ExitCodeText& entry : exit_code_texts()) {
    if (entry.code == code) return help_lines(fmt::format("  {:>3}  ", static_cast<int>(code)), entry.text);
  }
  return {};
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      tune_command(),    check_command(),  compare_command(), explain_command(),  simulate_command(),
      list_command(),    show_command(),   sizes_command(),   report_command(),   forget_command(),
      wanted_command(),  export_command(), import_command(),  fleet_command(),    pull_command(),
      pack_command(),    prune_command(),  recover_command(), describe_command(), new_command(),
      capture_command(), replay_command(), devices_command(), doctor_command(),   help_command()};
  return all;
}

const Command& find_command(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  std::string hint;
  const std::string nearest = search::nearest_name(name, names);
  if (!nearest.empty()) {
    hint = fmt::format(" Did you mean `tuner {}`?", nearest);
  } else if (name.ends_with(".cu")) {
    hint = fmt::format(" To tune that file: `tuner tune {}`.", in_command(name));
  }
  throw Error(Errc::bad_usage,
              fmt::format("There is no command `{}`.{} The commands are: {}.", name, hint, fmt::join(names, ", ")));
}

std::string_view purpose_of_program() {
  return "tuner finds the compile-time constants that make a CUDA kernel fastest on this GPU for a given\n"
         "problem, checks that the results stay correct, and stores the winner.";
}

std::string overview() {
  std::string text(purpose_of_program());
  text +=
      "\n"
      "\n"
      "Usage: tuner COMMAND [options]\n"
      "\n"
      "Commands\n";
  for (const Command& command : commands()) text += help_lines(fmt::format("  {:<10}", command.name), command.summary);
  text += "\nOptions common to all commands, before or after the name\n" + option_lines(global_options());
  text +=
      "\n"
      "Start with\n"
      "  tuner doctor\n"
      "      is everything that tuning needs installed?\n"
      "  tuner tune kernel_sources/prefetch.cu --problem rows=528,row_length=65536\n"
      "      tune a kernel for one problem and store the winner\n"
      "  tuner help tune\n"
      "      all options with units and defaults\n"
      "  tuner help directives\n"
      "      what can stand in the `#pragma tuner` lines of a kernel file\n"
      "\n"
      "Exit codes\n";
  for (const ExitCodeText& entry : exit_code_texts()) text += exit_code_line(entry.code);
  text += "\nResults go to standard output, everything else to standard error. NO_COLOR is honoured.\n";
  return with_shipped_kernels(std::move(text));
}

std::vector<ExitCode> exit_codes_of(const Command& command) {
  std::vector<ExitCode> codes = command.exit_codes;
  codes.insert(codes.end(),
               {ExitCode::done, ExitCode::no_result, ExitCode::bad_input, ExitCode::internal, ExitCode::interrupted});
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

std::string help_text(const Command& command) {
  std::string text = help_lines("", command.purpose) + "\n" + help_lines("Usage: ", command.synopsis);
  if (!command.options.empty()) text += "\nOptions\n" + option_lines(command.options);
  text += "\nOptions common to all commands\n" + option_lines(global_options());
  text += "\nExamples\n";
  for (const Example& example : command.examples) {
    text += "  " + example.command + "\n" + help_lines("      ", example.what_it_does);
  }
  text += "\nExit codes\n";
  for (const ExitCode code : exit_codes_of(command)) text += exit_code_line(code);
  return with_shipped_kernels(std::move(text));
}

}  // namespace tuner::cli
