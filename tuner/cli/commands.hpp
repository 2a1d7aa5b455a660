#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/terminal/command.hpp"

namespace tuner::cli {

/// Every command, in the order of the overview.
const std::vector<Command>& commands();
/// Throws Error{bad_usage} naming the nearest command.
const Command& find_command(std::string_view name);

/// What the program is for, in two lines.
std::string_view purpose_of_program();
/// What `tuner --help` prints.
std::string overview();
/// What `tuner help NAME` prints.
std::string help_text(const Command& command);
/// The exit codes that a command's help and manual page list, in order.
std::vector<ExitCode> exit_codes_of(const Command& command);

}  // namespace tuner::cli
