#pragma once

#include <filesystem>

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

/// Prints the launches in a folder that `tuner capture` wrote, for people or as JSON. Throws Error as
/// capture::read_capture.
ExitCode show_capture(const std::filesystem::path& folder, bool as_json);

}  // namespace tuner::cli
