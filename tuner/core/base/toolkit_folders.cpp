#include "tuner/core/base/toolkit_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "tuner/ground/file_variable.hpp"

namespace tuner {

namespace fs = std::filesystem;

std::vector<fs::path> chosen_toolkits() {
  std::vector<fs::path> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const root = file_variable(name)) roots.emplace_back(root);
  }
  return roots;
}

std::vector<fs::path> installed_toolkits() {
  std::vector<fs::path> versioned;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().starts_with("cuda-")) versioned.push_back(entry.path());
  }
  const auto number = [](const fs::path& folder) { return std::atof(folder.filename().string().c_str() + 5); };
  std::sort(versioned.begin(), versioned.end(),
            [&](const fs::path& a, const fs::path& b) { return number(a) > number(b); });
  versioned.insert(versioned.begin(), "/usr/local/cuda");
  return versioned;
}

}  // namespace tuner
