#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cache/sqlite.hpp"

namespace tuner::cache {

/// The rows of a database whose header, schema or inner pages may be of no use. SQLite itself reads them: each page of
/// a copy in memory takes its turn as the only page of a table that takes any row, under a first page of our own. So
/// nothing here decodes a page, and what one page lacks costs no row of another.
class PageRows {
 public:
  /// `bytes`: the whole file.
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
  /// The entries of the index with this first page; whether all of them could be read.
  bool for_each_entry_below(std::size_t root, const std::function<void(Row entry)>& take);

 private:
  class Image;
  bool take_entries(const sqlite::Connection& connection, const std::function<void(Row entry)>& take);
  char type_of(std::size_t page) const;
  bool spend(const Row& row);

  std::span<const std::byte> bytes_;
  std::size_t page_size_;
  std::size_t pages_;
  /// Pages that point at each other would be read for ever: no more bytes are read than any sound file could ask for.
  std::uint64_t budget_;
};

}  // namespace tuner::cache
