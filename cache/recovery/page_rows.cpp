#include "cache/recovery/page_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "cache/sqlite/failure.hpp"
#include "cache/sqlite/settled_image.hpp"

namespace tuner::cache {
namespace {

using sqlite::Connection;
using sqlite::Statement;

// The first byte of a page says what it is; of an overflow page it is the upper byte of a page number, which is zero.
constexpr char kIndexInner = 0x02;
constexpr char kTableInner = 0x05;
constexpr char kIndexLeaf = 0x0a;
constexpr char kTableLeaf = 0x0d;

constexpr int kColumns = 32;      ///< more than any table here has
constexpr int kEntryColumns = 9;  ///< the same of indexes and tables without rowid

/// "c0,c1,c2", each with `order` behind it.
std::string names(int count, const char* order = "") {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}c{}{}", i == 0 ? "" : ",", i, order);
  return text;
}

std::unique_ptr<Connection> in_memory() {
  return std::make_unique<Connection>(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, std::chrono::seconds(0));
}

void write_big_endian(unsigned char* to, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<unsigned char>(value >> shift);
}

/// Makes a page the leaf of an index with one entry, a NULL: SQLite takes no leaf without an entry.
void fill_with_one_null(unsigned char* page, std::size_t size) {
  constexpr std::array<unsigned char, 4> kCell{2, 2, 0, 0};  // two bytes: a header of two bytes, the second says NULL
  const std::size_t at = size - kCell.size();
  std::memset(page, 0, size);
  page[0] = kIndexLeaf;
  page[4] = 1;                                // how many cells
  for (const std::size_t pointer : {5, 8}) {  // where they begin; where this one is
    page[pointer] = static_cast<unsigned char>(at >> 8);
    page[pointer + 1] = static_cast<unsigned char>(at);
  }
  std::copy(kCell.begin(), kCell.end(), page + at);
}

/// A first page whose schema has a table for any row and one for any entry, of a file with this many pages.
std::vector<unsigned char> first_page(std::size_t page_size, std::size_t pages) {
  const auto scratch = in_memory();
  const std::string entry = names(kEntryColumns);
  scratch->execute(
      fmt::format("PRAGMA page_size = {}; CREATE TABLE r({}); CREATE TABLE e({},PRIMARY KEY({}))WITHOUT "
                  "ROWID",
                  page_size, names(kColumns), entry, entry));
  sqlite3_int64 size = 0;
  const UniqueHandle<unsigned char*, sqlite3_free> serialized(sqlite3_serialize(scratch->get(), "main", &size, 0));
  if (!serialized) scratch->check(SQLITE_NOMEM, "serialize");
  std::vector<unsigned char> page(serialized.get(), serialized.get() + page_size);
  write_big_endian(page.data() + 28, pages);
  return page;
}

PageRows::Row row_of(const Statement& select) {
  PageRows::Row row;
  for (int i = 0; i < select.columns(); ++i) row.push_back(select.value(i));
  while (!row.empty() && row.back().index() == 0) row.pop_back();
  return row;
}

/// Takes rows until the last one or until the first that cannot be read; whether it was the last one.
template <class Take>
bool take_all(Statement& select, const Take& take) {
  try {
    while (select.step()) {
      if (!take(select)) return true;
    }
    return true;
  } catch (const sqlite::Failure&) {
    return false;
  }
}

}  // namespace

/// The copy in memory.
class PageRows::Image {
 public:
  enum class Leaves { kept, emptied };

  Image(const PageRows& file, Leaves leaves) : connection_(in_memory()) {
    // Pages that the end of a file took along are leaves, so that what points at them can be passed by.
    const std::size_t size = file.pages_ * file.page_size_;
    auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(size));
    if (bytes == nullptr) connection_->check(SQLITE_NOMEM, "copy the file");
    const std::size_t there = std::min(size, file.bytes_.size());
    std::memcpy(bytes, file.bytes_.data(), there);
    std::memset(bytes + there, 0, size - there);
    for (std::size_t page = 2; page <= file.pages_; ++page) {
      unsigned char* const begin = bytes + (page - 1) * file.page_size_;
      if (is_readable(begin, file.page_size_, leaves)) continue;
      fill_with_one_null(begin, file.page_size_);
    }
    const std::vector<unsigned char> first = first_page(file.page_size_, file.pages_);
    std::memcpy(bytes, first.data(), first.size());
    const auto length = static_cast<sqlite3_int64>(size);
    connection_->check(
        sqlite3_deserialize(connection_->get(), "main", bytes, length, length, SQLITE_DESERIALIZE_FREEONCLOSE),
        "deserialize");
    sqlite3_limit(connection_->get(), SQLITE_LIMIT_LENGTH,
                  static_cast<int>(std::clamp<std::size_t>(size, 100'000, 1'000'000'000)));
    connection_->execute("PRAGMA journal_mode = OFF; PRAGMA writable_schema = ON");
    pages_read();
  }

  /// How many pages SQLite has looked at since this was asked last.
  std::uint64_t pages_read() const {
    std::uint64_t pages = 0;
    for (const int counter : {SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS}) {
      int count = 0, highest = 0;
      sqlite3_db_status(connection_->get(), counter, &count, &highest, 1);
      pages += static_cast<std::uint64_t>(std::max(count, 0));
    }
    return pages;
  }

  /// Makes `page` the root of the table `name`.
  const Connection& at(const char* name, std::size_t page) {
    Statement(*connection_, "UPDATE sqlite_schema SET rootpage = ?1 WHERE name = ?2").bind(page, name).run();
    connection_->execute("PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON");
    return *connection_;
  }

 private:
  static bool is_readable(const unsigned char* page, std::size_t size, Leaves leaves) {
    switch (page[0]) {
      case 0:
        return std::any_of(page, page + size, [](unsigned char byte) { return byte != 0; });
      case kIndexLeaf:
        return leaves == Leaves::kept;
      case kIndexInner:
      case kTableInner:
      case kTableLeaf:
        return true;
      default:
        return false;
    }
  }

  std::unique_ptr<Connection> connection_;
};

