#include "cache/database_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cache/schema_parts.hpp"
#include "cache/sqlite.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestSqlite = 3037000;  // STRICT tables
static_assert(SQLITE_VERSION_NUMBER >= kOldestSqlite);

[[noreturn]] void unavailable(const std::string& what, int error) {
  throw Error(Errc::store_unavailable,
              fmt::format("{}: {}. Choose another place with --db or TUNER_DB.", what, std::strerror(error)));
}

/// Like `mkdir -p`, but what it creates belongs to this user alone.
void create_private_folders(const fs::path& folder) {
  if (folder.empty() || mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  if (errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    create_private_folders(folder.parent_path());
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  }
  unavailable(fmt::format("The folder {} for the database cannot be created", folder.string()), errno);
}

/// mknod rather than open: closing a second descriptor of a database drops the locks that SQLite holds in this process.
void create_private_file(const fs::path& file) {
  if (mknod(file.c_str(), S_IFREG | 0600, 0) == 0 || errno == EEXIST) return;
  unavailable(fmt::format("The database {} cannot be created", file.string()), errno);
}

void require_regular_file(const fs::path& file) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) {
      throw Error(Errc::store_unavailable, fmt::format("There is no database {} yet. `tuner tune` creates it; --db or "
                                                       "TUNER_DB names another one.",
                                                       file.string()));
    }
    unavailable(fmt::format("The database {} cannot be reached", file.string()), errno);
  }
  if (S_ISLNK(status.st_mode)) {
    throw Error(Errc::store_unavailable,
                fmt::format("{} is a symbolic link, and databases are not opened through links: "
                            "name the file that it points to.",
                            file.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(
        Errc::store_unavailable,
        fmt::format("{} is not a file, so it cannot be the database: name a file that ends in .db, or a folder.",
                    file.string()));
  }
}

/// A file that can be written is not enough: a rollback journal is created beside it for every transaction.
void require_writable(const sqlite::Connection& connection) {
  const fs::path folder = connection.path().parent_path();
  if (!connection.may_write()) {
    unavailable(fmt::format("The database {} may not be written", connection.path().string()), EACCES);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    unavailable(fmt::format("The folder {} of the database may not be written", folder.string()), errno);
  }
}

void configure(const sqlite::Connection& connection, int option, int value, std::string_view name) {
  connection.check(sqlite3_db_config(connection.get(), option, value, nullptr), name);
}

void harden(const sqlite::Connection& connection) {
  // A database is data that may come from anywhere: its schema must not be able to make SQLite do anything else.
  configure(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, "defensive");
  configure(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, "trusted_schema");
  configure(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, "foreign_keys");
  connection.execute("PRAGMA cell_size_check = ON");
}

void use_rollback_journal(const sqlite::Connection& connection) {
  // Not WAL: it fails or corrupts on network file systems and cannot be read from a read-only folder.
  sqlite::Statement statement(connection, "PRAGMA journal_mode = DELETE");
  if (statement.step() && statement.text(0) == "delete") return;
  throw Error(
      Errc::store_unavailable,
      fmt::format("The database {} was switched to another journal mode by a program that is using it now. Close "
                  "that program and try again.",
                  connection.path().string()));
}

/// Two bytes of the header say which versions of SQLite may write the file and read it.
void require_writable_header(const sqlite::Connection& connection) {
  if (connection.may_write()) return;
  throw Error(
      Errc::store_damaged,
      fmt::format("The database {} is damaged: its header says that no known version of SQLite may write it. {}",
                  connection.path().string(), sqlite::kDamageNextStep));
}

bool is_up_to_date(const sqlite::Connection& connection, const Format& format) {
  const sqlite::Transaction snapshot(connection, sqlite::Transaction::Kind::read);
  const std::size_t version = format_version(connection, format);
  if (version == 0) {
    throw Error(Errc::store_unavailable,
                fmt::format("The database {} is empty: nothing was recorded in it yet.", connection.path().string()));
  }
  return version == format.steps.size();
}

/// A reader changes no file, and an older one may belong to somebody else: the missing steps are taken in memory.
std::unique_ptr<sqlite::Connection> up_to_date_copy(const sqlite::Connection& from, const Format& format) {
  auto copy = sqlite::Connection::copy_in_memory(from);
  harden(*copy);
  bring_up_to_date(*copy, format);
  copy->execute("PRAGMA query_only = ON");
  return copy;
}

}  // namespace

void use(const sqlite::Connection& connection, Durability durability) {
  switch (durability) {
    case Durability::precious:
      return connection.execute("PRAGMA synchronous = EXTRA");
    case Durability::repeatable:
      return connection.execute("PRAGMA synchronous = FULL");
    case Durability::rebuildable:
      return connection.execute("PRAGMA synchronous = NORMAL");
  }
}

fs::path resolved(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  const fs::path canonical = fs::canonical(folder, error);
  if (error)
    unavailable(fmt::format("The folder {} of the database cannot be reached", folder.string()), error.value());
  return canonical / path.filename();
}

std::unique_ptr<sqlite::Connection> open_database(const fs::path& path, Access access,
                                                  std::chrono::milliseconds busy_timeout, Durability durability,
                                                  const Format& format) {
  if (sqlite3_libversion_number() < kOldestSqlite) {
    throw Error(Errc::store_unavailable,
                fmt::format("The SQLite library that was loaded is version {}; this program needs "
                            "3.37 or later.",
                            sqlite3_libversion()));
  }
  if (access == Access::read_write) create_private_folders(path.parent_path());
  const fs::path file = resolved(path);
  if (access == Access::read_write) create_private_file(file);
  require_regular_file(file);

  // A reader asks for write permission too and gets on without it: see Access::read_only.
  auto connection = std::make_unique<sqlite::Connection>(
      file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX,
      busy_timeout);
  harden(*connection);
  if (access == Access::read_only) {
    connection->execute("PRAGMA query_only = ON");
    return is_up_to_date(*connection, format) ? std::move(connection) : up_to_date_copy(*connection, format);
  }
  require_writable(*connection);
  use_rollback_journal(*connection);
  require_writable_header(*connection);
  use(*connection, durability);
  bring_up_to_date(*connection, format);
  make_missing_parts_again(*connection, format);
  return connection;
}

std::optional<std::string> find_damage(const sqlite::Connection& connection, const Format& format) {
  // First, since the rest computes what a column that was put in another one's place says.
  if (auto missing = find_missing_part(connection, format)) return missing;
  sqlite::Statement integrity(connection, "PRAGMA integrity_check(1)");
  if (integrity.step() && integrity.text(0) != "ok") return integrity.text(0);
  sqlite::Statement references(connection, "PRAGMA foreign_key_check");
  if (references.step()) {
    return fmt::format("row {} of table {} refers to a row of {} that does not exist", references.integer(1),
                       references.text(0), references.text(2));
  }
  return find_changed_constants(connection, format);
}

}  // namespace tuner::cache
