#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/engine/compile/nvcc_lane.hpp"

namespace tuner::cli {

/// `--build`, `--source` and `--compiler`, for a command that compiles. `prefix` begins their help.
Option build_option(const std::string& prefix = {});
Option source_option();
Option compiler_option();

/// How the program's build compiles the source of the kernel file `file`; nothing where no build was given. Reads the
/// record. Throws Error{bad_usage} where that does not say it, belongs to somebody else, or the options contradict each
/// other, and as read_build_file() does.
std::optional<engine::RecordedSource> recorded_source(const Arguments& arguments, const std::filesystem::path& file);

}  // namespace tuner::cli
