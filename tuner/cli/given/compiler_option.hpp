#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/engine/compile/nvcc_lane.hpp"
#include "tuner/sources/recorded/recorded_build.hpp"

namespace tuner::cli {

/// `--build`, `--source` and `--compiler`, for a command that compiles. `prefix` begins their help.
Option build_option(const std::string& prefix = {});
Option source_option();
Option compiler_option();

/// `--compiler`; automatic where it is not given. Throws Error{bad_usage}.
engine::CompilerChoice compiler_choice(const Arguments& arguments);

/// What `--build` names: a record, or a compile_commands.json. Throws Error{bad_usage} if it belongs to somebody else,
/// and as their readers do.
sources::RecordedBuild read_build(const std::filesystem::path& file);

/// How the program's build compiles the source of the kernel file `file`; nothing where no build was given. Reads the
/// record. Throws Error{bad_usage} where that does not say it, belongs to somebody else, or the options contradict each
/// other, and as read_build_file() does.
std::optional<engine::RecordedSource> recorded_source(const Arguments& arguments, const std::filesystem::path& file);

/// How long a configuration may compile if nothing else is said: nvcc reads the headers of the host, too.
std::chrono::milliseconds compile_timeout(const std::optional<engine::RecordedSource>& recorded);

/// Adds where the program's compiler looks for the source's headers: its own folder, then those that the command names.
void add_header_folders(const std::optional<engine::RecordedSource>& recorded,
                        std::vector<std::filesystem::path>& folders);

}  // namespace tuner::cli
