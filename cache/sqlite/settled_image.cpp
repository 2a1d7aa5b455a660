#include "cache/sqlite/settled_image.hpp"
#include "cache/sqlite/failure.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tuner::cache {
namespace {

using Bytes = std::span<const std::byte>;
using Descriptor = UniqueHandle<int, close, -1>;

constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
constexpr std::int64_t kPendingByte = 0x40000000;  // its page holds nothing
constexpr std::size_t kVersions = 18;              // offset in the header: 1 1, or 2 2 for write-ahead logging

std::uint32_t number_at(Bytes bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | static_cast<std::uint32_t>(bytes[at + i]);
  return number;
}

bool has_magic(Bytes bytes, std::size_t at) {
  return std::memcmp(bytes.data() + at, kMagic.data(), kMagic.size()) == 0;
}

bool is_size(std::uint32_t size, std::uint32_t least) {
  return std::has_single_bit(size) && size >= least && size <= 65536;
}

std::uint32_t checksum(Bytes page, std::uint32_t initial) {
  for (std::size_t at = page.size() - 200; at > 0 && at < page.size(); at -= 200) {
    initial += static_cast<std::uint32_t>(page[at]);
  }
  return initial;
}

/// What begins each part of a journal.
struct Part {
  std::uint32_t records, initial, pages;
};

/// One journal, read from its beginning.
class Journal {
 public:
  explicit Journal(Bytes bytes) : bytes_(bytes) {}

  std::uint32_t page_size() const { return page_size_; }

  /// The next part's header; nothing at the end, or where the rest makes no sense.
  std::optional<Part> part() {
    if (at_ > 0) at_ = (at_ + sector_ - 1) / sector_ * sector_;
    if (at_ > bytes_.size() || bytes_.size() - at_ < 28 || !has_magic(bytes_, at_)) return std::nullopt;
    const Part part{number_at(bytes_, at_ + 8), number_at(bytes_, at_ + 12), number_at(bytes_, at_ + 16)};
    if (at_ == 0) {
      sector_ = number_at(bytes_, 20);
      page_size_ = number_at(bytes_, 24);
      if (!is_size(sector_, 32) || !is_size(page_size_, 512)) return std::nullopt;
    }
    if (bytes_.size() - at_ < sector_) return std::nullopt;
    at_ += sector_;
    if (part.records != 0xffffffffU) return part;
    return Part{static_cast<std::uint32_t>((bytes_.size() - at_) / (page_size_ + 8)), part.initial, part.pages};
  }

  /// The next page of a part, with its number; nothing where the journal ends before it does.
  std::optional<std::pair<std::uint32_t, Bytes>> page(const Part& part) {
    if (bytes_.size() - at_ < page_size_ + 8) return std::nullopt;
    const std::uint32_t number = number_at(bytes_, at_);
    const Bytes page = bytes_.subspan(at_ + 4, page_size_);
    const std::uint32_t sum = number_at(bytes_, at_ + 4 + page_size_);
    at_ += page_size_ + 8;
    if (number == 0 || number == kPendingByte / page_size_ + 1 || checksum(page, part.initial) != sum) {
      return std::nullopt;
    }
    return std::pair(number, page);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  std::uint32_t sector_ = 512, page_size_ = 0;
};

/// SQLite's own file of a connection that is in no transaction. Read through it, since opening and closing the file a
/// second time would drop the locks that this process has on it.
class LockedFile {
 public:
  explicit LockedFile(const sqlite::Connection& connection) : connection_(connection) {
    connection.check(sqlite3_file_control(connection.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file_), "file");
  }
  ~LockedFile() {
    if (locked_) file_->pMethods->xUnlock(file_, SQLITE_LOCK_NONE);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  /// Keeps writers from changing the file, and others from clearing it up.
  void lock() {
    connection_.retry_while_busy([&] { return file_->pMethods->xLock(file_, SQLITE_LOCK_SHARED); }, "lock");
    locked_ = true;
  }
  bool is_being_written() const {
    int reserved = 0;
    connection_.check(file_->pMethods->xCheckReservedLock(file_, &reserved), "lock");
    return reserved != 0;
  }
  std::int64_t size() const {
    sqlite3_int64 size = 0;
    connection_.check(file_->pMethods->xFileSize(file_, &size), "size");
    return size;
  }
  std::vector<std::byte> read(std::int64_t count) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    const int read = file_->pMethods->xRead(file_, bytes.data(), static_cast<int>(count), 0);
    if (read != SQLITE_IOERR_SHORT_READ) connection_.check(read, "read");
    return bytes;
  }

