#pragma once

#include <sqlite3.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cache/file/open_folder.hpp"
#include "cache/sqlite/failure.hpp"
#include "cache/sqlite/guarded_vfs.hpp"
#include "tuner/error.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner::cache::sqlite {

/// What tells a file from another one that gets its name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// How long a process that waits for a lock sleeps between two attempts, at most.
inline constexpr std::chrono::milliseconds kLongestBackoff{10};

/// What a column of a row holds, whatever table it is in; a blob, which no table here has but that of binaries, is
/// NULL.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

/// One open database. Used by one thread at a time and never carried over a fork.
class Connection {
 public:
  /// Opens the file of this name in `folder` with these SQLITE_OPEN_ flags, and touches no other file but its journal
  /// and its write-ahead log (see GuardedVfs). A call that meets another process's lock waits for up to `busy_timeout`.
  Connection(std::shared_ptr<const OpenFolder> folder, const std::string& name, int flags,
             std::chrono::milliseconds busy_timeout);
  /// The same by a path; ":memory:" is an empty database in memory. Throws Failure where its folder cannot be reached.
  Connection(const std::filesystem::path& path, int flags, std::chrono::milliseconds busy_timeout);
  /// A copy in memory of what `from` holds, which keeps the file's name for messages.
  static std::unique_ptr<Connection> copy_in_memory(const Connection& from);
  /// The same, and keeps `from`, so that the copy is outdated when `from` is.
  static std::unique_ptr<Connection> copy_in_memory(std::unique_ptr<Connection> from);
  /// A database in memory with these bytes, for reading, in place of the file of `from` (see settled_image).
  static std::unique_ptr<Connection> of_image(const Connection& from, std::span<const std::byte> image);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* get() const noexcept { return handle_.get(); }
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Null of what never was a file.
  const std::shared_ptr<const OpenFolder>& folder() const noexcept { return folder_; }
  /// The name leads to another file or to none.
  bool is_replaced() const noexcept;
  /// For readers, outside of transactions: what was opened is not what should be read next. The name leads to another
  /// file or to none, a journal lies beside it, or this stands for a file that was half-written when it was opened.
  bool is_outdated() const;
  /// Outdated, too, is from now on what was changed by others since it had this data_version.
  void outdate_with_changes_after(std::int64_t data_version) { data_version_ = data_version; }
  /// The file may be written, and this connection was not told to leave it alone.
  bool may_write() const { return sqlite3_db_readonly(get(), "main") == 0 && integer("PRAGMA query_only") == 0; }

  /// Runs statements that return nothing.
  void execute(const std::string& sql) const;
  /// Writes the file anew without the room of rows that were deleted. For a file that may be written, outside of
  /// transactions. Takes up to twice its size on the disk meanwhile, and shuts readers out while it is copied back.
  void vacuum() const;
  /// The one integer that a statement returns.
  std::int64_t integer(const std::string& sql) const;

  /// What columns of text or bytes hold in this row, read without a statement: most of what it costs to find one row is
  /// to compile that. Nothing if there is no such row.
  std::optional<std::vector<std::string>> find_row(const char* table, std::initializer_list<const char*> columns,
                                                   std::int64_t row) const;

  /// Calls `call`, which returns a result of SQLite's, again and again while another process's lock is in its way.
  template <class Call>
  void retry_while_busy(const Call& call, std::string_view what) const {
    int result = call();
    for (int waits = 0; (result & 0xff) == SQLITE_BUSY && on_busy(const_cast<Connection*>(this), waits); ++waits) {
      result = call();
    }
    check(result, what);
  }

  /// Does something that may as well not be done: without waiting for locks, and without an error if it fails.
  template <class Work>
  void try_now(const Work& work) {
    const auto patience = std::exchange(patience_, std::chrono::milliseconds(0));
    try {
      work();
    } catch (const Error&) {
    }
    patience_ = patience;
  }

  /// For writers that never pause: lets the longest back-off pass since this connection's last commit, so that a
  /// process that is asleep waiting for the lock gets it before the one that has just had it.
  void let_others_go_first() const { std::this_thread::sleep_until(last_commit_ + kLongestBackoff); }
  /// Every commit is followed by this.
  void note_commit() const;
  /// From now on `note_commit` waits until the disk has confirmed that the journal is gone, which would undo the commit
  /// after a power failure. `synchronous = EXTRA` would do that, too, but shut readers out meanwhile.
  void confirm_commits() { confirms_commits_ = true; }

  /// Throws as SQLite itself does where the file has lost its name: what is written would be found by nobody.
  void require_at_its_path() const;

  /// Returns if `result` is a success; else throws the Failure that says what `call` could not do and what to try.
  void check(int result, std::string_view call) const;

 private:
  using Handle = UniqueHandle<sqlite3*, sqlite3_close>;

  Connection(std::filesystem::path path, std::shared_ptr<const OpenFolder> folder, std::chrono::milliseconds patience)
      : path_(std::move(path)), folder_(std::move(folder)), patience_(patience) {}
  void open_file(const std::string& name, int flags);
  /// What the path leads to now; nothing if it leads nowhere.
  std::optional<FileIdentity> find_identity() const noexcept;
  /// What lies in the place of its journal or its log and is no file, in words.
  std::optional<std::string> obstacle() const;
  void open_in_memory();
  /// Calls of SQL that need more than SQLite has: build_checksum (see schema.cpp).
  void add_functions();

