#include "tuner/core/base/cupti_files.hpp"

#include <system_error>

#include "tuner/core/base/toolkit_folders.hpp"
#include "tuner/ground/file_variable.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCuptiNames[] = {"libcupti.so.13", "libcupti.so.12"};

void add_cupti_names(const fs::path& folder, std::vector<fs::path>& files) {
  for (const char* name : kCuptiNames) files.push_back(folder / name);
}

void add_cupti_of_toolkit(const fs::path& root, std::vector<fs::path>& files) {
  for (const fs::path& folder :
       {fs::path("extras/CUPTI/lib64"), fs::path("lib64"), fs::path("targets") / kToolkitTarget / "lib"})
    add_cupti_names(root / folder, files);
}

}  // namespace

std::vector<fs::path> cupti_files() {
  std::vector<fs::path> files;
  std::error_code error;
  if (const char* const chosen = file_variable("TUNER_CUPTI")) {
    if (fs::is_directory(chosen, error)) {
      add_cupti_names(chosen, files);
    } else {
      files.emplace_back(chosen);
    }
    return files;
  }
  add_cupti_names({}, files);
  for (const fs::path& root : chosen_toolkits()) add_cupti_of_toolkit(root, files);
  add_cupti_of_toolkit(fs::path(TUNER_BUILD_CUDA_INCLUDE_DIR).parent_path(), files);
  for (const fs::path& root : installed_toolkits()) add_cupti_of_toolkit(root, files);
  return files;
}

}  // namespace tuner
