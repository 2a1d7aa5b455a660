#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {

/// The rows of a database whose header, schema or inner pages may be of no use. SQLite itself reads them: each page of
/// a copy in memory takes its turn as the only page of a table that takes any row, under a first page of our own. So
/// nothing here decodes a page, and what one page lacks costs no row of another.
class PageRows {
 public:
  /// `bytes`: the whole file. Each call below makes a copy of it for SQLite, one at a time.
  PageRows(std::span<const std::byte> bytes, std::size_t page_size);
  ~PageRows();
  PageRows(const PageRows&) = delete;
  PageRows& operator=(const PageRows&) = delete;

  /// A row without the columns behind its last one that is not NULL.
  using Row = std::vector<sqlite::Value>;
  /// Every row of every page of a table, with its rowid. Rows of dropped tables may be among them, and some may come
  /// twice.
  void for_each_row(const std::function<void(std::int64_t rowid, Row row)>& take);
  /// The same of indexes and of tables without rowid. An entry of an index ends in the rowid of its row.
  void for_each_entry(const std::function<void(Row entry)>& take);
  /// The entries of the indexes with these first pages, as far as they can be read.
  void for_each_entry_below(std::span<const std::size_t> roots,
                            const std::function<void(std::size_t root, Row entry)>& take);
  /// Not all of it was read, since pages point at each other so that reading them would take more than any sound file
  /// of this size does.
  bool gave_up() const noexcept { return gave_up_; }

 private:
  class Image;
  void take_rows(Image& image, std::size_t page, const std::function<void(std::int64_t rowid, Row row)>& take);
  void take_entries(Image& image, std::size_t root, const std::function<void(Row entry)>& take);
  char type_of(std::size_t page) const;
  std::vector<std::size_t> pages_of(char type) const;
  bool spend(const Image& image, const Row& row);

  std::span<const std::byte> bytes_;
  std::size_t page_size_;
  std::size_t pages_;
  /// How many bytes may still be read, of rows that cannot be read in full, too. All ends with the row that is beyond
  /// it, which is at most as large as the file.
  std::uint64_t budget_;
  bool gave_up_ = false;
};

}  // namespace tuner::cache
