#pragma once

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

class Arguments;

/// `tuner export --header FILE.hpp`: the newest winners of the database as a C++ header.
ExitCode export_header(const Arguments& arguments);

}  // namespace tuner::cli
