#include "cache/recovery/page_rows.hpp"

#include "cache/recovery/recover.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

constexpr std::size_t kPages = 200;
constexpr std::size_t kPayload = kPages * kPage * 9 / 10;
constexpr std::size_t kCells = 30;

std::string big_endian(std::size_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string varint(std::size_t value) {
  std::string text(1, static_cast<char>(value & 0x7f));
  while ((value >>= 7) != 0) text.insert(0, 1, static_cast<char>(0x80 | (value & 0x7f)));
  return text;
}

/// The page of a table whose every row says that it goes on at page `overflow`, for nine tenths of the file.
std::string page_of_rows(std::size_t overflow, std::size_t first_rowid) {
  constexpr std::size_t kCellsBegin = 256;
  constexpr std::size_t kLeast = (kPage - 12) * 32 / 255 - 23;
  constexpr std::size_t kWanted = kLeast + (kPayload - kLeast) % (kPage - 4);
  const std::size_t local = kWanted > kPage - 35 ? kLeast : kWanted;
  std::string page;
  while (page.size() < kPage) page += big_endian(overflow, 4);
  page.replace(0, 8, '\x0d' + big_endian(0, 2) + big_endian(kCells, 2) + big_endian(kCellsBegin, 2) + '\0');
  for (std::size_t i = 0; i < kCells; ++i) {
    const std::size_t at = kCellsBegin + 16 * i;
    const std::string before = varint(kPayload) + varint(first_rowid + i);
    const std::string text = varint(13 + 2 * (kPayload - 1000));
    // A header of its own size, NULL for the rowid, the text and a 1.
    const std::string header = before + static_cast<char>(text.size() + 3) + '\0' + text + '\x09';
    page.replace(8 + 2 * i, 2, big_endian(at, 2));
    page.replace(at, header.size(), header);
    const std::size_t pointer = at + before.size() + local;
    page.replace(pointer, 4, big_endian(overflow, 4));
  }
  return page;
}

std::string first_page() {
  std::string page(kPage, '\0');
  page.replace(16, 2, big_endian(kPage, 2));
  page.replace(28, 4, big_endian(kPages, 4));
  return page;
}

/// How often a row of a table is asked for while this lives, by any connection.
class Queries {
 public:
  Queries() {
    count_ = 0;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
  }
  ~Queries() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch)); }
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;
  int count() const { return count_; }

 private:
  static int watch(sqlite3* connection, char**, const void*) {
    return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, note, nullptr);
  }
  static int note(unsigned, void*, void*, void* sql) {
    if (contains(static_cast<const char*>(sql), "SELECT * FROM r ")) ++count_;
    return 0;
  }
  static inline int count_ = 0;
};

void check_ends_early(const std::string& bytes) {
  const Queries queries;
  PageRows rows(std::as_bytes(std::span(bytes)), kPage);
  std::size_t read = 0;
  rows.for_each_row([&](std::int64_t, const PageRows::Row& row) {
    for (const sqlite::Value& value : row) {
      if (const auto* text = std::get_if<std::string>(&value)) read += text->size();
    }
  });
  CHECK(queries.count() > 1);
  CHECK(queries.count() < 100);  // of thousands
  CHECK(rows.gave_up());
  CHECK(read <= 16 * bytes.size() + 1'000'000);

  const TemporaryFolder folder;
  write_bytes(folder / "evil.db", bytes);
  const Recovered recovered = recover(folder / "evil.db", folder / "out.db");
  CHECK(recovered.nothing());
  REQUIRE(recovered.warnings.size() == 1);
  CHECK(contains(recovered.warnings[0], "Not all of"));
}

TEST_CASE("recovering rows that all go on in the same page took time by the square of the file's size") {
  std::string bytes = first_page();
  for (std::size_t page = 2; page < kPages; ++page) bytes += page_of_rows(kPages, page * kCells);
  while (bytes.size() < kPages * kPage) bytes += big_endian(kPages, 4);
  check_ends_early(bytes);
}

TEST_CASE("rows whose end is missing cost what was read of them, though they come to nothing") {
  constexpr std::size_t kChain = kPages / 2;
  std::string bytes = first_page();
  for (std::size_t page = 2; page < kChain; ++page) bytes += page_of_rows(kChain, page * kCells);
  for (std::size_t page = kChain; page <= kPages; ++page) {
    bytes += big_endian(page == kPages ? 0 : page + 1, 4) + std::string(kPage - 4, 'a');
  }
  check_ends_early(bytes);
}

}  // namespace
}  // namespace tuner::cache::test
