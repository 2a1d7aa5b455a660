#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/terminal/exit_code.hpp"

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

/// Examples name the kernels of a clone; an installed program has them where it was installed.
std::string with_shipped_kernels(std::string text);

}  // namespace tuner::cli
