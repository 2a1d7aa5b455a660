#pragma once

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

/// `tuner new SOURCE.cu --capture FOLDER --output FILE`
ExitCode new_from_capture(const Arguments& arguments);

}  // namespace tuner::cli
