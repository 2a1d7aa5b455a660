#include "cache/sqlite/schema_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {
namespace {

using sqlite::Connection;
using sqlite::Statement;

/// A database in memory as the steps leave it.
class Sound {
 public:
  Sound(const Format& format, std::size_t version)
      : connection_(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, std::chrono::seconds(0)) {
    for (const char* const step : format.steps.first(version)) connection_.execute(step);
  }
  const Connection& operator*() const { return connection_; }

 private:
  Connection connection_;
};

std::vector<std::string> tables_of(const Connection& connection) {
  Statement select(connection,
                   "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'");
  std::vector<std::string> names;
  while (select.step()) names.push_back(select.text(0));
  return names;
}

/// What stands behind the columns of a table, "STRICT" say; nothing if there is no such table.
std::optional<std::string> kind_of(const Connection& connection, const std::string& table) {
  Statement select(connection, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1");
  if (!select.bind(table).step()) return std::nullopt;
  const std::string sql = select.text(0);
  return sql.substr(std::min(sql.rfind(')'), sql.size()));
}

/// A column that `sound` has in this table and `connection` has not, as it should be.
std::optional<std::string> find_missing_column(const Connection& connection, const Connection& sound,
                                               const std::string& table) {
  Statement columns(sound, "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1)");
  // A generated column is hidden: it is no place where anything was stored.
  Statement find(connection,
                 "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 AND type = ?3 AND \"notnull\" = ?4 AND pk = ?5 "
                 "AND hidden = 0");
  columns.bind(table);
  while (columns.step()) {
    if (find.bind(table, columns.text(0), columns.text(1), columns.integer(2), columns.integer(3)).step()) continue;
    return fmt::format("it lacks the column {} of the table {}, which its format has", columns.text(0), table);
  }
  return std::nullopt;
}

/// Every row of a table as text; no more than `most`.
std::vector<std::string> rows_of(const Connection& connection, const std::string& table, std::size_t most) {
  Statement select(connection, fmt::format("SELECT * FROM {} ORDER BY 1", table));
  std::vector<std::string> rows;
  while (rows.size() < most && select.step()) {
    std::string& row = rows.emplace_back();
    for (int i = 0; i < select.columns(); ++i) row += select.text(i).substr(0, 100) + '|';
  }
  return rows;
}

/// The statements that make the indexes and views which `sound` has and `connection` has not, or has otherwise: what
/// an index of the right name leaves out would not be found.
std::vector<std::string> missing_parts(const Connection& connection, const Connection& sound) {
  Statement parts(sound,
                  "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'view') AND sql IS NOT NULL");
  Statement find(connection, "SELECT sql FROM sqlite_schema WHERE type = ?1 AND name = ?2");
  std::vector<std::string> missing;
  while (parts.step()) {
    const std::string type = parts.text(0), name = parts.text(1), definition = parts.text(2);
    if (!find.bind(type, name).step()) {
      missing.push_back(definition);
    } else if (find.text(0) != definition) {
      missing.push_back(fmt::format("DROP {} {}; {}", type, name, definition));
    }
  }
  return missing;
}

}  // namespace

std::optional<std::string> find_missing_part(const Connection& connection, const Format& format) {
  const Sound sound(format, format_version(connection, format));
  for (const std::string& table : tables_of(*sound)) {
    if (kind_of(connection, table) != kind_of(*sound, table)) {
      return fmt::format("it lacks the table {}, which its format has", table);
    }
    if (auto column = find_missing_column(connection, *sound, table)) return column;
  }
  return std::nullopt;
}

std::optional<std::string> find_view_as_table(const Connection& connection, const Format& format) {
  const Sound sound(format, format_version(connection, format));
  Statement find(connection, "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE");
  for (const std::string& table : tables_of(*sound)) {
    if (find.bind(table).step()) return fmt::format("a view has the name of its table {}", table);
  }
  return std::nullopt;
}

std::optional<std::string> find_changed_constants(const Connection& connection, const Format& format) {
  const Sound sound(format, format_version(connection, format));
  for (const std::string& table : tables_of(*sound)) {
    const std::vector<std::string> rows = rows_of(*sound, table, 1000);
    if (rows.empty() || rows_of(connection, table, rows.size() + 1) == rows) continue;
    return fmt::format("the rows of its table {} differ from those of its format", table);
  }
  return std::nullopt;
}

void make_missing_parts_again(const Connection& connection, const Format& format) {
  const Sound sound(format, format.steps.size());
  if (missing_parts(connection, *sound).empty()) return;
  sqlite::write(connection, [&] {
    // Looked at again: another process may have been faster.
    for (const std::string& part : missing_parts(connection, *sound)) connection.execute(part);
  });
}

}  // namespace tuner::cache
