#pragma once

#include <filesystem>

namespace tuner::cache {

/// A file that is of no use until it is complete. While this lives, `remove_unfinished_files` removes it, for programs
/// that are told to end at once. Several threads may have some; beyond sixteen at a time they are not noted.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& path) noexcept;
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  int place_ = -1;
};

/// Removes what is unfinished now. For signal handlers, right before the process ends.
void remove_unfinished_files() noexcept;

}  // namespace tuner::cache
