#pragma once

#include <filesystem>
#include <vector>

namespace tuner {

/// What is for machines like this one in a toolkit's folder `targets`, headers in its `include` and libraries in its
/// `lib`: NVIDIA calls Arm servers after the Server Base System Architecture.
#if defined(__aarch64__)
inline constexpr const char* kToolkitTarget = "sbsa-linux";
#else
inline constexpr const char* kToolkitTarget = "x86_64-linux";
#endif

/// CUDA toolkits that the user names: $CUDA_HOME, then $CUDA_PATH.
std::vector<std::filesystem::path> chosen_toolkits();

/// CUDA toolkits where installers put them: /usr/local/cuda first, then the versioned ones, newest first. Whether
/// they exist is for the caller to find out.
std::vector<std::filesystem::path> installed_toolkits();

}  // namespace tuner
