#include "cache/file/fresh_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

[[noreturn]] void is_there_already(const fs::path& target) {
  fail(Errc::bad_usage, "{} already exists and was not changed: choose another name, or add --force to replace it.",
       target.string());
}

/// A folder, a device, a pipe or a link (/dev/stdout is one) would be gone if a file took its name.
void require_replaceable(const fs::path& target, bool overwrite) {
  struct stat status {};
  if (lstat(target.c_str(), &status) != 0) return;
  if (S_ISLNK(status.st_mode))
    fail(Errc::bad_usage,
         "{} is a symbolic link and was not changed: name the file that it leads to, or choose another name.",
         target.string());
  if (!S_ISREG(status.st_mode))
    fail(Errc::bad_usage, "{} is not a file and was not changed: choose another name.", target.string());
  if (!overwrite) is_there_already(target);
}

void require_no_journal(const fs::path& target) {
  for (const char* const suffix : {"-journal", "-wal"}) {
    // A database that found the journal of the one before it would be damaged by it.
    const std::string journal = target.string() + suffix;
    if (!is_there(journal)) continue;
    fail(Errc::bad_usage,
         "{} is next to it, so a process is writing {}, or was stopped while writing it: choose another name.", journal,
         target.string());
  }
}

Errc error_of(FreshFile::Kind kind) {
  return kind == FreshFile::Kind::database ? Errc::store_unavailable : Errc::bad_usage;
}

fs::path resolved_target(const fs::path& target, FreshFile::Kind kind) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  const fs::path canonical = fs::canonical(folder, error);
  if (!error) return canonical / target.filename();
  fail(error_of(kind),
       "{} cannot be written, because its folder cannot be reached: {}. Check its folder, or name another one.",
       target.string(), error.message());
}

}  // namespace

FreshFile::FreshFile(const fs::path& target, bool overwrite, Kind kind)
    : target_(resolved_target(target, kind)), kind_(kind), overwrite_(overwrite) {
  require_replaceable(target_, overwrite_);
  if (kind_ == Kind::database) require_no_journal(target_);
  create();
}

void FreshFile::create() {
  std::random_device random;
  // What a process that was stopped left, or another one prepared, is not written to.
  for (int attempt = 0; attempt < 100 && !descriptor_; ++attempt) {
    part_ = fmt::format("{}.part-{}-{:08x}", target_.string(), getpid(), random());
    descriptor_.reset(
        open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kind_ == Kind::database ? 0600 : 0666));
    if (!descriptor_ && errno != EEXIST) cannot_write(errno);
  }
  if (!descriptor_) cannot_write(EEXIST);
  unfinished_.emplace(part_);
  if (kind_ == Kind::text) return;
  unfinished_journal_.emplace(part_.string() + "-journal");
  descriptor_.reset();
}

void FreshFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor_.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) cannot_write(errno);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

FreshFile::~FreshFile() {
  if (kept_) return;
  unlink(part_.c_str());
  if (kind_ == Kind::database) unlink((part_.string() + "-journal").c_str());
}

void FreshFile::publish(mode_t mode) {
  const char* const from = part_.c_str();
  require_replaceable(target_, overwrite_);
  // What is replaced may be private.
  struct stat replaced {};
  const bool replaces = kind_ == Kind::text && overwrite_ && lstat(target_.c_str(), &replaced) == 0;
  if (replaces && fchmod(descriptor_.get(), replaced.st_mode & 0777) != 0) cannot_write(errno);
  bool done = kind_ == Kind::text ? fsync(descriptor_.get()) == 0 || errno == EINVAL : chmod(from, mode) == 0;
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
  // What is said to be there is there after a power failure, too.
  if (!done || !sync_folder(target_.parent_path())) cannot_write(errno);
  keep();
}

void FreshFile::keep() {
  kept_ = true;
  unfinished_.reset();
  unfinished_journal_.reset();
}

void FreshFile::cannot_write(int error) const {
  fail(error_of(kind_), "{} cannot be written: {}. Check its folder, or name another one.", target_.string(),
       std::strerror(error));
}

}  // namespace tuner::cache
