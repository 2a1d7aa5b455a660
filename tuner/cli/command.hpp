#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/exit_code.hpp"

namespace tuner::cli {

class Arguments;

/// One option of a command, as its help shows it.
struct Option {
  enum class Kind { flag, value, repeatable };
  std::string name;  ///< without the dashes; "I" for -I
  Kind kind = Kind::flag;
  /// "N", "FILE", "200|60s"; empty for flags. Words in small letters, as in "quick|full", are values; what the others
  /// can be completed to is in completion.cpp.
  std::string value_name;
  std::string help;  ///< with unit and default
};

struct Example {
  std::string command;
  std::string what_it_does;
};

/// A command of the program: what its help teaches and what it does.
struct Command {
  std::string name;
  std::string synopsis;  ///< "tuner tune [FILE] [options]"
  std::string summary;   ///< half a line for the overview
  std::string purpose;   ///< two lines
  std::vector<Option> options;
  std::size_t most_operands = 0;  ///< words that are no options
  /// What each of them is, in the words of Option::value_name; the last stands for those behind it too. For completion.
  std::vector<std::string> operands;
  std::vector<Example> examples;
  std::vector<ExitCode> exit_codes;  ///< beside 0, 1, 2, 70 and 130
  ExitCode (*run)(const Arguments&) = nullptr;
  /// Whether an option has a meaning for what the first operand says; null: all have.
  bool (*takes)(std::string_view operand, std::string_view option) = nullptr;
};

/// Options that every command takes and that may stand before its name.
std::span<const Option> global_options();

/// Every command, in the order of the overview.
const std::vector<Command>& commands();
/// Throws Error{bad_usage} naming the nearest command.
const Command& find_command(std::string_view name);

/// Examples name the kernels of a clone; an installed program has them where it was installed.
std::string with_shipped_kernels(std::string text);

/// What the program is for, in two lines.
std::string_view purpose_of_program();
/// What `tuner --help` prints.
std::string overview();
/// What `tuner help NAME` prints.
std::string help_text(const Command& command);
/// The exit codes that a command's help and manual page list, in order.
std::vector<ExitCode> exit_codes_of(const Command& command);

// One file each.
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
Command devices_command();
Command doctor_command();
Command help_command();

}  // namespace tuner::cli
