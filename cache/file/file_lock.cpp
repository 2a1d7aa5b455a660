#include "cache/file/file_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "cache/file/fail.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

// What holders say of themselves stands at the beginning of the file in fields of a fixed size, one for all locks whose
// number has the same remainder: "<number, 16 hexadecimal digits> <who>", filled up with zeros. It stays when a holder
// dies, and another lock's holder may write over it: it informs, the lock decides. The bytes that are locked lie far
// behind.
constexpr std::int64_t kFields = 1024;
constexpr std::size_t kFieldBytes = 128;
constexpr std::int64_t kFirstLock = std::int64_t{1} << 40;
constexpr std::size_t kNumberDigits = 16;

[[noreturn]] void unavailable(const fs::path& path, std::string_view what, int error) {
  fail(Errc::store_unavailable, "The lock file {} {}{}.", path.string(), what,
       error == 0 ? "" : fmt::format(": {}", std::strerror(error)));
}

struct flock the_byte(std::int64_t number, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstLock + number;
  lock.l_len = 1;
  return lock;
}

off_t field_of(std::int64_t number) {
  return static_cast<off_t>((number % kFields) * static_cast<std::int64_t>(kFieldBytes));
}

int open_or_create(const fs::path& path, FileLock::Sharing sharing) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  // Not O_CREAT at once: in a folder like /tmp the kernel may refuse that for a file of somebody else's.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (const int found = open(path.c_str(), kFlags); found >= 0 || errno != ENOENT) return found;
    const int created = open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0600);
    if (created >= 0 && sharing == FileLock::Sharing::everybody) fchmod(created, 0666);
    if (created >= 0 || errno != EEXIST) return created;
  }
  return -1;
}

}  // namespace

FileLock::FileLock(const fs::path& file, std::int64_t number, Sharing sharing)
    : path_(file), number_(number), descriptor_(open_or_create(file, sharing)) {
  if (!descriptor_) unavailable(path_, "cannot be opened", errno);
  struct stat status {};
  if (fstat(descriptor_.get(), &status) != 0) unavailable(path_, "cannot be examined", errno);
  if (!S_ISREG(status.st_mode)) unavailable(path_, "is not a file", 0);
  // In a folder that others may write it may be a name that was given to another file.
  if (status.st_nlink > 1) unavailable(path_, "is a hard link to a file with other names", 0);
}

/// Whether the holder's field holds one, or nothing yet. A file of another kind that was put here is not written to.
bool FileLock::is_free_to_write() const {
  std::array<char, kNumberDigits + 1> begin{};
  const ssize_t count = pread(descriptor_.get(), begin.data(), begin.size(), field_of(number_));
  if (count == 0) return true;
  if (count != static_cast<ssize_t>(begin.size())) return false;
  if (std::all_of(begin.begin(), begin.end(), [](char c) { return c == '\0'; })) return true;
  return begin.back() == ' ' && std::all_of(begin.begin(), begin.end() - 1,
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool FileLock::try_take(std::string_view holder) {
  struct flock lock = the_byte(number_, F_WRLCK);
  // A lock of the open file: unlike a lock of the process it is not lost when another descriptor is closed.
  if (fcntl(descriptor_.get(), F_OFD_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    unavailable(path_, "is on a file system without locks", errno);
  }
  taken_ = true;
  if (!excludes_others()) {
    release();
    unavailable(path_, "is on a file system whose locks have no effect", 0);
  }
  if (!is_free_to_write()) return true;
  std::array<char, kFieldBytes> field{};
  fmt::format_to_n(field.data(), field.size() - 1, "{:0{}x} {}", number_, kNumberDigits, holder);
  // What is not written informs nobody; the lock is held all the same.
  [[maybe_unused]] const ssize_t ignored = pwrite(descriptor_.get(), field.data(), field.size(), field_of(number_));
  return true;
}

void FileLock::release() noexcept {
  if (!taken_) return;
  struct flock lock = the_byte(number_, F_UNLCK);
  fcntl(descriptor_.get(), F_OFD_SETLK, &lock);
  taken_ = false;
}

/// Some network file systems grant every lock. Seen through a second descriptor, a lock of the first one must stand in
/// the way.
bool FileLock::excludes_others() const {
  const Descriptor other(open(fmt::format("/proc/self/fd/{}", descriptor_.get()).c_str(), O_RDWR | O_CLOEXEC));
  if (!other) return true;
  struct flock lock = the_byte(number_, F_WRLCK);
  return fcntl(other.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

std::optional<std::string> FileLock::holder() const {
  std::array<char, kFieldBytes + 1> field{};
  if (pread(descriptor_.get(), field.data(), kFieldBytes, field_of(number_)) <= 0) return std::nullopt;
  const std::string_view text(field.data());
  const std::string expected = fmt::format("{:016x} ", number_);
  if (!text.starts_with(expected)) return std::nullopt;
  // Anybody may have written there, and it is shown on a line of a terminal.
  std::string holder(text.substr(expected.size()));
  std::erase_if(holder, [](char c) { return c < ' ' || c > '~'; });
  return holder;
}

std::string this_process() {
  std::array<char, 65> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}, since {:%Y-%m-%d %H:%M} UTC", getpid(), host.data(),
                     fmt::gmtime(std::time(nullptr)));
}

}  // namespace tuner::cache
