#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/ground/unique_handle.hpp"

namespace tuner::attack {

/// A database as its owner has it with SQLite alone, where what must not be can be written. What fails does nothing.
class Sql {
 public:
  using Rows = std::vector<std::vector<std::string>>;

  explicit Sql(const std::filesystem::path& file) {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
    database_ = UniqueHandle<sqlite3*, sqlite3_close_v2>(handle);
    // What must not be is what is wanted.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA journal_mode = MEMORY;"
        "PRAGMA synchronous = OFF");
  }
  void run(const std::string& text) { sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr); }
  /// What is NULL is an empty text.
  Rows ask(const std::string& text) {
    Rows rows;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &statement, nullptr) != SQLITE_OK) return rows;
    const UniqueHandle<sqlite3_stmt*, sqlite3_finalize> owned(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      std::vector<std::string>& row = rows.emplace_back();
      for (int column = 0; column < sqlite3_column_count(statement); ++column) {
        const unsigned char* value = sqlite3_column_text(statement, column);
        row.emplace_back(value ? reinterpret_cast<const char*>(value) : "");
      }
    }
    return rows;
  }

 private:
  UniqueHandle<sqlite3*, sqlite3_close_v2> database_;
};

}  // namespace tuner::attack
