// Preloaded into a program, notes down in the file $TUNER_DISK_LOG what it does to the files below $TUNER_DISK_FOLDER.
// Nothing is really synced: the recording is what counts.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/power/recording.hpp"

namespace {

using tuner::power::Record;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::recursive_mutex& order() {
  static std::recursive_mutex mutex;
  return mutex;
}

bool is_watched(std::string_view path) {
  static const char* const folder = std::getenv("TUNER_DISK_FOLDER");
  return folder != nullptr && path.starts_with(folder) &&
         (path.size() == std::strlen(folder) || path[std::strlen(folder)] == '/');
}

void note(Record record, std::string_view name = {}, std::string_view data = {}) {
  static const int log =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, std::getenv("TUNER_DISK_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC));
  const int error = errno;
  record.name_size = name.size();
  record.data_size = data.size();
  const auto part = [](const void* bytes, std::size_t size) { return iovec{const_cast<void*>(bytes), size}; };
  const iovec parts[] = {part(&record, sizeof record), part(name.data(), name.size()), part(data.data(), data.size())};
  const auto size = static_cast<long>(sizeof record + name.size() + data.size());
  if (syscall(SYS_writev, log, parts, 3) != size) std::abort();
  errno = error;
}

std::string link_target(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t size = readlink(link.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

/// The number of a file that is open and watched; 0 for others.
std::uint64_t watched(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return 0;
  return is_watched(link_target("/proc/self/fd/" + std::to_string(descriptor))) ? status.st_ino : 0;
}

/// A name in a folder.
struct Place {
  std::uint64_t folder = 0;  ///< 0: not watched
  std::string name;
  bool there = false;
  std::uint64_t object = 0;
};

Place find(int folder, const char* path) {
  Place place;
  std::string text = path;
  if (text.front() != '/')
    text = link_target(folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder)) + "/" + text;
  const std::size_t slash = text.rfind('/');
  char parent[PATH_MAX];
  struct stat status {};
  if (realpath(text.substr(0, slash + 1).c_str(), parent) == nullptr || !is_watched(parent)) return place;
  if (stat(parent, &status) != 0) return place;
  place.folder = status.st_ino;
  place.name = text.substr(slash + 1);
  place.there = lstat(text.c_str(), &status) == 0;
  place.object = place.there ? status.st_ino : 0;
  return place;
}

int open_noted(int folder, const char* path, int flags, mode_t mode) {
  const std::lock_guard lock(order());
  const int error = errno;
  const Place before = (flags & (O_CREAT | O_TRUNC)) != 0 ? find(folder, path) : Place{};
  errno = error;
  const int descriptor = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  if (descriptor < 0 || before.folder == 0) return descriptor;
  if (!before.there)
    note({.kind = Record::create_file, .folder = before.folder, .object = find(folder, path).object}, before.name);
  if (before.there && (flags & O_TRUNC) != 0) note({.kind = Record::truncate, .object = before.object});
  errno = error;
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

/// Calls what makes a name, and notes it down if it worked.
template <class Call>
int create_noted(Record::Kind kind, int folder, const char* path, const Call& call) {
  const std::lock_guard lock(order());
  const int result = call();
  if (result != 0) return result;
  const Place place = find(folder, path);
  if (place.folder != 0) note({.kind = kind, .folder = place.folder, .object = place.object}, place.name);
  return result;
}

/// `at` < 0: where the descriptor is.
ssize_t write_noted(int descriptor, const void* bytes, std::size_t size, off_t at) {
  const std::lock_guard lock(order());
  const ssize_t written =
      at < 0 ? syscall(SYS_write, descriptor, bytes, size) : syscall(SYS_pwrite64, descriptor, bytes, size, at);
  if (written <= 0) return written;
  const std::string_view data(static_cast<const char*>(bytes), static_cast<std::size_t>(written));
  if (descriptor == STDOUT_FILENO) {
    note({.kind = Record::mark}, {}, data);
  } else if (const std::uint64_t object = watched(descriptor); object != 0) {
    const off_t begin = at < 0 ? lseek(descriptor, 0, SEEK_CUR) - written : at;
    note({.kind = Record::write, .object = object, .offset = static_cast<std::uint64_t>(begin)}, {}, data);
  }
  return written;
}

int sync_noted(int descriptor) {
  const std::lock_guard lock(order());
  if (const std::uint64_t object = watched(descriptor); object != 0) note({.kind = Record::sync, .object = object});
  return 0;
}

int truncate_noted(int descriptor, off_t length) {
  const std::lock_guard lock(order());
  const int result = static_cast<int>(syscall(SYS_ftruncate, descriptor, length));
  const std::uint64_t object = result == 0 ? watched(descriptor) : 0;
  if (object != 0) note({.kind = Record::truncate, .object = object, .offset = static_cast<std::uint64_t>(length)});
  return result;
}

}  // namespace

#define OPEN(name)                                        \
  extern "C" int name(const char* path, int flags, ...) { \
    va_list arguments;                                    \
    va_start(arguments, flags);                           \
    const mode_t mode = mode_of(flags, arguments);        \
    va_end(arguments);                                    \
    return open_noted(AT_FDCWD, path, flags, mode);       \
  }

#define OPENAT(name)                                                  \
  extern "C" int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                                \
    va_start(arguments, flags);                                       \
    const mode_t mode = mode_of(flags, arguments);                    \
    va_end(arguments);                                                \
    return open_noted(folder, path, flags, mode);                     \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

extern "C" {

int mknodat(int folder, const char* path, mode_t mode, dev_t device) {
  return create_noted(Record::create_file, folder, path,
                      [&] { return real<decltype(&mknodat)>("mknodat")(folder, path, mode, device); });
}
int mkdirat(int folder, const char* path, mode_t mode) {
  return create_noted(Record::create_folder, folder, path,
                      [&] { return real<decltype(&mkdirat)>("mkdirat")(folder, path, mode); });
}
int unlinkat(int folder, const char* path, int flags) {
  const std::lock_guard lock(order());
  const Place place = find(folder, path);
  const int result = real<decltype(&unlinkat)>("unlinkat")(folder, path, flags);
  if (result == 0 && place.folder != 0) note({.kind = Record::unlink, .folder = place.folder}, place.name);
  return result;
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const std::lock_guard lock(order());
  const Place before = find(from_folder, from);
  const int result = real<decltype(&renameat2)>("renameat2")(from_folder, from, to_folder, to, flags);
  if (result != 0 || before.folder == 0) return result;
  const Place after = find(to_folder, to);
  note({.kind = Record::rename, .folder = before.folder, .object = after.folder}, before.name, after.name);
  return result;
}
// The same in the present folder.
int mknod(const char* path, mode_t mode, dev_t device) {
  return mknodat(AT_FDCWD, path, mode, device);
}
int mkdir(const char* path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}
int unlink(const char* path) {
  return unlinkat(AT_FDCWD, path, 0);
}
int rename(const char* from, const char* to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return renameat2(from_folder, from, to_folder, to, 0);
}
ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  return write_noted(descriptor, bytes, size, -1);
}
ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  return write_noted(descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off64_t offset) {
  return write_noted(descriptor, bytes, size, offset);
}
int ftruncate(int descriptor, off_t length) noexcept {
  return truncate_noted(descriptor, length);
}
int ftruncate64(int descriptor, off64_t length) noexcept {
  return truncate_noted(descriptor, length);
}
int fsync(int descriptor) {
  return sync_noted(descriptor);
}
int fdatasync(int descriptor) {
  return sync_noted(descriptor);
}

}  // extern "C"
