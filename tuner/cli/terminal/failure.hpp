#pragma once

#include <string_view>

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

/// Says in one sentence what the exception tells that is being handled, behind `subject`; the exit code of its kind.
ExitCode say_failure(std::string_view subject = "");

}  // namespace tuner::cli
