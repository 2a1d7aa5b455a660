#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner::cli {

/// The fastest configurations of a recording, or of another tuner's results, as texts, the best first: at most a
/// hundred. Throws Error{file_not_found, bad_recording}: also where none ran.
std::vector<std::string> read_hints(const std::filesystem::path& file);

/// Throws Error{bad_usage} if `hints`, which come from `file`, has nothing that is a configuration of the task: it
/// names the parameters of both.
void require_hints(const std::vector<std::string>& hints, const std::filesystem::path& file, const Task& task);

}  // namespace tuner::cli
