#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tuner/sources/recorded/recorded_build.hpp"

// What a build started, as JSON in a file: {"format": 1, "tuner": VERSION, "commands": [{"program", "folder",
// "arguments", "environment"}]}, in the order of the starts.

namespace tuner::sources {

inline constexpr const char* kBuildFile = "tuner-build.json";

/// What an earlier recording had, with what a later one saw: a command takes the place of the one that made the same of
/// the same sources, and stands behind those that stay: the last one that names a source is the newest. A command whose
/// folder, or all of whose sources, are gone is dropped: what CMake tried, for instance. Looks at files.
std::vector<CompilerCommand> merged(const std::vector<CompilerCommand>& earlier,
                                    const std::vector<CompilerCommand>& later);

/// Writes the file at once and whole, in place of what has that name, so that only its owner can write it. Commands
/// with words that are not UTF-8 are left out; returns how many. Throws Error{bad_usage} if it cannot be written.
std::size_t write_build_file(const std::filesystem::path& file, const std::vector<CompilerCommand>& commands);

/// Whatever the file holds, that is commands of absolute paths and words without zeros, or Error{store_damaged,
/// store_newer, file_not_found}.
RecordedBuild read_build_file(const std::filesystem::path& file);

}  // namespace tuner::sources
