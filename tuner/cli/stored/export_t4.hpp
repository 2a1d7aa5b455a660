#pragma once

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

class Arguments;

/// `tuner export --t4 FILE.json`: the trials behind one winner, in the format that other tuners read.
ExitCode export_t4(const Arguments& arguments);

}  // namespace tuner::cli
