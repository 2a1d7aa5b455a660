#pragma once

#include <filesystem>
#include <string_view>

namespace tuner {

/// A folder of mode 0700, removed with everything in it in the end.
class PrivateFolder {
 public:
  /// Below TMPDIR. `purpose` becomes part of its name, and `of` of the sentence: "a job". Throws
  /// Error{store_unavailable}.
  PrivateFolder(std::string_view purpose, std::string_view of);
  /// The same below `parent`.
  PrivateFolder(std::string_view purpose, std::string_view of, const std::filesystem::path& parent);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tuner
