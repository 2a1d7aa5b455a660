#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cache/file/open_folder.hpp"
#include "cache/sqlite/format.hpp"

namespace tuner::cache {

// Opening a database with SQLite reads and parses its whole schema, some 0.5 ms in a fresh process; a program that
// starts wants one row. This reads rows as the file format (sqlite.org/fileformat2.html) lays them out, under SQLite's
// own locks. It knows the plain case only: for whatever else it meets it throws NotPlain, and SQLite is asked.

/// The file is not what is read here without SQLite: locked, being written, left half-written, of another version,
/// damaged, or on a file system without such locks. Never leaves this room.
struct NotPlain {};

/// A value of a row.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

/// One row: its columns in the order stored, and its rowid where it has one.
struct PlainRow {
  std::int64_t rowid = 0;
  std::vector<Value> columns;

  // NotPlain where the column is not there or of another type.
  std::int64_t integer(std::size_t column) const;
  double real(std::size_t column) const;
  std::optional<double> maybe_real(std::size_t column) const;
  std::string& text(std::size_t column);
};

/// A database file that is open for reading for as long as it has a name, and while anybody in this process has it
/// open: closing any descriptor of a file drops every lock that SQLite holds on it in this process.
struct OpenFile {
  std::mutex mutex;  ///< one look at a time: the lock belongs to the descriptor
  int descriptor = -1;
  int process = 0;
};

/// A read transaction on one file: while it lives nobody changes the file.
class PageFile {
 public:
  /// The descriptor of the file of this name. Throws NotPlain.
  static std::shared_ptr<OpenFile> open(const OpenFolder& folder, const std::string& name);

  /// Whether this is still the file of that name.
  static bool is_at(const OpenFile& file, const std::filesystem::path& path);

  /// Takes the lock that readers take. Throws NotPlain if it is not to be had at once, if the file is half-written, or
  /// if the header is not that of this format in its newest version.
  PageFile(OpenFile& file, const OpenFolder& folder, const std::string& name, const Format& format);
  ~PageFile();
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  /// The row of a table, if it is there.
  std::optional<PlainRow> find(const std::string& table, std::int64_t rowid);
  /// Every entry of an index, or of a table without rowids, that begins with these columns, in order. The last column
  /// of an index is the rowid.
  std::vector<PlainRow> find_all(const std::string& index, const std::vector<Value>& first_columns);

 private:
  struct Cell;
  struct Page;

  void read(std::span<std::byte> bytes, std::uint64_t offset) const;
  Page page(std::uint32_t number, int depth);
  std::span<const std::byte> whole(const Cell& cell, std::vector<std::byte>& buffer);
  int compare(const Cell& cell, const std::vector<Value>& wanted);
  void collect(std::uint32_t number, int depth, const std::vector<Value>& wanted, std::vector<PlainRow>& found);
  void walk_schema(std::uint32_t number, int depth);
  std::uint32_t root(const std::string& name);

  OpenFile& file_;
  std::unique_lock<std::mutex> turn_;
  std::uint32_t page_size_ = 0;
  std::uint32_t usable_ = 0;  ///< bytes of a page
  std::uint32_t page_count_ = 0;
  int pages_read_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> roots_;
  std::vector<std::vector<std::byte>> buffers_;  ///< a page for each level of a tree
};

}  // namespace tuner::cache
