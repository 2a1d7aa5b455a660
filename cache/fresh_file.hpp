#pragma once

#include <sys/types.h>

#include <filesystem>

#include "cache/unfinished_file.hpp"

namespace tuner::cache {

/// A file that appears under its name only when it is complete. Until then it is beside it under a name of its own,
/// which is removed if `publish` is never reached, and by `remove_unfinished_files`.
class FreshFile {
 public:
  /// Throws Error{bad_usage} if `target` is there and may not be replaced, or may be in use; store_unavailable if its
  /// folder cannot be reached.
  FreshFile(const std::filesystem::path& target, bool overwrite);
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  /// Where to write it.
  const std::filesystem::path& path() const { return part_; }
  /// Gives it its name and these permissions, by default those of a file that everybody may read. No connection may be
  /// open on it. Throws like the constructor.
  void publish(mode_t mode = 0644);

 private:
  std::filesystem::path target_;
  std::filesystem::path part_;
  UnfinishedFile unfinished_, unfinished_journal_;
  bool overwrite_;
};

}  // namespace tuner::cache
