#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/described.hpp"
#include "cache/records/run.hpp"
#include "cache/records/samples.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tuner/effort.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::cache {

// What SQL needs of a described record.

/// The names of columns.
class ColumnList {
 public:
  ColumnList(std::initializer_list<const char*> first = {}) {
    for (const char* name : first) add(name);
  }
  template <class T>
  void operator()(const char* name, const T&) {
    add(name);
  }
  /// "a, b, c"
  const std::string& text() const { return names_; }
  /// "INSERT INTO table (a, b, c) VALUES (?, ?, ?)"
  std::string insert_into(std::string_view table) const;

 private:
  void add(const char* name);

  std::string names_, values_;
};

/// Binds the values of a statement from left to right.
class RowBinder {
 public:
  /// Starts over with `first`.
  template <class... First>
  explicit RowBinder(sqlite::Statement& statement, const First&... first)
      : statement_(statement.bind(first...)), index_(sizeof...(first)) {}
  template <class T>
  void operator()(const char*, const T& member) {
    statement_.bind_at(++index_, member);
  }
  void operator()(const char*, const std::vector<double>& samples) { statement_.bind_at(++index_, to_json(samples)); }
  /// As its name.
  void operator()(const char*, const std::optional<Effort>& effort) {
    statement_.bind_at(++index_, effort ? std::optional(to_string(*effort)) : std::nullopt);
  }

 private:
  sqlite::Statement& statement_;
  int index_;
};

/// Inserts a row of `values`, in the columns of these names, and of what `describe` says to a list of fields. Returns
/// its number.
template <class Describe, class... Values>
std::int64_t insert_row(const sqlite::Connection& connection, std::string_view table,
                        std::initializer_list<const char*> names, const Describe& describe, const Values&... values) {
  ColumnList columns(names);
  describe(columns);
  sqlite::Statement insert(connection, columns.insert_into(table));
  RowBinder row(insert, values...);
  describe(row);
  insert.run();
  return sqlite3_last_insert_rowid(connection.get());
}

/// Reads the columns of a row from left to right. Throws Error{store_damaged} for an outcome, an origin, an effort or
/// samples that do not exist in this program.
class RowReader {
 public:
  explicit RowReader(const sqlite::Statement& row) : row_(row) {}
  template <class T>
  void operator()(const char*, T& member) {
    take(member);
  }
  template <class... Values>
  void read(Values&... values) {
    (take(values), ...);
  }

 private:
  void take(std::string& value) { value = row_.text(next_++); }
  void take(Hash& value) { take(value.text); }
  void take(std::int64_t& value) { value = row_.integer(next_++); }
  void take(int& value) { value = static_cast<int>(row_.integer(next_++)); }
  void take(bool& value) { value = row_.integer(next_++) != 0; }
  void take(double& value) { value = row_.real(next_++); }
  void take(Outcome& value) {
    value = Outcome(number_of("outcome", [](int n) { return to_string(Outcome(n)); }));
  }
  void take(Origin& value) {
    value = Origin(number_of("origin", [](int n) { return to_string(Origin(n)); }));
  }
  void take(Effort& value);
  void take(std::vector<double>& samples);
  void take(std::vector<std::byte>& bytes);
  template <class T>
  void take(std::optional<T>& value) {
    if (row_.is_null(next_)) {
      ++next_;
    } else {
      take(value.emplace());
    }
  }
  /// The number of a value whose name is not "unknown".
  int number_of(const char* what, std::string_view (*name)(int));

  const sqlite::Statement& row_;
  int next_ = 0;
};

}  // namespace tuner::cache
