#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "cache/file/open_folder.hpp"

namespace tuner::cache::sqlite {

/// What one connection may touch: the database, its journal and its write-ahead log, by exactly the names that it was
/// opened with; everything else that a prepared file could make SQLite open, look for or delete (a super-journal, say)
/// is refused with SQLITE_AUTH, and what is no regular file (a pipe, a folder, a link) with SQLITE_CANTOPEN. For
/// reading, no file is created, written or deleted at all: a journal is only looked at, so that a half-written database
/// answers SQLITE_READONLY_ROLLBACK, and a write-ahead log is left alone.
///
/// SQLite's own way to files otherwise. It has to outlive the connection that is opened with `name()`; it is known to
/// SQLite under that name only until `hide`, and while it is shown again.
class GuardedVfs {
 public:
  enum class Allow { read, read_and_write };

  /// `name` in the folder, which SQLite knows as `database`.
  GuardedVfs(std::shared_ptr<const OpenFolder> folder, std::string name, std::string database, Allow allow);
  ~GuardedVfs();
  GuardedVfs(const GuardedVfs&) = delete;
  GuardedVfs& operator=(const GuardedVfs&) = delete;

  const char* name() const noexcept { return name_.c_str(); }
  /// After opening: no other connection of the process can come upon it, and nothing can be attached to this one.
  void hide() noexcept;
  /// Again as before `hide`, for what SQLite cannot do without: a file of its own beside the database's.
  void show() noexcept;

 private:
  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags);
  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder);
  static int access(sqlite3_vfs* vfs, const char* name, int flags, int* result);
  static int full_path(sqlite3_vfs* vfs, const char* name, int size, char* path);
  /// What SQLite knows under this name is called so in the folder; nothing if it is none of the connection's.
  std::optional<std::string> own(const char* name) const;
  /// Of what is called so in the folder.
  bool is_no_file(const std::string& name) const;

  std::shared_ptr<const OpenFolder> folder_;
  std::string file_, database_;
  Allow allow_;
  std::string name_;
  sqlite3_vfs* system_;
  sqlite3_vfs vfs_{};
  bool registered_ = false;
};

}  // namespace tuner::cache::sqlite
