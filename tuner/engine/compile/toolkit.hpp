#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::engine {

/// The CUDA toolkit that compiles: which library, which version, where its headers are.
struct Toolkit {
  std::filesystem::path library;
  int major = 0, minor = 0;
  std::string version;                                 ///< "13.0.88"; "13.0" until something was compiled
  std::vector<std::filesystem::path> include_folders;  ///< toolkit headers, then `cccl` below them; empty: none found
  std::vector<std::string> architectures;              ///< what it compiles for: "sm_75", …

  bool at_least(int wanted_major, int wanted_minor) const {
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
  }
};

/// Looked for as $TUNER_NVRTC (a file or a folder; nowhere else if it is set), by the loader, in $CUDA_HOME,
/// $CUDA_PATH, the toolkit this was built with, /usr/local/cuda and /usr/local/cuda-*, version 13 before 12. Throws
/// Error{no_toolkit} that says where it was looked for and what to do. Loading takes about 5 ms and 110 MB of address
/// space.
const Toolkit& toolkit();

/// Folders with toolkit headers that fit the library: $TUNER_CUDA_INCLUDE_DIR, beside the library, $CUDA_HOME,
/// $CUDA_PATH, the usual places; the first that holds cuda_fp16.h, and `cccl` below it if there is one.
std::vector<std::filesystem::path> find_include_folders(const std::filesystem::path& library);

}  // namespace tuner::engine
