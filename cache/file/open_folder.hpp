#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/ground/unique_handle.hpp"

namespace tuner::cache {

/// A folder that is held by a descriptor, so that what is examined and what is opened in it later are in the same
/// folder, whatever becomes of its name meanwhile. It is reached from / step by step, and no name on the way is looked
/// up twice; symbolic links are followed by reading them.
class OpenFolder {
 public:
  /// A folder on the way from / to this one, as it was when it was opened.
  struct Level {
    std::filesystem::path path;
    struct stat status {};
  };

  /// The folder that `file` is in. Throws std::system_error.
  static OpenFolder of(const std::filesystem::path& file);

  /// From / to the folder itself, without the links.
  const std::vector<Level>& levels() const noexcept { return levels_; }
  /// Absolute, without links: for messages, and to ask whether the folder is still there.
  const std::filesystem::path& path() const noexcept { return levels_.back().path; }
  int descriptor() const noexcept { return descriptor_.get(); }

  /// A path for C libraries that open by name: it leads to `name` in this folder as long as this object lives. Where
  /// /proc is missing it is the plain path (see is_bound).
  std::string path_of(const std::string& name) const;
  /// Whether path_of is bound to the descriptor.
  bool is_bound() const noexcept { return is_bound_; }

  /// What has this name in the folder, links not followed; nothing, and errno, if it cannot be said.
  std::optional<struct stat> look_at(const std::string& name) const;
  bool has(const std::string& name) const { return look_at(name).has_value(); }
  /// The same, but nothing for an empty file either.
  std::optional<struct stat> look_at_content(const std::string& name) const;
  /// Whether `path` still leads to this folder.
  bool is_at_its_path() const { return is_at(path()); }

 private:
  OpenFolder() = default;
  void walk(const std::filesystem::path& folder);
  bool is_at(const std::filesystem::path& path) const;

  UniqueHandle<int, close, -1> descriptor_;
  std::vector<Level> levels_;
  bool is_bound_ = false;
};

/// The first `size` bytes of an open file: fewer where it ends or, with errno set, where it cannot be read. Sets errno
/// to 0 otherwise.
std::vector<std::byte> read_beginning(int descriptor, std::size_t size);

}  // namespace tuner::cache
