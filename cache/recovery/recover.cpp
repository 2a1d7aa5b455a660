#include "cache/recovery/recover.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "cache/file/fail.hpp"
#include "cache/file/fresh_file.hpp"
#include "cache/file/hash.hpp"
#include "cache/records/samples.hpp"
#include "cache/recovery/damaged_file.hpp"
#include "cache/recovery/recovered_rows.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/database_file.hpp"
#include "cache/sqlite/failure.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kHeader = 100;
constexpr std::size_t kUsualPage = 4096;
constexpr std::array<std::size_t, 8> kPageSizes{512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};

std::uint32_t header_number(const Bytes& bytes, std::size_t at) {
  std::uint32_t number = 0;
  if (bytes.size() < kHeader) return number;
  for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return number;
}

/// The page sizes that the file may have, by its header: this one, or the usual one, or else any.
std::vector<std::size_t> likely_page_sizes(const Bytes& bytes) {
  const std::size_t named = header_number(bytes, 16) >> 16;
  const std::size_t size = named == 1 ? 65536 : named;
  if (std::find(kPageSizes.begin(), kPageSizes.end(), size) == kPageSizes.end()) {
    return {kPageSizes.begin(), kPageSizes.end()};
  }
  if (size == kUsualPage) return {size};
  return {size, kUsualPage};
}

struct Found {
  std::unique_ptr<PageRows> pages;
  std::unique_ptr<RecoveredRows> rows;
};

Found find_rows(const Bytes& bytes) {
  Found best;
  for (const std::size_t page_size : likely_page_sizes(bytes)) {
    Found found{std::make_unique<PageRows>(bytes, page_size), nullptr};
    found.rows = std::make_unique<RecoveredRows>(*found.pages);
    if (!best.rows || found.rows->count() > best.rows->count()) best = std::move(found);
  }
  return best;
}

/// The first page of an index that names the rows of a table, as far as the file's own schema can be read.
std::size_t root_of(const sqlite::Connection& schema, const char* index) {
  try {
    sqlite::Statement select(schema, "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND name = ?1");
    if (select.bind(index).step()) return static_cast<std::size_t>(select.integer(0));
  } catch (const sqlite::Failure&) {
    // Then it is not known.
  }
  return 0;
}

/// Those of the tables that have such an index, by table; 0 where it is not known.
std::array<std::size_t, kNumbered.size()> roots_of_indexes(const Bytes& bytes) {
  std::array<std::size_t, kNumbered.size()> roots{};
  const sqlite::Connection schema(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, std::chrono::seconds(0));
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  // What is read-only is not written, whatever the declaration says.
  auto* const data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
  if (sqlite3_deserialize(schema.get(), "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return roots;
  }
  constexpr std::array<std::pair<Numbered, const char*>, 5> kIndexes{{{Numbered::trial, "trial_by_run"},
                                                                      {Numbered::decision, "decision_by_run"},
                                                                      {Numbered::quarantine, "quarantine_by_task"},
                                                                      {Numbered::forgotten, "forgotten_by_task"},
                                                                      {Numbered::text, "text_by_hash"}}};
  for (const auto& [table, index] : kIndexes) roots[index_of(table)] = root_of(schema, index);
  return roots;
}

/// The greatest numbers that rows had, by the indexes of the tables: a lost row may still be named there.
std::array<std::int64_t, kNumbered.size()> numbers_in_indexes(const Bytes& bytes, PageRows& pages) {
  std::array<std::int64_t, kNumbered.size()> greatest{};
  const auto roots = roots_of_indexes(bytes);
  pages.for_each_entry_below(roots, [&](std::size_t root, const PageRows::Row& entry) {
    if (entry.size() != 2) return;
    const auto table = static_cast<std::size_t>(std::find(roots.begin(), roots.end(), root) - roots.begin());
    if (const auto* last = std::get_if<std::int64_t>(&entry[1])) greatest[table] = std::max(greatest[table], *last);
  });
  return greatest;
}

/// Why SQLite's own checks are not enough; nothing if they are.
std::optional<std::string> why_not_believed(Numbered table, const PageRows::Row& row) {
  for (const sqlite::Value& value : row) {
    if (const auto* number = std::get_if<double>(&value); number != nullptr && !std::isfinite(*number)) {
      return "a number that is not valid";
    }
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && text->find('\0') != std::string::npos) return "a truncated text";
  }
  if (table == Numbered::text && content_hash(std::get<std::string>(row[2])).text != std::get<std::string>(row[1])) {
    return "a text whose hash is not its own";
  }
  constexpr std::size_t kSamples = 8;
  if (table != Numbered::trial) return std::nullopt;
  const auto* samples = std::get_if<std::string>(&row[kSamples]);
  if (samples == nullptr || !doubles_from_json(*samples)) return "samples that are not numbers";
  return std::nullopt;
}

/// Writes rows to the tables of the new database.
class Writer {
 public:
  Writer(const sqlite::Connection& to, std::size_t file_size) : to_(to), most_(static_cast<std::int64_t>(file_size)) {}

  RecoveredTable write(Numbered table, const RecoveredRows::Rows& rows, std::int64_t greatest) {
    RecoveredTable done{.name = std::string(name_of(table))};
    for (const auto& [number, row] : rows) {
      // A number that so small a file cannot have counted up to says nothing of how many rows there were.
      if (number <= most_) greatest = std::max(greatest, number);
      const auto why = why_not_believed(table, row);
      why ? refuse(done, *why) : insert(done, row);
    }
    done.lost = std::max(done.refused, greatest - done.rows);
    return done;
  }

