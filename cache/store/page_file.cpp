#include "cache/store/page_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

constexpr int kDeepest = 20;        // levels of a tree: SQLite's own limit
constexpr int kMostPages = 10'000;  // one look reads some dozens; a damaged tree might have no end
// Kinds of page.
constexpr int kIndexInterior = 2, kTableInterior = 5, kIndexLeaf = 10, kTableLeaf = 13;
// The bytes that SQLite locks.
constexpr off_t kPendingByte = 0x40000000, kReservedByte = kPendingByte + 1, kSharedFirst = kPendingByte + 2,
                kSharedSize = 510;

std::uint64_t number_at(Bytes bytes, std::size_t offset, std::size_t length) {
  if (offset > bytes.size() || bytes.size() - offset < length) throw NotPlain{};
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < length; ++i) number = number << 8U | static_cast<std::uint64_t>(bytes[offset + i]);
  return number;
}

/// Reads a number of one to nine bytes and moves `offset` behind it.
std::uint64_t varint_at(Bytes bytes, std::size_t& offset) {
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t byte = number_at(bytes, offset++, 1);
    number = number << 7U | (byte & 0x7fU);
    if (byte < 0x80U) return number;
  }
  return number << 8U | number_at(bytes, offset++, 1);
}

std::size_t size_of_type(std::uint64_t type) {
  constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  if (type < std::size(kSizes)) return kSizes[type];
  if (type < 12) throw NotPlain{};
  return (type - 12) / 2;
}

Value value_of_type(std::uint64_t type, Bytes bytes) {
  if (type == 0) return std::monostate{};
  if (type >= 12) return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (type == 7) return std::bit_cast<double>(number_at(bytes, 0, 8));
  if (type >= 8) return static_cast<std::int64_t>(type - 8);
  const std::uint64_t number = number_at(bytes, 0, bytes.size());
  const unsigned unused = 64U - 8U * static_cast<unsigned>(bytes.size());
  return static_cast<std::int64_t>(number << unused) >> unused;  // the sign
}

/// Goes through the columns of a row. `visit(type, offset, size)` returns whether to go on.
template <class Visit>
void for_each_column(Bytes row, const Visit& visit) {
  std::size_t at = 0;
  const std::uint64_t header = varint_at(row, at);
  std::uint64_t offset = header;
  while (at < header) {
    const std::uint64_t type = varint_at(row, at);
    const std::size_t size = size_of_type(type);
    if (!visit(type, offset, size)) return;
    offset += size;
  }
  if (at != header) throw NotPlain{};
}

struct flock range_of(short type, off_t start, off_t length) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  return range;
}

bool lock(int descriptor, short type, off_t start, off_t length) {
  struct flock range = range_of(type, start, length);
  return fcntl(descriptor, F_OFD_SETLK, &range) == 0;
}

bool exists(const OpenFolder& folder, const std::string& name) {
  if (folder.has(name)) return true;
  if (errno != ENOENT) throw NotPlain{};
  return false;
}

/// A journal without anybody who is about to write is one that was left behind and has to be rolled back. A writer that
/// has not changed the file yet cannot do so while there is a reader.
bool is_half_written(int descriptor, const OpenFolder& folder, const std::string& name) {
  if (!exists(folder, name + "-journal")) return false;
  struct flock writer = range_of(F_WRLCK, kReservedByte, 1);
  return fcntl(descriptor, F_OFD_GETLK, &writer) != 0 || writer.l_type == F_UNLCK;
}

}  // namespace

std::int64_t PlainRow::integer(std::size_t column) const {
  const std::int64_t* const value = column < columns.size() ? std::get_if<std::int64_t>(&columns[column]) : nullptr;
  if (value == nullptr) throw NotPlain{};
  return *value;
}

double PlainRow::real(std::size_t column) const {
  if (const auto value = maybe_real(column)) return *value;
  throw NotPlain{};
}

std::optional<double> PlainRow::maybe_real(std::size_t column) const {
  if (column >= columns.size()) throw NotPlain{};
  const Value& value = columns[column];
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  // A whole number is stored as one, whatever the column's type.
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* const real = std::get_if<double>(&value)) return *real;
  throw NotPlain{};
}

std::string& PlainRow::text(std::size_t column) {
  std::string* const value = column < columns.size() ? std::get_if<std::string>(&columns[column]) : nullptr;
  if (value == nullptr) throw NotPlain{};
  return *value;
}

