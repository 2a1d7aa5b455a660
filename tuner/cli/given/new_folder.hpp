#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::cli {

/// A folder that is made if it is not there, with those above it, and taken back if nothing comes into it.
class NewFolder {
 public:
  /// Throws Error{store_unavailable}.
  explicit NewFolder(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::path at = folder; !at.empty() && !fs::exists(at, error); at = at.parent_path()) made_.push_back(at);
    if (!made_.empty() && !fs::create_directories(folder, error) && error) {
      remove();
      throw Error(Errc::store_unavailable,
                  fmt::format("The folder {} cannot be made: {}.", folder.string(), error.message()));
    }
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() { remove(); }
  void keep() { made_.clear(); }

 private:
  void remove() const noexcept {
    std::error_code ignored;  // of a folder that is not empty
    for (const std::filesystem::path& folder : made_) std::filesystem::remove(folder, ignored);
  }

  std::vector<std::filesystem::path> made_;  ///< the innermost first
};

}  // namespace tuner::cli
