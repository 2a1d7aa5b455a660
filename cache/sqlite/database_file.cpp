#include "cache/sqlite/database_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/sqlite/schema_parts.hpp"
#include "cache/sqlite/settled_image.hpp"
#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestSqlite = 3037000;  // STRICT tables
static_assert(SQLITE_VERSION_NUMBER >= kOldestSqlite);

constexpr int kFlags = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;

[[noreturn]] void unavailable(const std::string& what, int error) {
  fail(Errc::store_unavailable, "{}: {}. Choose another place with --db or TUNER_DB.", what, std::strerror(error));
}

/// Like `mkdir -p`, but what it creates belongs to this user alone.
void create_private_folders(const fs::path& folder) {
  if (folder.empty()) return;
  bool created = mkdir(folder.c_str(), 0700) == 0;
  if (!created && errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    create_private_folders(folder.parent_path());
    created = mkdir(folder.c_str(), 0700) == 0;
  }
  if (created && sync_folder(folder.parent_path())) return;  // SQLite does that for the file, with its first commit
  if (!created && errno == EEXIST) return;
  unavailable(fmt::format("The folder {} for the database cannot be created", folder.string()), errno);
}

/// mknod rather than open: closing a second descriptor of a database drops the locks that SQLite holds in this process.
void create_private_file(const OpenFolder& folder, const std::string& name) {
  if (mknodat(folder.descriptor(), name.c_str(), S_IFREG | 0600, 0) == 0 || errno == EEXIST) return;
  unavailable(fmt::format("The database {} cannot be created", (folder.path() / name).string()), errno);
}

[[noreturn]] void is_not_there(const fs::path& file) {
  fail(Errc::store_unavailable,
       "There is no database {} yet. `tuner tune` creates it; --db or TUNER_DB names another one.", file.string());
}

void require_regular_file(const OpenFolder& folder, const std::string& name) {
  const fs::path file = folder.path() / name;
  const auto status = folder.look_at(name);
  if (!status) {
    if (errno == ENOENT) is_not_there(file);
    unavailable(fmt::format("The database {} cannot be reached", file.string()), errno);
  }
  if (S_ISLNK(status->st_mode)) {
    fail(Errc::store_unavailable,
         "{} is a symbolic link, and databases are not opened through links: name the file that it points to.",
         file.string());
  }
  if (!S_ISREG(status->st_mode)) {
    fail(Errc::store_unavailable,
         "{} is not a file, so it cannot be the database: name a file that ends in .db, or a folder.", file.string());
  }
}

