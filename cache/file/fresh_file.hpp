#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "cache/file/unfinished_file.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner::cache {

/// A file that appears under its name only when it is complete. Until then it is beside it under a name of its own that
/// nobody could have prepared, which is removed if `publish` is never reached, and by `remove_unfinished_files`. What a
/// process left there that was killed, the next one removes.
class FreshFile {
 public:
  enum class Kind {
    database,  ///< not beside the journal of another one
    text,      ///< permissions of what it replaces, else as the umask has them
  };
  /// Creates the file under its first name. Throws Error{bad_usage} if `target` is there and may not be replaced, is a
  /// link or no file, or may be in use; if its folder cannot be reached or written, store_unavailable for a database
  /// and bad_usage for a text.
  FreshFile(const std::filesystem::path& target, bool overwrite, Kind kind = Kind::database);
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  /// Where to write it.
  const std::filesystem::path& path() const { return part_; }
  /// The open file, until it has its name. SQLite opens that of a database itself, and loses its locks when this one is
  /// closed: no connection may be open then.
  int descriptor() const { return descriptor_.get(); }
  /// Appends to a text. Throws like the constructor.
  void append(std::string_view text);
  /// Gives it its name, once the disk has it; a database with these permissions, by default those of a file that
  /// everybody may read. No connection may be open on it. Throws like the constructor.
  void publish(mode_t mode = 0644);
  /// Leaves it to the user, at `path`, where no other process removes it.
  void leave() noexcept;

 private:
  void keep() noexcept;
  void create();
  void create_part();
  void remove_abandoned_parts() const;
  [[noreturn]] void cannot_write(int error) const;

  std::filesystem::path target_;
  Kind kind_;
  bool overwrite_;
  bool kept_ = false;
  std::filesystem::path part_;
  UniqueHandle<int, close, -1> descriptor_;
  std::optional<UnfinishedFile> unfinished_, unfinished_journal_;
};

}  // namespace tuner::cache