 private:
  const sqlite::Connection& connection_;
  sqlite3_file* file_ = nullptr;
  bool locked_ = false;
};

bool is_logged(Bytes header) {
  return header[kVersions] == std::byte{2} || header[kVersions + 1] == std::byte{2};
}

void require_empty_log(const sqlite::Connection& connection, const std::string& log) {
  const auto status = connection.folder()->look_at_content(log);
  if (!status) return;
  if (!S_ISREG(status->st_mode)) connection.check(SQLITE_CANTOPEN, "log");
  throw sqlite::Failure(
      Errc::store_unavailable, SQLITE_CANTOPEN,
      fmt::format(
          "Another program is writing the database {}, or was stopped while writing it: {} is next to it and contains "
          "a part of it, and reading changes nothing. Close that program; the next `tuner tune` or `tuner forget` that "
          "uses the database merges the two. Or choose another place with --db or TUNER_DB.",
          connection.path().string(), log));
}

}  // namespace

std::vector<std::byte> read_journal(const OpenFolder& folder, const std::string& database) {
  const std::string name = database + "-journal";
  // No lock of SQLite's is on a journal, so that closing it takes none away.
  const Descriptor file(
      openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kLargestInMemory)
    return {};
  return read_beginning(file.get(), static_cast<std::size_t>(status.st_size));
}

bool is_hot(Bytes journal) {
  return !journal.empty() && journal.front() != std::byte{0};
}

bool holds_pages(Bytes bytes) {
  Journal journal(bytes);
  const auto part = journal.part();
  return part && part->records > 0 && journal.page(*part);
}

bool names_super_journal(Bytes journal) {
  if (journal.size() < 16 || !has_magic(journal, journal.size() - 8)) return false;
  const std::size_t length = number_at(journal, journal.size() - 16);
  if (length == 0 || length > journal.size() - 16) return false;
  std::uint32_t sum = number_at(journal, journal.size() - 12);
  for (const std::byte byte : journal.subspan(journal.size() - 16 - length, length)) {
    sum -= static_cast<std::uint32_t>(static_cast<signed char>(byte));
  }
  return sum == 0;
}

void roll_back(std::vector<std::byte>& database, Bytes bytes) {
  Journal journal(bytes);
  std::uint32_t pages = 0;
  for (bool first = true;; first = false) {
    const auto part = journal.part();
    if (!part) return;
    const std::size_t page_size = journal.page_size();
    if (first) {
      pages = part->pages;
      if (std::uint64_t{pages} * page_size > kLargestInMemory) return;
      database.resize(pages * page_size);
    }
    for (std::uint32_t i = 0; i < part->records; ++i) {
      const auto page = journal.page(*part);
      if (!page) return;
      const auto& [number, content] = *page;
      if (number > pages) continue;
      std::copy(content.begin(), content.end(),
                database.begin() + static_cast<std::ptrdiff_t>((number - 1) * page_size));
    }
  }
}

std::optional<std::vector<std::byte>> settled_image(const sqlite::Connection& connection) {
  const OpenFolder& folder = *connection.folder();
  const std::string name = connection.path().filename();
  const bool journalled = folder.has(name + "-journal");
  LockedFile file(connection);
  require_empty_log(connection, name + "-wal");
  if (!journalled && !is_logged(file.read(100))) return std::nullopt;

  file.lock();
  if (file.is_being_written()) return std::nullopt;
  const std::vector<std::byte> journal = read_journal(folder, name);
  const std::int64_t size = file.size();
  if (size < 100 || (!is_hot(journal) && !is_logged(file.read(100)))) return std::nullopt;
  if (names_super_journal(journal)) connection.check(SQLITE_AUTH, "rollback");
  if (size > kLargestInMemory) connection.check(SQLITE_READONLY_ROLLBACK, "rollback");
  std::vector<std::byte> image = file.read(size);
  if (is_hot(journal)) roll_back(image, journal);
  if (image.size() >= 100 && is_logged(image)) image[kVersions] = image[kVersions + 1] = std::byte{1};
  return image;
}

}  // namespace tuner::cache