/// What is stored for one row or entry, of which the end may be on other pages.
struct PageFile::Cell {
  std::uint32_t left_child = 0;
  std::int64_t rowid = 0;
  Bytes local;
  std::uint64_t size = 0;
  std::uint32_t overflow = 0;  ///< first of the pages with the rest; 0: none
};

/// A page of a tree. Valid until another one is read at its depth.
struct PageFile::Page {
  Bytes bytes;
  std::size_t begin;  ///< of its header
  std::uint32_t usable;
  int kind;
  std::size_t cells;

  bool is_interior() const { return kind == kIndexInterior || kind == kTableInterior; }
  std::uint32_t right_child() const { return static_cast<std::uint32_t>(number_at(bytes, begin + 8, 4)); }

  Cell cell(std::size_t index) const {
    const std::size_t pointers = begin + (is_interior() ? 12 : 8);
    std::size_t at = number_at(bytes, pointers + 2 * index, 2);
    Cell cell;
    if (is_interior()) {
      cell.left_child = static_cast<std::uint32_t>(number_at(bytes, at, 4));
      at += 4;
    }
    if (kind != kTableInterior) cell.size = varint_at(bytes, at);
    if (kind == kTableLeaf || kind == kTableInterior) cell.rowid = static_cast<std::int64_t>(varint_at(bytes, at));
    if (kind == kTableInterior) return cell;
    // How much of a row is on its page: the format's own arithmetic.
    const std::uint64_t most = kind == kTableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23;
    std::uint64_t local = cell.size;
    if (cell.size > most) {
      const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
      local = least + (cell.size - least) % (usable - 4);
      if (local > most) local = least;
    }
    if (at > bytes.size() || bytes.size() - at < local) throw NotPlain{};
    cell.local = bytes.subspan(at, local);
    if (local < cell.size) cell.overflow = static_cast<std::uint32_t>(number_at(bytes, at + local, 4));
    return cell;
  }
};

namespace {

PlainRow row_of(std::int64_t rowid, Bytes bytes) {
  PlainRow row{.rowid = rowid};
  for_each_column(bytes, [&](std::uint64_t type, std::uint64_t offset, std::size_t size) {
    if (offset > bytes.size() || bytes.size() - offset < size) throw NotPlain{};
    row.columns.push_back(value_of_type(type, bytes.subspan(offset, size)));
    return true;
  });
  return row;
}

using OpenFiles = std::map<std::pair<dev_t, ino_t>, std::shared_ptr<OpenFile>>;

/// Whether this process has the file open once more, as SQLite would: its own or one that the program came with.
bool is_open_elsewhere(int descriptor, const struct stat& file) {
  std::error_code error;
  bool found = false;
  for (fs::directory_iterator each("/proc/self/fd", error), end; !error && each != end; each.increment(error)) {
    const int other = std::atoi(each->path().filename().c_str());
    struct stat status {};
    if (other == descriptor || fstat(other, &status) != 0) continue;
    found = found || (status.st_dev == file.st_dev && status.st_ino == file.st_ino);
  }
  return found || error;
}

/// Gives back what files cost that were replaced and deleted. A file without a name cannot be opened again, so a lock
/// that nobody has now nobody will have.
void close_deleted(OpenFiles& files) {
  std::erase_if(files, [](const OpenFiles::value_type& entry) {
    const int descriptor = entry.second->descriptor;
    struct stat status {};
    if (entry.second.use_count() > 1 || fstat(descriptor, &status) != 0 || status.st_nlink > 0) return false;
    if (is_open_elsewhere(descriptor, status)) return false;
    close(descriptor);
    return true;
  });
}

}  // namespace

