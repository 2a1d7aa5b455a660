#pragma once

#include <filesystem>
#include <vector>

namespace tuner {

/// Where CUPTI may be, in the order in which it is looked for: $TUNER_CUPTI alone if it is set; else by its name, which
/// the loader knows; else where toolkits have it. Whether the files exist is for the caller to find out.
std::vector<std::filesystem::path> cupti_files();

}  // namespace tuner