/// A file that can be written is not enough: a rollback journal is created beside it for every transaction.
void require_writable(const sqlite::Connection& connection) {
  const fs::path folder = connection.path().parent_path();
  if (!connection.may_write()) {
    unavailable(fmt::format("The database {} is not writable", connection.path().string()), EACCES);
  }
  if (faccessat(connection.folder()->descriptor(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    unavailable(fmt::format("The folder {} of the database is not writable", folder.string()), errno);
  }
}

void configure(const sqlite::Connection& connection, int option, int value, std::string_view name) {
  connection.check(sqlite3_db_config(connection.get(), option, value, nullptr), name);
}

void harden(const sqlite::Connection& connection) {
  // A database is data that may come from anywhere: its schema must not be able to make SQLite do anything else.
  configure(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, "defensive");
  configure(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, "trusted_schema");
  configure(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, "enable_trigger");
  configure(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, "foreign_keys");
  sqlite3_limit(connection.get(), SQLITE_LIMIT_ATTACHED, 0);
  connection.execute("PRAGMA cell_size_check = ON");
  // What is sorted needs no room in TMPDIR: where that is full, SQLite speaks of the database's disk.
  connection.execute("PRAGMA temp_store = MEMORY");
}

/// No statement of this program reads a view of the file, and one in the place of a table could be without end. Only
/// the steps from one format to the next have to see them.
void shut_views(const sqlite::Connection& connection) {
  configure(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, "enable_view");
}

void use_rollback_journal(const sqlite::Connection& connection) {
  // Not WAL: it fails or corrupts on network file systems and cannot be read from a read-only folder.
  sqlite::Statement statement(connection, "PRAGMA journal_mode = DELETE");
  if (statement.step() && statement.text(0) == "delete") return;
  fail(Errc::store_unavailable,
       "The database {} was switched to another journal mode by a program that is still using it. Close that program "
       "and try again.",
       connection.path().string());
}

/// Two bytes of the header say which versions of SQLite may write the file and read it.
void require_writable_header(const sqlite::Connection& connection) {
  if (connection.may_write()) return;
  fail(Errc::store_damaged,
       "The database {} is damaged: its header says that no known version of SQLite may write it. {}",
       connection.path().string(), sqlite::damage_next_step(connection.path()));
}

void press_the_disk(sqlite::Connection& connection, Durability durability) {
  const bool precious = durability == Durability::precious;
  connection.execute(precious ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (precious) connection.confirm_commits();
}

/// The steps to a newer format read what is called like a table, views too.
void require_no_view_as_table(const sqlite::Connection& connection, const Format& format) {
  const std::size_t version = format_version(connection, format);
  if (version == 0 || version == format.steps.size()) return;
  if (const auto mistake = find_view_as_table(connection, format)) {
    fail(Errc::store_damaged, "The database {} is damaged: {}. {}", connection.path().string(), *mistake,
         sqlite::damage_next_step(connection.path()));
  }
}

std::size_t version_of(const sqlite::Connection& connection, const Format& format) {
  const sqlite::Transaction snapshot(connection, sqlite::Transaction::Kind::read);
  return format_version(connection, format);
}

/// A reader changes no file, and an older one may belong to another user: the missing steps are taken in memory.
std::unique_ptr<sqlite::Connection> up_to_date_copy(std::unique_ptr<sqlite::Connection> from, const Format& format) {
  auto copy = sqlite::Connection::copy_in_memory(std::move(from));
  harden(*copy);
  bring_up_to_date(*copy, format);
  return copy;
}

/// The database as a reader is to see it.
std::unique_ptr<sqlite::Connection> seen(std::unique_ptr<sqlite::Connection> file, const Format& format) {
  harden(*file);
  if (const auto image = settled_image(*file)) {
    file = sqlite::Connection::of_image(*file, *image);
    harden(*file);
  }
  const std::int64_t data_version = file->integer("PRAGMA data_version");
  if (const std::size_t version = version_of(*file, format); version < format.steps.size()) {
    require_no_view_as_table(*file, format);
    file->outdate_with_changes_after(data_version);  // that may be the missing steps
    // Version 0: whoever created the file has not committed its first transaction, and may have been killed in it.
    if (version > 0 && version <= format.views.size()) {
      file->execute(format.views[version - 1]);
    } else {
      file = up_to_date_copy(std::move(file), format);
    }
  }
  shut_views(*file);
  file->execute("PRAGMA query_only = ON");
  return file;
}

}  // namespace

std::shared_ptr<const OpenFolder> open_folder_of(const fs::path& path) {
  try {
    return std::make_shared<const OpenFolder>(OpenFolder::of(path));
  } catch (const std::system_error& error) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    unavailable(fmt::format("The folder {} of the database cannot be reached", folder.string()), error.code().value());
  }
}

fs::path resolved(const fs::path& path) {
  return open_folder_of(path)->path() / path.filename();
}

std::unique_ptr<sqlite::Connection> open_database(const fs::path& path, Access access,
                                                  std::chrono::milliseconds busy_timeout, Durability durability,
                                                  const Format& format) {
  if (sqlite3_libversion_number() < kOldestSqlite) {
    fail(Errc::store_unavailable, "The SQLite library that was loaded is version {}; this program needs 3.37 or later.",
         sqlite3_libversion());
  }
  if (access == Access::read_write) create_private_folders(path.parent_path());
  const auto folder = open_folder_of(path);
  const std::string name = path.filename();
  if (access == Access::read_write) create_private_file(*folder, name);
  require_regular_file(*folder, name);

  if (access == Access::read_only) {
    if (!folder->look_at_content(name)) is_not_there(folder->path() / name);
    return seen(std::make_unique<sqlite::Connection>(folder, name, SQLITE_OPEN_READONLY | kFlags, busy_timeout),
                format);
  }
  auto connection = std::make_unique<sqlite::Connection>(folder, name, SQLITE_OPEN_READWRITE | kFlags, busy_timeout);
  harden(*connection);
  require_writable(*connection);
  use_rollback_journal(*connection);
  require_writable_header(*connection);
  press_the_disk(*connection, durability);
  require_no_view_as_table(*connection, format);
  bring_up_to_date(*connection, format);
  make_missing_parts_again(*connection, format);
  shut_views(*connection);
  return connection;
}

std::unique_ptr<sqlite::Connection> open_as_it_is(const fs::path& path, std::chrono::milliseconds busy_timeout) {
  const auto folder = open_folder_of(path);
  const std::string name = path.filename();
  require_regular_file(*folder, name);
  auto connection = std::make_unique<sqlite::Connection>(folder, name, SQLITE_OPEN_READWRITE | kFlags, busy_timeout);
  harden(*connection);
  shut_views(*connection);
  press_the_disk(*connection, Durability::precious);
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