std::shared_ptr<OpenFile> PageFile::open(const OpenFolder& folder, const std::string& name) {
  static std::mutex mutex;
  static auto* const files = new OpenFiles;  // never destroyed: that would close them
  const std::lock_guard guard(mutex);
  const auto there = folder.look_at(name);
  if (!there || !S_ISREG(there->st_mode)) throw NotPlain{};
  const auto known = files->find({there->st_dev, there->st_ino});
  // A child's descriptor is its parent's, and so would its locks be.
  if (known != files->end() && known->second->process == getpid()) return known->second;

  close_deleted(*files);
  auto file = std::make_shared<OpenFile>();
  file->descriptor = openat(folder.descriptor(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file->descriptor < 0) throw NotPlain{};
  file->process = getpid();
  struct stat status {};
  if (fstat(file->descriptor, &status) != 0) throw NotPlain{};
  (*files)[{status.st_dev, status.st_ino}] = file;
  if (!S_ISREG(status.st_mode)) throw NotPlain{};
  return file;
}

bool PageFile::is_at(const OpenFile& file, const fs::path& path) {
  struct stat open_one {};
  struct stat named {};
  return fstat(file.descriptor, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

PageFile::PageFile(OpenFile& file, const OpenFolder& folder, const std::string& name, const Format& format)
    : file_(file), turn_(file.mutex) {
  const int descriptor = file.descriptor;
  // As SQLite does it: who wants to write takes the pending byte and waits for readers to leave.
  if (!lock(descriptor, F_RDLCK, kPendingByte, 1)) throw NotPlain{};
  const bool shared = lock(descriptor, F_RDLCK, kSharedFirst, kSharedSize);
  lock(descriptor, F_UNLCK, kPendingByte, 1);
  if (!shared) throw NotPlain{};
  try {
    if (is_half_written(descriptor, folder, name) || exists(folder, name + "-wal")) throw NotPlain{};
    struct stat status {};
    if (!is_at(file, folder.path() / name) || fstat(descriptor, &status) != 0) throw NotPlain{};

    std::byte header[100];
    read(header, 0);
    if (std::memcmp(header, "SQLite format 3", 16) != 0) throw NotPlain{};
    page_size_ = static_cast<std::uint32_t>(number_at(header, 16, 2));
    if (page_size_ == 1) page_size_ = 65536;
    usable_ = page_size_ - static_cast<std::uint32_t>(header[20]);
    const bool rollback = number_at(header, 18, 2) == 0x0101;
    const bool utf8 = number_at(header, 56, 4) == 1;
    if (!std::has_single_bit(page_size_) || page_size_ < 512 || usable_ < 480 || !rollback || !utf8) throw NotPlain{};
    if (number_at(header, 60, 4) != format.steps.size()) throw NotPlain{};
    if (static_cast<std::int32_t>(number_at(header, 68, 4)) != format.application_id) throw NotPlain{};
    page_count_ = static_cast<std::uint32_t>(static_cast<std::uint64_t>(status.st_size) / page_size_);
  } catch (const NotPlain&) {
    lock(descriptor, F_UNLCK, 0, 0);
    throw;
  }
}

PageFile::~PageFile() {
  lock(file_.descriptor, F_UNLCK, 0, 0);
}

void PageFile::read(std::span<std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(file_.descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw NotPlain{};
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

PageFile::Page PageFile::page(std::uint32_t number, int depth) {
  if (number == 0 || number > page_count_ || depth >= kDeepest || ++pages_read_ > kMostPages) throw NotPlain{};
  const auto level = static_cast<std::size_t>(depth);
  if (buffers_.size() <= level) buffers_.resize(level + 1);
  std::vector<std::byte>& buffer = buffers_[level];
  buffer.resize(page_size_);
  read(buffer, std::uint64_t{number - 1} * page_size_);
  Page page{Bytes(buffer).first(usable_), number == 1 ? 100U : 0U, usable_, 0, 0};
  page.kind = static_cast<int>(number_at(page.bytes, page.begin, 1));
  page.cells = number_at(page.bytes, page.begin + 3, 2);
  return page;
}

Bytes PageFile::whole(const Cell& cell, std::vector<std::byte>& buffer) {
  if (cell.overflow == 0) return cell.local;
  if (cell.size > std::uint64_t{page_count_} * page_size_) throw NotPlain{};
  buffer.resize(cell.size);
  std::copy(cell.local.begin(), cell.local.end(), buffer.begin());
  std::size_t filled = cell.local.size();
  std::vector<std::byte> piece(usable_);
  for (std::uint32_t next = cell.overflow; filled < buffer.size();) {
    if (next == 0 || next > page_count_) throw NotPlain{};
    read(piece, std::uint64_t{next - 1} * page_size_);
    const std::size_t part = std::min<std::size_t>(buffer.size() - filled, usable_ - 4);
    std::copy_n(piece.begin() + 4, part, buffer.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += part;
    next = static_cast<std::uint32_t>(number_at(piece, 0, 4));
  }
  return buffer;
}

std::optional<PlainRow> PageFile::find(const std::string& table, std::int64_t rowid) {
  std::uint32_t number = root(table);
  for (int depth = 0;; ++depth) {
    const Page here = page(number, depth);
    if (here.kind != kTableInterior && here.kind != kTableLeaf) throw NotPlain{};
    std::size_t low = 0, high = here.cells;  // the first cell whose rowid is not smaller
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (here.cell(middle).rowid < rowid) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (here.kind == kTableInterior) {
      number = low < here.cells ? here.cell(low).left_child : here.right_child();
      continue;
    }
    if (low == here.cells) return std::nullopt;
    const Cell cell = here.cell(low);
    if (cell.rowid != rowid) return std::nullopt;
    std::vector<std::byte> buffer;
    return row_of(rowid, whole(cell, buffer));
  }
}

/// Negative, zero or positive: the entry is before, among or behind those that begin with these columns.
int PageFile::compare(const Cell& cell, const std::vector<Value>& wanted) {
  std::vector<std::byte> buffer;
  Bytes bytes = cell.local;
  std::size_t column = 0;
  int order = 0;
  for_each_column(cell.local, [&](std::uint64_t type, std::uint64_t offset, std::size_t size) {
    if (column == wanted.size()) return false;
    if (offset + size > bytes.size()) bytes = whole(cell, buffer);
    if (offset > bytes.size() || bytes.size() - offset < size) throw NotPlain{};
    const Value& value = wanted[column++];
    if (const auto* const text = std::get_if<std::string>(&value)) {
      if (type < 13 || type % 2 == 0) throw NotPlain{};  // not a text
      order = std::string_view(reinterpret_cast<const char*>(bytes.data()) + offset, size).compare(*text);
    } else {
      const Value actual = value_of_type(type, bytes.subspan(offset, size));
      const auto* const number = std::get_if<std::int64_t>(&actual);
      if (number == nullptr) throw NotPlain{};
      const std::int64_t wished = std::get<std::int64_t>(value);
      order = *number < wished ? -1 : *number > wished ? 1 : 0;
    }
    return order == 0;
  });
  if (order == 0 && column != wanted.size()) throw NotPlain{};
  return order;
}

void PageFile::collect(std::uint32_t number, int depth, const std::vector<Value>& wanted,
                       std::vector<PlainRow>& found) {
  const Page here = page(number, depth);
  if (here.kind != kIndexInterior && here.kind != kIndexLeaf) throw NotPlain{};
  std::size_t low = 0, high = here.cells;  // the first entry that is not before those that are wanted
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (compare(here.cell(middle), wanted) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (std::size_t i = low; i < here.cells; ++i) {
    const Cell cell = here.cell(i);
    if (here.is_interior()) collect(cell.left_child, depth + 1, wanted, found);
    if (compare(cell, wanted) != 0) return;
    std::vector<std::byte> buffer;
    found.push_back(row_of(0, whole(cell, buffer)));
  }
  if (here.is_interior()) collect(here.right_child(), depth + 1, wanted, found);
}

std::vector<PlainRow> PageFile::find_all(const std::string& index, const std::vector<Value>& first_columns) {
  std::vector<PlainRow> found;
  collect(root(index), 0, first_columns, found);
  return found;
}

void PageFile::walk_schema(std::uint32_t number, int depth) {
  const Page here = page(number, depth);
  if (here.kind != kTableInterior && here.kind != kTableLeaf) throw NotPlain{};
  for (std::size_t i = 0; i < here.cells; ++i) {
    const Cell cell = here.cell(i);
    if (here.is_interior()) {
      walk_schema(cell.left_child, depth + 1);
      continue;
    }
    // type, name, tbl_name, rootpage, sql: what is wanted is before the long text, on the page.
    std::string name;
    std::size_t column = 0;
    for_each_column(cell.local, [&](std::uint64_t type, std::uint64_t offset, std::size_t size) {
      const std::size_t which = column++;
      if (which != 1 && which != 3) return which < 3;
      if (offset > cell.local.size() || cell.local.size() - offset < size) throw NotPlain{};
      const Value value = value_of_type(type, cell.local.subspan(offset, size));
      if (const auto* const text = std::get_if<std::string>(&value)) name = *text;
      if (const auto* const at = std::get_if<std::int64_t>(&value)) roots_[name] = static_cast<std::uint32_t>(*at);
      return which < 3;
    });
  }
  if (here.is_interior()) walk_schema(here.right_child(), depth + 1);
}

std::uint32_t PageFile::root(const std::string& name) {
  if (roots_.empty()) walk_schema(1, 0);
  const auto found = roots_.find(name);
  if (found == roots_.end()) throw NotPlain{};
  return found->second;
}

}  // namespace tuner::cache
