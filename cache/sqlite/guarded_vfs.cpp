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

/// SQLite waits for ever where it opens a pipe. Looked at before it does, since how it opens is its own affair: who may
/// exchange a file of the folder in between may take the database's locks for ever as well.
bool is_no_file(const char* name) {
  struct stat status {};
  return lstat(name, &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

GuardedVfs::GuardedVfs(std::string database, Allow allow)
    : database_(std::move(database)),
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
  registered_ = sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK;
}

GuardedVfs::~GuardedVfs() {
  hide();
}

void GuardedVfs::hide() noexcept {
  if (registered_) sqlite3_vfs_unregister(&vfs_);
  registered_ = false;
}

bool GuardedVfs::is_own(const char* name) const {
  std::string_view rest = name;
  if (!rest.starts_with(database_)) return false;
  rest.remove_prefix(database_.size());
  return rest.empty() || rest == "-journal" || rest == "-wal";
}

int GuardedVfs::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  GuardedVfs& guard = self(vfs);
  file->pMethods = nullptr;  // nothing to close where it is refused
  // Without a name it is a temporary file of SQLite's own.
  if (name != nullptr) {
    if (!guard.is_own(name)) return SQLITE_AUTH;
    if (is_no_file(name)) return SQLITE_CANTOPEN;
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
  if (guard.allow_ == Allow::read || !guard.is_own(name) || name == guard.database_) return SQLITE_AUTH;
  return guard.system_->xDelete(guard.system_, name, sync_folder);
}

int GuardedVfs::access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  GuardedVfs& guard = self(vfs);
  if (!guard.is_own(name)) return SQLITE_AUTH;
  if (guard.allow_ == Allow::read && std::string_view(name).ends_with("-wal")) {
    *result = 0;
    return SQLITE_OK;
  }
  if (is_no_file(name)) return SQLITE_CANTOPEN;
  return guard.system_->xAccess(guard.system_, name, flags, result);
}

/// The system's would look links up and give the name that the folder has at this moment.
int GuardedVfs::full_path(sqlite3_vfs* vfs, const char* name, int size, char* path) {
  GuardedVfs& guard = self(vfs);
  if (name != guard.database_ || guard.database_.size() >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(path, name, guard.database_.size() + 1);
  return SQLITE_OK;
}

}  // namespace tuner::cache::sqlite
