#include "cache/sqlite/guarded_vfs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>
#include <string_view>

namespace tuner::cache::sqlite {
namespace {

GuardedVfs& self(sqlite3_vfs* vfs) {
  return *static_cast<GuardedVfs*>(vfs->pAppData);
}

}  // namespace

GuardedVfs::GuardedVfs(std::shared_ptr<const OpenFolder> folder, std::string name, std::string database, Allow allow)
    : folder_(std::move(folder)),
      file_(std::move(name)),
      database_(std::move(database)),
      allow_(allow),
      name_(fmt::format("tuner-{}", static_cast<const void*>(this))),
      // Not the default: a program may have put one of its own in that place.
      system_(sqlite3_vfs_find("unix")) {
  if (system_ == nullptr) return;
  // Randomness, sleep and time are the system's; its functions do not look at the object that they are called with.
  vfs_ = *system_;
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  vfs_.xAccess = access;
  vfs_.xFullPathname = full_path;
  show();
}

GuardedVfs::~GuardedVfs() {
  hide();
}

void GuardedVfs::show() noexcept {
  registered_ = sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK;
}

void GuardedVfs::hide() noexcept {
  if (registered_) sqlite3_vfs_unregister(&vfs_);
  registered_ = false;
}

std::optional<std::string> GuardedVfs::own(const char* name) const {
  std::string_view rest = name;
  if (!rest.starts_with(database_)) return std::nullopt;
  rest.remove_prefix(database_.size());
  if (!rest.empty() && rest != "-journal" && rest != "-wal") return std::nullopt;
  return file_ + std::string(rest);
}

/// SQLite waits for ever where it opens a pipe. Looked at before it does, since how it opens is its own affair: who may
/// exchange a file of the folder in between may take the database's locks for ever as well.
bool GuardedVfs::is_no_file(const std::string& name) const {
  const auto status = folder_->look_at(name);
  return status && !S_ISREG(status->st_mode);
}

int GuardedVfs::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  GuardedVfs& guard = self(vfs);
  file->pMethods = nullptr;  // nothing to close where it is refused
  // Without a name it is a temporary file of SQLite's own.
  if (name != nullptr) {
    const auto own = guard.own(name);
    if (!own) return SQLITE_AUTH;
    if (guard.is_no_file(*own)) return SQLITE_CANTOPEN;
    if (guard.allow_ == Allow::read) {
      if ((flags & SQLITE_OPEN_WAL) != 0) return SQLITE_CANTOPEN;
      flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE);
      flags |= SQLITE_OPEN_READONLY;
    }
  }
  return guard.system_->xOpen(guard.system_, name, file, flags, out_flags);
}

int GuardedVfs::remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  GuardedVfs& guard = self(vfs);
  if (guard.allow_ == Allow::read || !guard.own(name) || name == guard.database_) return SQLITE_AUTH;
  return guard.system_->xDelete(guard.system_, name, sync_folder);
}

int GuardedVfs::access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  GuardedVfs& guard = self(vfs);
  const auto own = guard.own(name);
  if (!own) return SQLITE_AUTH;
  *result = 0;
  if (guard.allow_ == Allow::read && own->ends_with("-wal")) return SQLITE_OK;
  if (flags != SQLITE_ACCESS_EXISTS) {
    return guard.is_no_file(*own) ? SQLITE_CANTOPEN : guard.system_->xAccess(guard.system_, name, flags, result);
  }
  // As the system's: an empty file counts as none. In one call, for a start asks this six times.
  const auto status = guard.folder_->look_at_content(*own);
  if (status && !S_ISREG(status->st_mode)) return SQLITE_CANTOPEN;
  *result = status ? 1 : 0;
  return SQLITE_OK;
}

/// The system's would look links up and give the name that the folder has at this moment.
int GuardedVfs::full_path(sqlite3_vfs* vfs, const char* name, int size, char* path) {
  GuardedVfs& guard = self(vfs);
  if (name != guard.database_ || guard.database_.size() >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(path, name, guard.database_.size() + 1);
  return SQLITE_OK;
}

}  // namespace tuner::cache::sqlite
