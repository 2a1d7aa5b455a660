#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "tuner/ground/unique_handle.hpp"

namespace tuner::cache {

/// One lock between processes: a byte of a file. Whoever holds it loses it when the process ends, however it ends;
/// programs that it starts do not inherit it. Any number of locks may share a file.
class FileLock {
 public:
  enum class Sharing {
    user,      ///< the file is this user's alone
    everybody  ///< any user of the machine may take the lock: for folders like /tmp
  };

  /// Opens the file, creates it if it is missing. Its folder must exist. `number` says which lock of the file, from 0.
  /// Throws Error{store_unavailable} if the file cannot be opened, is a symbolic link, has a second name or is no
  /// regular file: then nothing is written to it.
  FileLock(const std::filesystem::path& file, std::int64_t number, Sharing sharing);

  /// Takes the lock if nobody has it. `holder` is a line for those who meet it: who this is. Throws
  /// Error{store_unavailable} where the file system has no locks.
  bool try_take(std::string_view holder);
  void release() noexcept;
  bool taken() const { return taken_; }

  /// What the process that has the lock said of itself, as far as it is known.
  std::optional<std::string> holder() const;

 private:
  bool excludes_others() const;
  bool is_free_to_write() const;

  using Descriptor = UniqueHandle<int, close, -1>;

  std::filesystem::path path_;
  std::int64_t number_;
  Descriptor descriptor_;
  bool taken_ = false;
};

/// "process 1234 on node7, since 2026-01-31 12:00 UTC"
std::string this_process();

}  // namespace tuner::cache