  RecoveredTable write(std::string name, const RecoveredRows::Keyed& rows) {
    RecoveredTable done{.name = std::move(name)};
    for (const auto& [key, row] : rows) insert(done, row);
    done.lost = done.refused;
    return done;
  }

 private:
  static void refuse(RecoveredTable& table, std::string why) {
    if (++table.refused == 1) table.why_refused = std::move(why);
  }

  /// Types, ranges and what a row refers to are for the tables themselves to check.
  void insert(RecoveredTable& table, const PageRows::Row& row) {
    std::string sql = "INSERT INTO " + table.name + " VALUES (";
    for (std::size_t i = 0; i < row.size(); ++i) sql += fmt::format("{}?{}", i == 0 ? "" : ", ", i + 1);
    try {
      sqlite::Statement(to_, sql + ")").bind_all(row).run();
      ++table.rows;
    } catch (const sqlite::Failure& failure) {
      if (!failure.constraint()) throw;
      refuse(table, sqlite3_errmsg(to_.get()));
    }
  }

  const sqlite::Connection& to_;
  std::int64_t most_;
};

std::vector<RecoveredTable> write_rows(const fs::path& path, const RecoveredRows& rows,
                                       const std::array<std::int64_t, kNumbered.size()>& greatest,
                                       std::size_t file_size) {
  const auto to = open_database(path, Access::read_write, kCommandPatience, Durability::precious, decisions_format());
  std::vector<RecoveredTable> tables;
  sqlite::write(*to, [&] {
    tables.clear();
    Writer writer(*to, file_size);
    for (const Numbered table : kNumbered) {
      tables.push_back(writer.write(table, rows.of(table), greatest[index_of(table)]));
    }
    tables.push_back(writer.write("decision_tie", rows.ties()));
    tables.push_back(writer.write("decision_counter", rows.counters()));
    tables.push_back(writer.write("decision_text", rows.texts()));
  });
  if (const auto damage = find_damage(*to, decisions_format())) {
    fail(Errc::internal, "The recovered database is itself damaged ({}): please report this as a bug.", *damage);
  }
  return tables;
}

void warn_of_newer_format(std::vector<std::string>& warnings, const fs::path& from, const Bytes& bytes) {
  const std::uint32_t version = header_number(bytes, 60);
  if (header_number(bytes, 68) == static_cast<std::uint32_t>(decisions_format().application_id) &&
      version > decisions_format().steps.size() && version < 1000) {
    warnings.push_back(
        fmt::format("The header of {} names format {}, which belongs to a newer version of this program: what that "
                    "version added is not recovered.",
                    from.string(), version));
  }
}

void warn_of_what_was_not_read(std::vector<std::string>& warnings, const PageRows& pages, const fs::path& from) {
  if (!pages.gave_up()) return;
  warnings.push_back(
      fmt::format("Not all of {} was read: its pages refer to each other, so reading them would take more steps than a "
                  "valid file of its size needs. More may be lost than the counts say.",
                  from.string()));
}

void warn_of_what_counts_again(Recovered& recovered) {
  for (const RecoveredTable& table : recovered.tables) {
    if (table.lost == 0) continue;
    if (table.name == name_of(Numbered::forgotten)) {
      recovered.warnings.push_back(
          "Rows of `forgotten` are lost, unless `tuner prune` deleted them: what they marked as forgotten is in force "
          "again.");
    } else if (table.name == name_of(Numbered::quarantine)) {
      recovered.warnings.push_back(
          "Rows of `quarantine` are lost, unless `tuner prune` deleted them: the configurations that they quarantined "
          "may be launched again.");
    }
  }
}

void require_usable_target(const fs::path& to) {
  struct stat status {};
  if (lstat(to.c_str(), &status) == 0) {
    fail(Errc::bad_usage,
         "{} already exists and was not changed: give another name after that of the damaged database.", to.string());
  }
  if (to.extension() != ".db" || to.filename() == "binaries.db") {
    fail(Errc::bad_usage, "{} is not a valid name for a database of decisions: choose one that ends in .db.",
         to.string());
  }
}

}  // namespace

bool Recovered::nothing() const {
  return std::all_of(tables.begin(), tables.end(), [](const RecoveredTable& table) { return table.rows == 0; });
}

bool Recovered::all() const {
  return std::all_of(tables.begin(), tables.end(), [](const RecoveredTable& table) { return table.lost == 0; });
}

Recovered recover(const fs::path& from, const fs::path& to) try {
  require_usable_target(to);
  const DamagedFile damaged = read_damaged_file(from);
  const Bytes& bytes = damaged.bytes;
  if (header_number(bytes, 68) == static_cast<std::uint32_t>(binaries_format().application_id)) {
    fail(Errc::bad_usage,
         "{} contains only binaries, which are compiled again when they are needed: it can be deleted.", from.string());
  }
  Recovered recovered{.tables = {}, .warnings = damaged.warnings};
  warn_of_newer_format(recovered.warnings, from, bytes);
  const Found found = find_rows(bytes);
  warn_of_what_was_not_read(recovered.warnings, *found.pages, from);
  if (found.rows->count() == 0) return recovered;
  FreshFile file(to, false);
  recovered.tables = write_rows(file.path(), *found.rows, numbers_in_indexes(bytes, *found.pages), bytes.size());
  warn_of_what_counts_again(recovered);
  if (!recovered.nothing()) file.publish(0600);
  return recovered;
} catch (const std::bad_alloc&) {
  fail(Errc::store_unavailable,
       "There is not enough memory to recover {}, which takes about three times its size: allow this process more "
       "(`ulimit -v`), or recover its beginning: `head -c 100M FILE > part.db`.",
       from.string());
}

}  // namespace tuner::cache
