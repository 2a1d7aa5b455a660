#include "cache/sqlite/format.hpp"

#include <fmt/format.h>

#include <optional>

#include "cache/file/fail.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {

std::size_t format_version(const sqlite::Connection& connection, const Format& format) {
  const std::string path = connection.path().string();
  // In one transaction: another process may be writing the first step.
  std::optional<sqlite::Transaction> same;
  if (sqlite3_get_autocommit(connection.get()) != 0) same.emplace(connection, sqlite::Transaction::Kind::read);
  const std::int64_t application = connection.integer("PRAGMA application_id");
  const std::int64_t version = connection.integer("PRAGMA user_version");
  // Asked in any case: that reads the schema, so that one which cannot be read is found here.
  const bool empty = connection.integer("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") != 0;
  if (application == 0 && version == 0 && empty) return 0;
  if (application != format.application_id) {
    fail(Errc::store_unavailable,
         "{} is a database, but not one of this program's with {} (its application_id is {:#010x}). It was not "
         "changed: choose another place with --db or TUNER_DB.",
         path, format.contents, static_cast<std::uint32_t>(application));
  }
  const auto known = static_cast<std::int64_t>(format.steps.size());
  if (version > known) {
    fail(Errc::store_newer,
         "The database {} was written by a newer version of this program (its format is {}, this program supports "
         "formats up to {}). Use that version, or choose another place with --db or TUNER_DB.",
         path, version, known);
  }
  if (version < 1) {
    fail(Errc::store_damaged, "The database {} is damaged: its header names format {}, which never existed. {}", path,
         version, sqlite::damage_next_step(connection.path()));
  }
  return static_cast<std::size_t>(version);
}

namespace {

/// A step copies rows that other programs may have changed.
void take_step(const sqlite::Connection& connection, const char* step) {
  try {
    connection.execute(step);
  } catch (const sqlite::Failure& failure) {
    if (!failure.constraint()) throw;
    fail(Errc::store_damaged,
         "The database {} is damaged: it cannot be brought up to date, because a row violates the rules of its format "
         "({}). {}",
         connection.path().string(), sqlite3_errmsg(connection.get()), sqlite::damage_next_step(connection.path()));
  }
}

}  // namespace

void bring_up_to_date(const sqlite::Connection& connection, const Format& format) {
  {
    const sqlite::Transaction snapshot(connection, sqlite::Transaction::Kind::read);
    if (format_version(connection, format) == format.steps.size()) return;
  }
  sqlite::write(connection, [&] {
    // Looked at again: another process may have done the work while this one waited for the lock.
    for (std::size_t version = format_version(connection, format); version < format.steps.size(); ++version) {
      take_step(connection, format.steps[version]);
      connection.execute(fmt::format("PRAGMA application_id = {}", format.application_id));
      connection.execute(fmt::format("PRAGMA user_version = {}", version + 1));
    }
  });
}

}  // namespace tuner::cache
