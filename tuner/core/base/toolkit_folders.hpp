#pragma once

#include <filesystem>
#include <vector>

namespace tuner {

/// CUDA toolkits that the user names: $CUDA_HOME, then $CUDA_PATH.
std::vector<std::filesystem::path> chosen_toolkits();

/// CUDA toolkits where installers put them: /usr/local/cuda first, then the versioned ones, newest first. Whether
/// they exist is for the caller to find out.
std::vector<std::filesystem::path> installed_toolkits();

}  // namespace tuner
