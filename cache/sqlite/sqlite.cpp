#include "cache/sqlite/sqlite.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <random>
#include <system_error>
#include <thread>

#include "cache/file/fail.hpp"
#include "cache/file/folder_sync.hpp"
#include "cache/file/hash.hpp"
#include "tuner/ground/file_variable.hpp"

namespace tuner::cache::sqlite {
namespace {

constexpr int kBuildChecksumParts = 5;

std::string_view first_line(std::string_view call) {
  call.remove_prefix(std::min(call.find_first_not_of('\n'), call.size()));
  return call.substr(0, call.find('\n'));
}

/// Every statement here fits the format's schema, so a name that is missing was removed by another program.
bool lacks_part(std::string_view message) {
  return message.starts_with("no such table") || message.starts_with("no such column") ||
         message.find("has no column named") != std::string_view::npos ||
         message.starts_with("access to view");  // a view in a table's place: see harden
}

std::shared_ptr<const OpenFolder> folder_of(const std::filesystem::path& path) {
  try {
    return std::make_shared<const OpenFolder>(OpenFolder::of(path));
  } catch (const std::system_error& error) {
    throw Failure(Errc::store_unavailable, SQLITE_CANTOPEN,
                  fmt::format("The folder of the database {} cannot be reached: {}. Choose another place with --db or "
                              "TUNER_DB.",
                              path.string(), error.code().message()));
  }
}

}  // namespace

Connection::Connection(std::shared_ptr<const OpenFolder> folder, const std::string& name, int flags,
                       std::chrono::milliseconds busy_timeout)
    : Connection(folder->path() / name, folder, busy_timeout) {
  open_file(name, flags);
}

Connection::Connection(const std::filesystem::path& path, int flags, std::chrono::milliseconds busy_timeout)
    : Connection(path, path == ":memory:" ? nullptr : folder_of(path), busy_timeout) {
  if (folder_ == nullptr) {
    open_in_memory();
  } else {
    path_ = folder_->path() / path.filename();
    open_file(path.filename(), flags);
  }
}

void Connection::open_file(const std::string& name, int flags) {
#if defined(TUNER_OWN_SQLITE)
  // Where no other code of the program uses this SQLite, it allocates pages as it reads them, and not twenty at once: a
  // start reads four, and touching memory for the first time costs about a microsecond a page.
  static const int configured = sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
  static_cast<void>(configured);
#endif
  const std::string path = folder_->path_of(name);
  identity_ = find_identity();
  const bool writes = (flags & SQLITE_OPEN_READWRITE) != 0;
  vfs_ = std::make_unique<GuardedVfs>(folder_, name, path,
                                      writes ? GuardedVfs::Allow::read_and_write : GuardedVfs::Allow::read);
  const int opened = sqlite3_open_v2(path.c_str(), handle_.out(), flags | SQLITE_OPEN_EXRESCODE, vfs_->name());
  vfs_->hide();
  check(opened, "open");
  check(sqlite3_busy_handler(get(), on_busy, this), "busy_handler");
  // SQLITE_TMPDIR and TMPDIR say where its temporary files are.
  if (has_rights_of_another()) execute("PRAGMA temp_store = MEMORY");
  add_functions();
}

std::optional<std::vector<std::string>> Connection::find_row(const char* table,
                                                             std::initializer_list<const char*> columns,
                                                             std::int64_t row) const {
  std::vector<UniqueHandle<sqlite3_blob*, sqlite3_blob_close>> opened;  // all at once: in one transaction
  std::vector<std::string> values;
  for (const char* const column : columns) {
    sqlite3_blob* blob = nullptr;
    const int result = sqlite3_blob_open(get(), "main", table, column, row, 0, &blob);
    opened.emplace_back(blob);
    if (result == SQLITE_ERROR) return std::nullopt;
    check(result, "blob_open");
    std::string& value = values.emplace_back(static_cast<std::size_t>(sqlite3_blob_bytes(blob)), '\0');
    check(sqlite3_blob_read(blob, value.data(), static_cast<int>(value.size()), 0), "blob_read");
  }
  return values;
}

void Connection::open_in_memory() {
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_EXRESCODE;
  check(sqlite3_open_v2(":memory:", handle_.out(), kFlags, nullptr), "open");
  add_functions();
}

void Connection::add_functions() {
  const auto checksum = [](sqlite3_context* context, int count, sqlite3_value** values) {
    std::string_view texts[kBuildChecksumParts];
    for (int i = 0; i < count; ++i) {
      const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
      if (text != nullptr) texts[i] = {text, static_cast<std::size_t>(sqlite3_value_bytes(values[i]))};
    }
    const std::string sum = content_hash({texts[0], texts[1], texts[2], texts[3], texts[4]}).text;
    sqlite3_result_text(context, sum.data(), static_cast<int>(sum.size()), SQLITE_TRANSIENT);
  };
  check(sqlite3_create_function_v2(get(), "build_checksum", kBuildChecksumParts,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nullptr, checksum, nullptr,
                                   nullptr, nullptr),
        "create_function");
}

std::unique_ptr<Connection> Connection::of_image(const Connection& from, std::span<const std::byte> image) {
  std::unique_ptr<Connection> copy(new Connection(from.path_, from.folder_, from.patience_));
  copy->open_in_memory();
  copy->is_image_ = true;
  if (image.empty()) return copy;  // the first transaction of a new file was never committed
  auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
  if (bytes == nullptr) throw std::bad_alloc();
  std::memcpy(bytes, image.data(), image.size());
  const auto size = static_cast<sqlite3_int64>(image.size());
  // The bytes are SQLite's from here on, even if this fails.
  copy->check(sqlite3_deserialize(copy->get(), "main", bytes, size, size,
                                  SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY),
              "deserialize");
  return copy;
}

std::unique_ptr<Connection> Connection::copy_in_memory(const Connection& from) {
  std::unique_ptr<Connection> copy(new Connection(from.path_, from.folder_, from.patience_));
  copy->open_in_memory();
  sqlite3_backup* const backup = sqlite3_backup_init(copy->get(), "main", from.get(), "main");
  if (backup == nullptr) copy->check(sqlite3_extended_errcode(copy->get()), "backup_init");
  const int copied = sqlite3_backup_step(backup, -1);
  copy->check(sqlite3_backup_finish(backup), "backup_finish");
  // Finishing says nothing of a lock that kept the copy from being made.
  from.check(copied == SQLITE_OK ? SQLITE_ERROR : copied, "backup_step");
  return copy;
}

std::unique_ptr<Connection> Connection::copy_in_memory(std::unique_ptr<Connection> from) {
  std::unique_ptr<Connection> copy = copy_in_memory(*from);
  copy->source_ = std::move(from);
  return copy;
}

std::optional<FileIdentity> Connection::find_identity() const noexcept {
  struct stat status {};
  if (lstat(path_.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

bool Connection::is_replaced() const noexcept {
  return find_identity() != identity_;
}

bool Connection::is_outdated() const {
  if (source_ != nullptr) return source_->is_outdated();
  if (is_image_ || is_replaced()) return true;
  if (folder_->has(path_.filename().string() + "-journal")) return true;
  try {
    return data_version_ && integer("PRAGMA data_version") != *data_version_;
  } catch (const Error&) {
    return true;  // opening it again says why it cannot be read
  }
}

std::optional<std::string> Connection::obstacle() const {
  if (folder_ == nullptr) return std::nullopt;
  for (const char* const suffix : {"-journal", "-wal"}) {
    const std::string name = path_.filename().string() + suffix;
    const auto status = folder_->look_at(name);
    if (!status || S_ISREG(status->st_mode)) continue;
    return fmt::format("{} is {}", (folder_->path() / name).string(),
                       S_ISLNK(status->st_mode)    ? "a symbolic link"
                       : S_ISDIR(status->st_mode)  ? "a folder"
                       : S_ISFIFO(status->st_mode) ? "a pipe"
                                                   : "not a regular file");
  }
  return std::nullopt;
}

// SQLite's own handler comes to sleep for 100 ms at a time; beside processes that write without pause its turn may not
// come for seconds.
int Connection::on_busy(void* connection, int waits) {
  auto& self = *static_cast<Connection*>(connection);
  // SQLite takes a file system without locks for one where somebody else has the lock; errno knows better, since a lock
  // that was refused was its last call to fail.
  self.no_locks_ = errno == ENOLCK;
  if (self.no_locks_) return 0;
  const auto now = std::chrono::steady_clock::now();
  if (waits == 0) self.give_up_ = now + self.patience_;
  if (now >= self.give_up_) return 0;
  // Within a transaction others may be waiting for this process, and a reader's turn is short: it comes between two
  // commits.
  wait_a_little(sqlite3_get_autocommit(self.get()) == 0 ? 0 : waits);
  return 1;
}

void Connection::note_commit() const {
  // What it says is of no use: the rows are stored, and a disk that fails here fails the next commit.
  if (confirms_commits_) sync_folder(*folder_);
  last_commit_ = std::chrono::steady_clock::now();
}

void Connection::execute(const std::string& sql) const {
  check(sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr), sql);
}

void Connection::vacuum() const {
  // It attaches a temporary file, which is the only one that may be, and the only one that is: it holds all rows.
  execute("PRAGMA temp_store = FILE");
  vfs_->show();
  sqlite3_limit(get(), SQLITE_LIMIT_ATTACHED, 1);
  const int done = sqlite3_exec(get(), "VACUUM", nullptr, nullptr, nullptr);
  sqlite3_limit(get(), SQLITE_LIMIT_ATTACHED, 0);
  vfs_->hide();
  check(done, "VACUUM");
  execute("PRAGMA temp_store = MEMORY");
  note_commit();
}

std::int64_t Connection::integer(const std::string& sql) const {
  Statement statement(*this, sql);
  if (!statement.step()) fail(Errc::internal, "\"{}\" returned no row.", sql);
  return statement.integer(0);
}

void Connection::require_at_its_path() const {
  if (folder_ == nullptr || folder_->is_at_its_path()) return;
  check(SQLITE_READONLY_DBMOVED, "write");
}

void Connection::check(int result, std::string_view call) const {
  if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) return;
  // The detail goes last: what SQLite said belongs to the connection's latest call, which is the one that is checked.
  const bool says_why = get() != nullptr && sqlite3_extended_errcode(get()) == result;
  Explanation explanation = explain(result, path_, patience_, no_locks_);
  if (const auto what = (result & 0xff) == SQLITE_CANTOPEN ? obstacle() : std::nullopt) {
    explanation.sentence = fmt::format(
        "{}, in the place of a file that SQLite keeps next to the database {}, which cannot be used like that. Remove "
        "it, or choose another place with --db or TUNER_DB.",
        *what, path_.string());
  }
  explanation.sentence += fmt::format(" (SQLite error {} in \"{}\": {}", result, first_line(call),
                                      says_why ? sqlite3_errmsg(get()) : sqlite3_errstr(result));
  if (const int system = get() == nullptr ? 0 : sqlite3_system_errno(get()); system != 0) {
    explanation.sentence += fmt::format("; {}", std::strerror(system));
  }
  explanation.sentence += ")";
  throw Failure(explanation.errc, result, explanation.sentence);
}

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(&connection) {
  const int result =
      sqlite3_prepare_v2(connection.get(), sql.data(), static_cast<int>(sql.size()), handle_.out(), nullptr);
  if ((result & 0xff) == SQLITE_ERROR && lacks_part(sqlite3_errmsg(connection.get()))) {
    throw Failure(
        Errc::store_damaged, result,
        fmt::format("The database {} is damaged: it lacks a part that its format has ({}). {}",
                    connection.path().string(), sqlite3_errmsg(connection.get()), damage_next_step(connection.path())));
  }
  connection.check(result, sql);
}

bool Statement::step() {
  const int result = sqlite3_step(handle_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) {
    // A statement that failed keeps its locks until it is reset; the message has to be taken first.
    const UniqueHandle<sqlite3_stmt*, sqlite3_reset> reset(handle_.get());
    connection_->check(result, sqlite3_sql(handle_.get()));
  }
  return result == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(handle_.get());
}

std::string Statement::text(int column) const {
  const unsigned char* const data = sqlite3_column_text(handle_.get(), column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Value Statement::value(int column) const {
  switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return real(column);
    case SQLITE_TEXT:
      return text(column);
    default:
      return {};
  }
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* const data = sqlite3_column_blob(handle_.get(), column);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

void Statement::bind_text(int index, std::string_view value) {
  // A null pointer would bind NULL, and an empty string_view may hold one.
  const char* const data = value.empty() ? "" : value.data();
  check_bound(sqlite3_bind_text64(handle_.get(), index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_blob(int index, std::span<const std::byte> value) {
  const void* const data = value.empty() ? static_cast<const void*>("") : value.data();
  check_bound(sqlite3_bind_blob64(handle_.get(), index, data, value.size(), SQLITE_TRANSIENT));
}

Transaction::Transaction(const Connection& connection, Kind kind) : connection_(connection) {
  if (kind == Kind::write) connection_.require_at_its_path();
  connection_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite rolls back by itself after some errors (a full disk, for one).
  if (open_ && sqlite3_get_autocommit(connection_.get()) == 0) {
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

void wait_a_little(int waits) {
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<int> microseconds(
      100, std::min<int>(500 * (waits + 1), std::chrono::microseconds(kLongestBackoff).count()));
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
}

}  // namespace tuner::cache::sqlite
