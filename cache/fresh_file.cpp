#include "cache/fresh_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cache/database_file.hpp"
#include "cache/folder_sync.hpp"
#include "tuner/error.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

[[noreturn]] void is_there_already(const fs::path& target) {
  throw Error(Errc::bad_usage,
              fmt::format("{} is there already and was left as it is: choose another name, or add --force to replace "
                          "it.",
                          target.string()));
}

}  // namespace

FreshFile::FreshFile(const fs::path& target, bool overwrite)
    : target_(resolved(target)),
      part_(fmt::format("{}.part-{}", target_.string(), getpid())),
      unfinished_(part_),
      unfinished_journal_(part_.string() + "-journal"),
      overwrite_(overwrite) {
  if (is_there(target_) && !overwrite_) is_there_already(target_);
  for (const char* const suffix : {"-journal", "-wal"}) {
    // A database that found the journal of the one before it would be damaged by it.
    const std::string journal = target_.string() + suffix;
    if (!is_there(journal)) continue;
    throw Error(Errc::bad_usage,
                fmt::format("{} is beside it, so {} is being written, or was by a process that was stopped: choose "
                            "another name.",
                            journal, target_.string()));
  }
}

FreshFile::~FreshFile() {
  for (const char* const suffix : {"", "-journal"}) unlink((part_.string() + suffix).c_str());
}

void FreshFile::publish(mode_t mode) {
  const char* const from = part_.c_str();
  bool done = chmod(from, mode) == 0;
  if (done && overwrite_) {
    done = rename(from, target_.c_str()) == 0;
  } else if (done) {
    done = renameat2(AT_FDCWD, from, AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0;
    if (!done && errno == EEXIST) is_there_already(target_);
    // A file system that cannot do this in one step.
    if (!done && (errno == EINVAL || errno == ENOSYS)) {
      if (is_there(target_)) is_there_already(target_);
      done = rename(from, target_.c_str()) == 0;
    }
  }
  // Whoever is told that it is there finds it there, whatever happens.
  if (done && sync_folder(target_.parent_path())) return;
  throw Error(Errc::store_unavailable,
              fmt::format("{} cannot be written: {}.", target_.string(), std::strerror(errno)));
}

}  // namespace tuner::cache
