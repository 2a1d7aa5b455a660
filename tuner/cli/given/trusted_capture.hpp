#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/terminal/arguments.hpp"

namespace tuner::cli {

/// The files of a capture that are code, or say which of them is.
std::vector<std::filesystem::path> files_with_code(const std::filesystem::path& folder,
                                                   const capture::Capture& capture);

/// Refuses files of a capture's folder that others could have put there, unless `--trust` is given: a hash does not
/// keep them from that. `runs` begins the sentence: "Replaying runs the machine code of". Throws Error{bad_usage}.
void require_trust(const Arguments& arguments, std::string_view runs, const std::filesystem::path& folder,
                   const std::vector<std::filesystem::path>& files);

}  // namespace tuner::cli
