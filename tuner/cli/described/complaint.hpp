#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::cli {

/// What `tuner describe` would say against the text; empty if it accepts it.
std::string complaint_about(const std::string& text, const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders);

}  // namespace tuner::cli
