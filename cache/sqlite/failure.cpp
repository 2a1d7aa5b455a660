#include "cache/sqlite/failure.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace tuner::cache::sqlite {

const char* damage_next_step(const std::filesystem::path& path) {
  if (path.filename() == "binaries.db")
    return "The next `tuner tune` that uses it renames it and starts a fresh one, or delete it: what it holds is "
           "compiled again.";
  return "Nothing was deleted: the next `tuner tune` that uses it renames it and starts a fresh one; `tuner recover "
         "FILE` writes what can still be read to a new database.";
}

Explanation explain(int result, const std::filesystem::path& path, std::chrono::milliseconds busy_timeout,
                    bool no_locks) {
  const std::string name = path.string();
  const char* const elsewhere = "choose another place with --db or TUNER_DB";
  if (no_locks && (result & 0xff) == SQLITE_BUSY) {
    return {Errc::store_unavailable,
            fmt::format("The database {} is on a file system that has no file locks (a network file system without its "
                        "lock service, perhaps), so several processes could damage it: {}.",
                        name, elsewhere)};
  }
  if (result == SQLITE_READONLY_ROLLBACK) {
    return {Errc::store_unavailable,
            fmt::format("A process was stopped while writing the database {}, and reading changes nothing: the next "
                        "`tuner tune` or `tuner forget` that uses it cleans up, or {}.",
                        name, elsewhere)};
  }
  if (result == SQLITE_AUTH) {
    return {
        Errc::store_unavailable,
        fmt::format(
            "The database {} is part of a transaction over several files (the journal beside it names others), and "
            "this program changes no files but its own: if you trust the database, open it once with sqlite3, or {}.",
            name, elsewhere)};
  }
  if (result == SQLITE_READONLY_DBMOVED) {
    return {Errc::store_unavailable,
            fmt::format("The database {} was deleted, renamed or replaced while this program had it open, so nothing "
                        "more can be stored in it. Leave it in place while it is in use.",
                        name)};
  }
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::store_unavailable,
              fmt::format("The database {} was locked by another process for more than {}. Try again when that process "
                          "has finished, or choose another place with --db or TUNER_DB.",
                          name, busy_timeout)};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return {Errc::store_damaged,
              fmt::format("The database {} is damaged or not a database. {}", name, damage_next_step(path))};
    case SQLITE_FULL:
      return {
          Errc::store_unavailable,
          fmt::format("There is no space on the disk to write the database {}. Free some, or {}.", name, elsewhere)};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {
          Errc::store_unavailable,
          fmt::format("The database {} is not writable. Make the file and its folder writable for this user, or {}.",
                      name, elsewhere)};
    case SQLITE_CANTOPEN:
      return {
          Errc::store_unavailable,
          fmt::format("The database {} (or a file beside it that belongs to it) cannot be opened. Check that the file "
                      "and its folder can be read and written by this user, or {}.",
                      name, elsewhere)};
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
      return {Errc::store_unavailable,
              fmt::format("Reading or writing the database {} failed. Check the disk or the network file system that "
                          "it is on, including its quota and limits on file size, or {}.",
                          name, elsewhere)};
    case SQLITE_NOMEM:
      return {Errc::store_unavailable, fmt::format("There is not enough memory to use the database {}.", name)};
    // Rows are examined before they are written (store_rules.hpp), so the rule that this one breaks is none of ours.
    case SQLITE_CONSTRAINT:
      return {Errc::store_damaged,
              fmt::format("The database {} was changed by another program: it rejects rows that its format allows. "
                          "Drop the unique indexes and references that were added to it, or {}.",
                          name, elsewhere)};
    // What a statement of this program may do wrong whatever the file holds.
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_ABORT:
    case SQLITE_INTERRUPT:
      return {Errc::internal, fmt::format("The database {} rejected a statement: please report this as a bug.", name)};
    default:
      return {Errc::store_damaged, fmt::format("The database {} is damaged or was changed by another program: it "
                                               "rejects rows that its format allows. {}",
                                               name, damage_next_step(path))};
  }
}

}  // namespace tuner::cache::sqlite
