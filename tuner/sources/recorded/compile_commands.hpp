#pragma once

#include <filesystem>

#include "tuner/sources/recorded/recorded_build.hpp"

namespace tuner::sources {

/// The CUDA compiles that a compile_commands.json lists, as CMake, Ninja, Bear and others write it. Response files that
/// are still there are read. The file says nothing of the environment, so none is in the commands; a program without a
/// folder is looked for on this process's PATH. Throws Error{bad_usage}, which says what is wrong where,
/// Error{file_not_found}.
RecordedBuild read_compile_commands(const std::filesystem::path& file);

}  // namespace tuner::sources
