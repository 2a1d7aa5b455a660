#pragma once

#include <filesystem>

namespace tuner::fleet {

/// A folder of mode 0700 below TMPDIR, removed with everything in it in the end.
class PrivateFolder {
 public:
  /// Throws Error{store_unavailable}.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tuner::fleet
