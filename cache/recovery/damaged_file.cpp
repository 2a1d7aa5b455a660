#include "cache/recovery/damaged_file.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "cache/file/fail.hpp"
#include "cache/file/open_folder.hpp"
#include "cache/sqlite/settled_image.hpp"
#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using Descriptor = UniqueHandle<int, close, -1>;

constexpr std::chrono::seconds kPatience{5};

[[noreturn]] void unreadable(const fs::path& file, int error) {
  if (error == ENOENT) fail(Errc::file_not_found, "There is no file {}.", file.string());
  fail(Errc::store_unavailable, "{} cannot be read: {}.", file.string(), std::strerror(error));
}

/// SQLite's own lock of readers, so that no commit is met half-way. Without it where the file system has no locks.
void wait_for_writers(int descriptor, const fs::path& file) {
  constexpr off_t kShared = 0x40000002;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kShared;
  lock.l_len = 510;
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (fcntl(descriptor, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
    if (std::chrono::steady_clock::now() >= give_up) {
      fail(Errc::store_unavailable,
           "Another process is writing {}, and has been for more than {}. Try again when it has finished.",
           file.string(), kPatience);
    }
    sqlite::wait_a_little(1);
  }
}

void require_readable(const fs::path& file, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    fail(Errc::store_unavailable, "{} is not a file, so there is no database in it to recover.", file.string());
  }
  if (status.st_size > kLargestInMemory) {
    fail(Errc::store_unavailable,
         "{} has {} bytes, but at most {} can be recovered at a time: recover its beginning (`head -c 1G FILE > "
         "part.db`).",
         file.string(), status.st_size, kLargestInMemory);
  }
}

Bytes read_all(int descriptor, std::size_t size, const fs::path& file) {
  Bytes bytes = read_beginning(descriptor, size);
  if (bytes.size() < size && errno != 0) unreadable(file, errno);
  return bytes;
}

void undo_what_was_not_finished(DamagedFile& damaged, const OpenFolder& folder, const std::string& name) {
  const std::string journal = (folder.path() / (name + "-journal")).string();
  if (!folder.look_at_content(name + "-journal")) return;
  const Bytes content = read_journal(folder, name);
  if (!content.empty() && !is_hot(content)) return;
  if (holds_pages(content) && !names_super_journal(content)) {
    roll_back(damaged.bytes, content);
    damaged.warnings.push_back(
        fmt::format("{} is next to the database: a process is writing it, or was stopped while writing. The database "
                    "was read in the state before, as the journal records it.",
                    journal));
    return;
  }
  damaged.warnings.push_back(
      fmt::format("{} is next to the database and was not used, because it is not a regular file of at most {} bytes "
                  "that contains only pages of this database: the recovered rows may include those of an unfinished "
                  "transaction, and others may be missing.",
                  journal, kLargestInMemory));
}

void warn_of_log(DamagedFile& damaged, const OpenFolder& folder, const std::string& name) {
  if (!folder.look_at_content(name + "-wal")) return;
  damaged.warnings.push_back(fmt::format(
      "{} is next to the database: another program is writing it, or was stopped. Its contents were ignored.",
      (folder.path() / (name + "-wal")).string()));
}

}  // namespace

DamagedFile read_damaged_file(const fs::path& file) try {
  // A journal is beside the file itself, whatever links lead to it.
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (error) unreadable(file, error.value());
  const OpenFolder folder = OpenFolder::of(path);
  const std::string name = path.filename();
  const Descriptor descriptor(
      openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!descriptor || fstat(descriptor.get(), &status) != 0) unreadable(file, errno);
  require_readable(file, status);
  wait_for_writers(descriptor.get(), file);
  DamagedFile damaged{read_all(descriptor.get(), static_cast<std::size_t>(status.st_size), file), {}};
  undo_what_was_not_finished(damaged, folder, name);
  warn_of_log(damaged, folder, name);
  return damaged;
} catch (const std::system_error& error) {
  unreadable(file, error.code().value());
}

}  // namespace tuner::cache
