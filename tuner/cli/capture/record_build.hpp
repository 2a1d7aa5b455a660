#pragma once

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

class Arguments;

/// `tuner capture --build`: runs a build and writes down which compilers it started.
ExitCode record_build(const Arguments& arguments);

}  // namespace tuner::cli
