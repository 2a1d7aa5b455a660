// Preloaded with the fork server: counts what a command line changes on disks, and ends it right before one change.
// Between two changes it is the same whether a process is ended earlier or later.
#include "tests/attack/interruption.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tuner::attack {
namespace {

Interruption interruption;
int changes = 0;

void note_change_of_name() {
  if (interruption.change != 0 && ++changes == interruption.change) raise(interruption.signal);
}

/// What is printed changes no file.
void note_change_of(int descriptor) {
  if (!interruption.of_names && descriptor > STDERR_FILENO) note_change_of_name();
}

template <class Function>
Function* real(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void interrupt_at(const char* text) {
  int of_names = 0, no_exchange = 0;
  changes = 0;
  interruption = {};
  std::sscanf(text, "%d %d %d %d", &interruption.change, &interruption.signal, &of_names, &no_exchange);
  interruption.of_names = of_names != 0;
  interruption.no_exchange = no_exchange != 0;
}

void print_changes() {
  if (interruption.change < 0) dprintf(STDERR_FILENO, "%s%d", kChanges, changes);
}

}  // namespace tuner::attack

using tuner::attack::interruption;
using tuner::attack::note_change_of;
using tuner::attack::note_change_of_name;
using tuner::attack::real;

#define TUNER_SEEN extern "C" __attribute__((visibility("default")))

TUNER_SEEN int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (interruption.no_exchange && (flags & RENAME_EXCHANGE) != 0) {
    errno = EINVAL;
    return -1;
  }
  note_change_of_name();
  static const auto next = real("renameat2", &renameat2);
  return next(from_folder, from, to_folder, to, flags);
}

TUNER_SEEN int rename(const char* from, const char* to) {
  note_change_of_name();
  static const auto next = real("rename", &rename);
  return next(from, to);
}

TUNER_SEEN int unlink(const char* path) {
  note_change_of_name();
  static const auto next = real("unlink", &unlink);
  return next(path);
}

TUNER_SEEN int remove(const char* path) {
  note_change_of_name();
  static const auto next = real("remove", static_cast<int (*)(const char*)>(&remove));
  return next(path);
}

TUNER_SEEN int mkdir(const char* path, mode_t mode) {
  note_change_of_name();
  static const auto next = real("mkdir", &mkdir);
  return next(path, mode);
}

TUNER_SEEN ssize_t write(int descriptor, const void* bytes, size_t count) {
  note_change_of(descriptor);
  static const auto next = real("write", &write);
  return next(descriptor, bytes, count);
}

TUNER_SEEN ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  note_change_of(descriptor);
  static const auto next = real("pwrite64", &pwrite64);
  return next(descriptor, bytes, count, offset);
}

TUNER_SEEN int fsync(int descriptor) {
  note_change_of(descriptor);
  static const auto next = real("fsync", &fsync);
  return next(descriptor);
}

TUNER_SEEN int fdatasync(int descriptor) {
  note_change_of(descriptor);
  static const auto next = real("fdatasync", &fdatasync);
  return next(descriptor);
}

TUNER_SEEN int ftruncate64(int descriptor, off64_t length) {
  note_change_of(descriptor);
  static const auto next = real("ftruncate64", &ftruncate64);
  return next(descriptor, length);
}
