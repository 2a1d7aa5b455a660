#include "cache/recovery/recovered_rows.hpp"

#include <algorithm>

#include "cache/records/key.hpp"
#include "cache/schema/schema.hpp"
#include "cache/sqlite/format.hpp"

namespace tuner::cache {
namespace {

using Row = RecoveredRows::Row;
using sqlite::Value;

struct Column {
  std::string name;
  Value when_added;  ///< in rows that were written before there was such a column
};

/// The columns of each table in one version of the format.
using Layout = std::array<std::vector<Column>, kNumbered.size()>;

std::vector<Column> columns_of(const sqlite::Connection& database, std::string_view table) {
  sqlite::Statement select(database, "SELECT name, type, \"notnull\" FROM pragma_table_info(?1) ORDER BY cid");
  select.bind(table);
  std::vector<Column> columns;
  while (select.step()) {
    Value none;
    if (select.integer(2) != 0) none = select.text(1) == "TEXT" ? Value(std::string()) : Value(std::int64_t{0});
    columns.push_back({select.text(0), std::move(none)});
  }
  return columns;
}

/// Of every version, the newest first.
std::vector<Layout> read_layouts() {
  const sqlite::Connection database(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, std::chrono::seconds(0));
  std::vector<Layout> layouts;
  for (const char* const step : decisions_format().steps) {
    database.execute(step);
    Layout layout;
    for (const Numbered table : kNumbered) layout[index_of(table)] = columns_of(database, name_of(table));
    layouts.insert(layouts.begin(), std::move(layout));
  }
  return layouts;
}

/// The row of an older version of a table, with the columns that the newest one has.
Row brought_up_to_date(const Row& row, const std::vector<Column>& old, const std::vector<Column>& newest) {
  Row result;
  for (const Column& column : newest) {
    const auto same =
        std::find_if(old.begin(), old.end(), [&](const Column& each) { return each.name == column.name; });
    result.push_back(same == old.end() ? column.when_added : row[static_cast<std::size_t>(same - old.begin())]);
  }
  return result;
}

bool is_text(const Value& value) {
  return std::holds_alternative<std::string>(value);
}

bool is_integer(const Value& value) {
  return std::holds_alternative<std::int64_t>(value);
}

Row task_row(const Value& number, const DecisionKey& key) {
  Row row{number, key.hash().text, key.text()};
  const auto add = [&](const char*, const std::string& part) { row.emplace_back(part); };
  describe(add, key);
  return row;
}

/// Both hold the key twice, in parts and as a whole: what is not the same is not to be believed.
bool is_task(const Row& row) {
  const auto key = is_text(row[2]) ? key_from_text(std::get<std::string>(row[2])) : std::nullopt;
  return key && row == task_row(row[0], *key);
}

/// A row of `text`, whatever the text: other tables may have as many columns.
bool looks_like_text(const Row& row) {
  constexpr std::size_t kDigits = 32;
  return is_text(row[1]) && std::get<std::string>(row[1]).size() == kDigits && is_text(row[2]);
}

bool may_be_of(Numbered table, const Row& row) {
  if (table == Numbered::text) return looks_like_text(row);
  return table != Numbered::task || is_task(row);
}

std::optional<Row> task_of_index(const Row& entry) {
  const std::optional<DecisionKey> key = key_from_text(std::get<std::string>(entry[1]));
  if (!key || Value(key->hash().text) != entry[0]) return std::nullopt;
  return task_row(entry[2], *key);
}

}  // namespace

std::string_view name_of(Numbered table) {
  constexpr std::array<std::string_view, kNumbered.size()> kNames{"task",       "run",       "trial", "decision",
                                                                  "quarantine", "forgotten", "text"};
  return kNames[index_of(table)];
}

RecoveredRows::RecoveredRows(PageRows& pages) {
  pages.for_each_row([this](std::int64_t rowid, Row row) { take_row(rowid, std::move(row)); });
  pages.for_each_entry([this](Row entry) { take_entry(std::move(entry)); });
  // A row of a table comes before what only speaks of it.
  rows(Numbered::task).merge(tasks_of_index_);
  rows(Numbered::run).merge(runs_of_index_);
  for (const Numbered table : kNumbered) rows(table).merge(older_[index_of(table)]);
}

std::size_t RecoveredRows::count() const {
  std::size_t count = ties_.size() + counters_.size() + texts_.size();
  for (const Rows& rows : numbered_) count += rows.size();
  return count;
}

void RecoveredRows::take_row(std::int64_t rowid, Row row) {
  if (row.empty() || row[0].index() != 0) return;  // the number of a row is its rowid and is stored nowhere else
  row[0] = rowid;
  static const std::vector<Layout> layouts = read_layouts();
  for (const Layout& layout : layouts) {
    for (const Numbered table : kNumbered) {
      const std::size_t i = index_of(table);
      const std::vector<Column>&columns = layout[i], &newest = layouts.front()[i];
      if (row.size() != columns.size()) continue;
      if (columns.size() != newest.size()) {
        older_[i].try_emplace(rowid, brought_up_to_date(row, columns, newest));
      } else if (may_be_of(table, row)) {
        rows(table).try_emplace(rowid, std::move(row));
      } else {
        continue;
      }
      return;
    }
  }
}

void RecoveredRows::take_entry(Row entry) {
  if (entry.size() == 3 && is_text(entry[0]) && is_text(entry[1]) && is_integer(entry[2])) {
    if (auto task = task_of_index(entry)) tasks_of_index_.try_emplace(std::get<std::int64_t>(entry[2]), *task);
  } else if (entry.size() == 8 && is_integer(entry[0]) && is_text(entry[1]) && is_integer(entry[7])) {
    const std::int64_t rowid = std::get<std::int64_t>(entry.back());
    entry.pop_back();
    entry.insert(entry.begin(), rowid);
    runs_of_index_.try_emplace(rowid, std::move(entry));
  } else if (entry.size() == 4 && is_integer(entry[0]) && is_text(entry[1]) && is_text(entry[2]) &&
             is_integer(entry[3])) {
    Row key(entry.begin(), entry.begin() + 3);
    texts_.try_emplace(std::move(key), std::move(entry));
  } else if (entry.size() == 4 && is_integer(entry[0]) && is_integer(entry[1])) {
    Row key(entry.begin(), entry.begin() + 2);
    ties_.try_emplace(std::move(key), std::move(entry));
  } else if (entry.size() == 3 && is_integer(entry[0]) && is_text(entry[1]) && is_integer(entry[2])) {
    Row key(entry.begin(), entry.begin() + 2);
    counters_.try_emplace(std::move(key), std::move(entry));
  }
}

}  // namespace tuner::cache