  static int on_busy(void* connection, int waits);

  std::filesystem::path path_;
  std::shared_ptr<const OpenFolder> folder_;  ///< held: SQLite opens the journal by a path that leads through it
  std::unique_ptr<GuardedVfs> vfs_;  ///< outlives the handle, which is why that is not closed with sqlite3_close_v2
  std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point give_up_;
  mutable std::chrono::steady_clock::time_point last_commit_;
  bool confirms_commits_ = false;
  bool no_locks_ = false;  ///< the file system refused to lock
  bool is_image_ = false;
  std::optional<FileIdentity> identity_;  ///< of the file, looked at before it was opened
  std::unique_ptr<Connection> source_;    ///< the file that this is a copy of
  std::optional<std::int64_t> data_version_;
  Handle handle_;
};

/// One prepared statement.
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  /// Starts over with these values as ?1, ?2, …; an empty optional is NULL. Text and blobs are copied.
  template <class... Values>
  Statement& bind(const Values&... values) {
    sqlite3_reset(handle_.get());
    int index = 0;
    (bind_at(++index, values), ...);
    return *this;
  }
  Statement& bind_all(std::span<const Value> values) {
    sqlite3_reset(handle_.get());
    for (std::size_t i = 0; i < values.size(); ++i) bind_at(static_cast<int>(i) + 1, values[i]);
    return *this;
  }
  /// Binds one value, ?index; the others stay.
  template <class T>
  void bind_at(int index, const std::optional<T>& value) {
    value ? bind_at(index, *value) : bind_at(index, std::monostate{});
  }
  void bind_at(int index, std::monostate) { check_bound(sqlite3_bind_null(handle_.get(), index)); }
  void bind_at(int index, const Value& value) {
    std::visit([&](const auto& held) { bind_at(index, held); }, value);
  }
  template <class T>
  void bind_at(int index, const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      check_bound(sqlite3_bind_int64(handle_.get(), index, static_cast<std::int64_t>(value)));
    } else if constexpr (std::is_floating_point_v<T>) {
      check_bound(sqlite3_bind_double(handle_.get(), index, value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      bind_text(index, value);
    } else {
      bind_blob(index, value);
    }
  }

  /// Goes on to the next row; false after the last one.
  bool step();
  /// Runs a statement whose rows, if any, do not matter.
  void run();

  const Connection& connection() const noexcept { return *connection_; }
  int columns() const { return sqlite3_column_count(handle_.get()); }
  bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  std::string text(int column) const;
  Value value(int column) const;
  /// Valid until the next step, bind or destruction.
  std::span<const std::byte> blob(int column) const;

 private:
  using Handle = UniqueHandle<sqlite3_stmt*, sqlite3_finalize>;

  void bind_text(int index, std::string_view value);
  void bind_blob(int index, std::span<const std::byte> value);
  void check_bound(int result) const { connection_->check(result, "bind"); }

  const Connection* connection_;
  Handle handle_;
};

/// A transaction that is rolled back unless `commit` returns.
class Transaction {
 public:
  enum class Kind {
    read,   ///< several statements see one state of the database
    write,  ///< takes the write lock at once, so that it cannot fail half-way because somebody else wrote first
  };
  Transaction(const Connection& connection, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Connection& connection_;
  bool open_ = true;
};

/// How often a write is started again as a whole when other processes hold the lock for too long.
inline constexpr int kWriteAttempts = 3;
/// A commit shuts readers out until the disk has confirmed it, and the next writer is waiting already. Between taking
/// the lock, which readers do not mind, and its commit every writer lets this much time pass, so that a reader who had
/// to wait for one commit has its turn before the next.
inline constexpr std::chrono::milliseconds kReadersTurn{3};
/// Waits for a few milliseconds, longer the more often it was called before, and never two processes in step.
void wait_a_little(int waits);

/// Runs `work` in a write transaction and commits it; all of it happens or, if this throws, nothing.
template <class Work>
void write(const Connection& connection, const Work& work) {
  connection.let_others_go_first();
  for (int attempt = 1;; ++attempt) {
    try {
      Transaction transaction(connection, Transaction::Kind::write);
      const auto begun = std::chrono::steady_clock::now();
      work();
      std::this_thread::sleep_until(begun + kReadersTurn);
      transaction.commit();
      connection.note_commit();
      return;
    } catch (const Failure& failure) {
      if (!failure.busy() || attempt == kWriteAttempts) throw;
    }
    wait_a_little(attempt);
  }
}

/// What `work` returns, for readers: `renew` lets go of a connection that is outdated. Started again where a process
/// was killed while it wrote, because the next one may be, too.
template <class Renew, class Work>
auto read(const Renew& renew, const Work& work) {
  for (int attempt = 1;; ++attempt) {
    renew();
    try {
      return work();
    } catch (const Failure& failure) {
      if (!failure.half_written() || attempt == kWriteAttempts) throw;
    }
  }
}

}  // namespace tuner::cache::sqlite