PageRows::PageRows(std::span<const std::byte> bytes, std::size_t page_size)
    : bytes_(bytes), page_size_(page_size), pages_((bytes.size() + page_size - 1) / page_size) {
  std::size_t named = 0;  // how many pages the header says that there are
  for (std::size_t i = 28; i < 32 && i < bytes.size(); ++i) named = named << 8 | std::to_integer<std::size_t>(bytes[i]);
  pages_ = std::max({pages_, std::min({named, 2 * pages_, kLargestInMemory / page_size_}), std::size_t{3}});
  budget_ = 16 * bytes.size() + 1'000'000;
}

PageRows::~PageRows() = default;

char PageRows::type_of(std::size_t page) const {
  const std::size_t at = (page - 1) * page_size_;
  return at < bytes_.size() ? std::to_integer<char>(bytes_[at]) : '\0';
}

std::vector<std::size_t> PageRows::pages_of(char type) const {
  std::vector<std::size_t> pages;
  for (std::size_t page = 2; page <= pages_; ++page) {
    if (type_of(page) == type) pages.push_back(page);
  }
  return pages;
}

bool PageRows::spend(const Image& image, const Row& row) {
  constexpr std::uint64_t kDeepest = 20;  // pages on the way to a row, as SQLite has it; others hold what it says
  const std::uint64_t pages = image.pages_read();
  std::uint64_t cost = 16 + (pages > kDeepest ? (pages - kDeepest) * page_size_ : 0);
  for (const sqlite::Value& value : row) {
    if (const auto* text = std::get_if<std::string>(&value)) cost += text->size();
  }
  gave_up_ = gave_up_ || cost > budget_;
  budget_ -= std::min(cost, budget_);
  return !gave_up_;
}

void PageRows::take_rows(Image& image, std::size_t page, const std::function<void(std::int64_t, Row)>& take) {
  const Connection& connection = image.at("r", page);
  // Rowids need no overflow page; from both ends, since a cell that points outside its page stops the way.
  std::set<std::int64_t> rowids;
  for (const char* const order : {"", " DESC"}) {
    Statement select(connection, fmt::format("SELECT rowid FROM r ORDER BY rowid{}", order));
    if (take_all(select, [&](const Statement& at) { return rowids.insert(at.integer(0)), true; })) break;
  }
  image.pages_read();
  Statement select(connection, "SELECT * FROM r WHERE rowid = ?1");
  for (const std::int64_t rowid : rowids) {
    Row row;
    select.bind(rowid);
    const bool read = take_all(select, [&](const Statement& at) { return row = row_of(at), false; });
    // What cannot be read has a price, too.
    if (!spend(image, row)) return;
    if (read && !row.empty()) take(rowid, std::move(row));
  }
}

void PageRows::for_each_row(const std::function<void(std::int64_t, Row)>& take) {
  const std::vector<std::size_t> pages = pages_of(kTableLeaf);
  if (pages.empty()) return;
  Image image(*this, Image::Leaves::kept);
  for (const std::size_t page : pages) {
    if (gave_up_) return;
    try {
      take_rows(image, page, take);
    } catch (const sqlite::Failure&) {
      // Nothing of this page can be read.
    }
  }
}

void PageRows::take_entries(Image& image, std::size_t root, const std::function<void(Row)>& take) try {
  const Connection& connection = image.at("e", root);
  const auto take_one = [&](const Statement& at) {
    Row entry = row_of(at);
    if (!spend(image, entry)) return false;
    if (!entry.empty()) take(std::move(entry));
    return true;
  };
  // From both ends, since a page below that cannot be read stops the way.
  for (const char* const order : {"", " DESC"}) {
    Statement select(connection, fmt::format("SELECT * FROM e ORDER BY {}", names(kEntryColumns, order)));
    image.pages_read();
    if (take_all(select, take_one) || !spend(image, {})) return;
  }
} catch (const sqlite::Failure&) {
  // Nothing below this page can be read.
}

void PageRows::for_each_entry(const std::function<void(Row)>& take) {
  // Inner pages of an index hold entries of their own between those of the pages below.
  for (const auto& [type, leaves] :
       {std::pair(kIndexLeaf, Image::Leaves::kept), std::pair(kIndexInner, Image::Leaves::emptied)}) {
    const std::vector<std::size_t> pages = pages_of(type);
    if (pages.empty()) continue;
    Image image(*this, leaves);
    for (const std::size_t page : pages) {
      if (gave_up_) return;
      take_entries(image, page, take);
    }
  }
}

void PageRows::for_each_entry_below(std::span<const std::size_t> roots,
                                    const std::function<void(std::size_t, Row)>& take) {
  Image image(*this, Image::Leaves::kept);
  for (const std::size_t root : roots) {
    if (gave_up_) return;
    if (root < 2 || root > pages_) continue;
    take_entries(image, root, [&](Row entry) { take(root, std::move(entry)); });
  }
}

}  // namespace tuner::cache
