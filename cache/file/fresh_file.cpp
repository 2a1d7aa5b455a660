#include "cache/file/fresh_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

constexpr std::string_view kPart = ".part-";

/// Of the name of a part, what follows kPart: the number of a process and eight hexadecimal digits.
bool ends_as_a_part(std::string_view text) {
  const auto digits = [&](const char* which) {
    const std::size_t count = std::min(text.find_first_not_of(which), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (digits("0123456789") == 0 || !text.starts_with('-')) return false;
  text.remove_prefix(1);
  return digits("0123456789abcdef") == 8 && text.empty();
}

std::string journal_of(const fs::path& part) {
  return part.string() + "-journal";
}

/// A process that lives holds the lock of its part, far behind the bytes that SQLite locks. False if another one has
/// it, and where there are no locks.
bool lock_part(int descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t{1} << 40;
  lock.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

using Descriptor = UniqueHandle<int, close, -1>;

/// A part of this user's that nobody else writes.
Descriptor locked_part(const fs::path& part) {
  struct stat status {};
  if (lstat(part.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) return {};
  Descriptor opened(open(part.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (opened && !lock_part(opened.get())) opened.reset();
  return opened;
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
  // What a process that was stopped left, or another one prepared, is not written to.
  for (int attempt = 0; attempt < 100 && !descriptor_; ++attempt) create_part();
  if (!descriptor_) cannot_write(EEXIST);
  unfinished_.emplace(part_);
  if (kind_ == Kind::database) unfinished_journal_.emplace(journal_of(part_));
  remove_abandoned_parts();
}

void FreshFile::create_part() {
  std::random_device random;
  part_ = fmt::format("{}{}{}-{:08x}", target_.string(), kPart, getpid(), random());
  const mode_t mode = kind_ == Kind::database ? 0600 : 0666;
  descriptor_.reset(open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!descriptor_) {
    if (errno != EEXIST) cannot_write(errno);
    return;
  }
  lock_part(descriptor_.get());
  // Another process may have removed it before it was locked.
  if (!is_there(part_)) descriptor_.reset();
}

void FreshFile::remove_abandoned_parts() const {
  if (locked_part(part_)) return;  // locks have no effect here
  const std::string beginning = target_.filename().string() + std::string(kPart);
  std::error_code error;
  for (fs::directory_iterator at(target_.parent_path(), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (!name.starts_with(beginning) || !ends_as_a_part(name.substr(beginning.size()))) continue;
    const Descriptor lock = locked_part(at->path());
    if (!lock) continue;
    unlink(journal_of(at->path()).c_str());
    unlink(at->path().c_str());
  }
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
  if (kind_ == Kind::database) unlink(journal_of(part_).c_str());
  unlink(part_.c_str());
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

void FreshFile::leave() noexcept {
  const std::string left = part_.string() + ".left";
  if (rename(part_.c_str(), left.c_str()) == 0) part_ = left;
  keep();
}

void FreshFile::keep() noexcept {
  kept_ = true;
  descriptor_.reset();
  unfinished_.reset();
  unfinished_journal_.reset();
}

void FreshFile::cannot_write(int error) const {
  fail(error_of(kind_), "{} cannot be written: {}. Check its folder, or name another one.", target_.string(),
       std::strerror(error));
}

}  // namespace tuner::cache
