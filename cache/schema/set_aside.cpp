#include "cache/schema/set_aside.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using Descriptor = UniqueHandle<int, close, -1>;

const Format& format_of(const fs::path& file) {
  const sqlite::Connection connection(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE,
                                      kCommandPatience);
  const bool binaries = connection.integer("PRAGMA application_id") == binaries_format().application_id;
  return binaries ? binaries_format() : decisions_format();
}

/// Opened as for a session: what fails there, a step to a newer format included, is damage here.
bool in_order(const fs::path& file) {
  try {
    const Format& format = format_of(file);
    return !find_damage(*open_database(file, Access::read_write, kCommandPatience, Durability::precious, format),
                        format);
  } catch (const Error& error) {
    if (error.code() == Errc::store_damaged) return false;
    throw;
  }
}

}  // namespace

std::optional<fs::path> set_aside_damaged(const fs::path& path) {
  const fs::path file = resolved(path);
  // Of several processes that met the damage one renames, and the others find a fresh file or none. Where folders
  // cannot be locked (NFS) the worst is that a fresh file is renamed as well; it is kept, too.
  const Descriptor folder(open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) flock(folder.get(), LOCK_EX);

  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(file)) || fs::file_size(file, ignored) == 0) return std::nullopt;
  if (in_order(file)) return std::nullopt;

  const fs::path aside =
      fmt::format("{}.corrupt-{:%Y%m%dT%H%M%SZ}-{}", file.string(), fmt::gmtime(std::time(nullptr)), getpid());
  // The journal goes first: a fresh database must never find the old one's journal beside it.
  for (const char* const suffix : {"-journal", "-wal", "-shm", ""}) {
    // Also on a disk that loses its power now: SQLite removes a journal that it finds beside an empty file.
    if (*suffix == '\0') sync_folder(file.parent_path());
    const fs::path from = file.string() + suffix;
    const fs::path to = aside.string() + suffix;
    if (rename(from.c_str(), to.c_str()) == 0 || (errno == ENOENT && *suffix != '\0')) continue;
    fail(Errc::store_unavailable,
         "The damaged database {} cannot be renamed to {}: {}. Make its folder writable, or choose another place with "
         "--db or TUNER_DB.",
         from.string(), to.string(), std::strerror(errno));
  }
  sync_folder(file.parent_path());
  return aside;
}

}  // namespace tuner::cache
