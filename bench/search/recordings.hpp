#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace tuner::bench {

/// The recordings (.csv, .csv.gz) in the folder that TUNER_SPACES_DIR names, by name.
inline std::vector<std::string> recordings() {
  const char* const folder = std::getenv("TUNER_SPACES_DIR");
  if (folder == nullptr || *folder == '\0') {
    throw std::runtime_error("TUNER_SPACES_DIR is not set; it names a folder of recordings (.csv, .csv.gz)");
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".csv") || name.ends_with(".csv.gz")) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw std::runtime_error(std::string(folder) + " holds no recordings");
  return files;
}

}  // namespace tuner::bench
