#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace tuner::host {

/// A folder for everything that is made for a check, in the one for temporary files ($TMPDIR, or /tmp). Only this user
/// may enter it. It is gone with this object.
class WorkFolder {
 public:
  /// Throws Error{bad_usage} where none can be made, or no program can be run from it.
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// For the temporary files of compilers, which leave them behind when they are killed.
  std::filesystem::path temporary() const { return path_ / "tmp"; }

 private:
  std::filesystem::path path_;
};

/// Throws Error{bad_usage} with a way out. `reason` is an errno, or 0.
[[noreturn]] void cannot_write(const std::filesystem::path& file, int reason);

/// Throws as cannot_write does. Makes the folders that it lies in.
void write_file(const std::filesystem::path& file, std::string_view text);

/// The first `most` bytes; empty if there is no such file.
std::string read_file(const std::filesystem::path& file, std::size_t most = std::size_t{1} << 20);

}  // namespace tuner::host
