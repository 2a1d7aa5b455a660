// What befalls a database with SQLite: odd values, and schemas that other people made.
#include <vector>

#include "tests/attack/database_damage.hpp"
#include "tests/attack/sql.hpp"
#include "tests/attack/text_damage.hpp"

namespace tuner::attack {
namespace {

const char* const kValues[] = {
    // numbers, and what is none
    "NULL", "''", "0", "1", "-1", "2", "99", "9223372036854775807", "-9223372036854775808", "2147483648", "1e308",
    "-1e308", "9e999", "-9e999", "1e-320", "0.0", "-0.0", "'NaN'", "x'00ff'", "zeroblob(100000)",
    // text: what must be escaped, what is long, what is no UTF-8
    "'text'", "'x' || char(10) || 'FORGED-LINE'", "'x' || char(13,10) || 'FORGED-LINE'",
    "char(10) || 'FORGED-LINE' || char(10)", "'x\\' || char(10) || 'FORGED-LINE'",
    "char(27) || '[2J' || char(7) || char(8) || char(155)", "'a' || char(8238) || 'b' || char(8294) || char(8232)",
    "char(1114111)", "'*/ FORGED-LINE /*'", "'\"; FORGED-LINE'", "'?\?/' || char(10) || 'FORGED-LINE'",
    "hex(zeroblob(200000))", "hex(zeroblob(2000000))", "replace(hex(zeroblob(100000)), '00', ',')",
    "replace(hex(zeroblob(100000)), '00', char(10))", "CAST(x'ff80fe41' AS TEXT)", "CAST(x'410042' AS TEXT)",
    // lists of numbers
    "'[]'", "'['", "'[1,2'", "'[1e999]'", "'[null]'", "'[\"a\"]'", "'[1,,2]'",
    "'[' || replace(hex(zeroblob(50000)), '00', '[') || ']'", "'{}'",
    // configurations, parts of a key, launches
    "'A=1'", "'A'", "'=,=,='", "'BLOCK=64,BLOCK=64'", "'BLOCK=256,ITEMS=2,STORE=streaming'",
    "'BLOCK=99999999999999999999'", "'cold'", "'warm'", "'time'", "'n=1'", "'rows=,columns='",
    "'grid=0x0x0 block=0x0x0 shared=-1'", "'grid=99999999999x1x1 block=1x1x1 shared=0'",
    // dates, hashes, names
    "4102444800000", "253402300800000", "-62135596800001", "'00112233445566778899aabbccddeeff'", "'name|other=x|'",
    "'../../outside/letter.txt'", "'$(touch x)'", "'%s%n%d'"};

std::string table_of(Chance& chance, Sql& sql) {
  const Sql::Rows tables = sql.ask("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return tables.empty() ? "none" : chance.one_of(tables).at(0);
}

std::string column_of(Chance& chance, Sql& sql, const std::string& table) {
  const Sql::Rows columns = sql.ask("SELECT name FROM pragma_table_info('" + table + "')");
  return columns.empty() ? "none" : chance.one_of(columns).at(0);
}

void loosen(Sql& sql) {
  sql.run(
      "UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'STRICT', ''), 'NOT NULL', ''), ') , WITHOUT', ') "
      "WITHOUT') WHERE type = 'table';");
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

/// A text that belongs to a decision, by those who know what it is.
std::string text_damaged(Chance& chance, Sql& sql) {
  const Sql::Rows rows = sql.ask(
      "SELECT kind, text_id, text FROM decision_text JOIN text USING (text_id) WHERE kind IN ('samples', 'insight', "
      "'sizes')");
  if (rows.empty()) return "";
  const std::vector<std::string>& row = chance.one_of(rows);
  sql.run("UPDATE text SET text = " + quoted(damage_json(chance, row.at(2))) + " WHERE text_id = " + row.at(1));
  return "a text of kind " + row.at(0) + " damaged; ";
}

}  // namespace

std::string damage_rows(Chance& chance, const Target& target) {
  std::string said;
  if (chance.once_in(3)) {  // types and NULLs that the schema forbids
    Sql sql(target.file);
    loosen(sql);
    said = "STRICT and NOT NULL taken away; ";
  }
  Sql sql(target.file);
  for (std::size_t left = 1 + chance.below(4); left > 0; --left) {
    const std::string table = table_of(chance, sql);
    const std::string column = column_of(chance, sql, table);
    const std::string value = chance.one_of(kValues);
    const std::string update = "UPDATE OR IGNORE " + table + " SET " + column + " = " + value;
    const std::string half = chance.once_in(2) ? " WHERE rowid % 2" : "";
    std::string statement = update + half;
    const std::size_t kind = chance.below(8);
    if (kind == 0) statement = "DELETE FROM " + table + half;
    if (kind == 1)
      statement = "INSERT OR REPLACE INTO " + table + " SELECT * FROM " + table + " WHERE " + column + " > " + value;
    // In every row of the key, too, so that it is found.
    if (kind == 2) statement = update + "; UPDATE task SET key_text = 'x'";
    if (kind == 3) {
      said += text_damaged(chance, sql);
      continue;
    }
    sql.run(statement);
    said += statement + "; ";
  }
  return said;
}

std::string damage_schema(Chance& chance, const Target& target) {
  Sql sql(target.file);
  const std::string table = table_of(chance, sql);
  const std::string column = column_of(chance, sql, table);
  const Sql::Rows all = sql.ask("SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL");
  const std::vector<std::string> one = all.empty() ? std::vector<std::string>{"table", "none"} : chance.one_of(all);
  const std::string become_view = "ALTER TABLE " + table + " RENAME TO real; CREATE VIEW " + table + " AS ";
  const std::string of_one = " WHERE name = '" + one[1] + "'", of_table = " WHERE name = '" + table + "'";
  const std::string statements[] = {
      // what is there under another name, or not at all
      "DROP " + one[0] + " " + one[1], "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO other_" + column,
      "ALTER TABLE " + table + " RENAME TO other_" + table, "ALTER TABLE " + table + " DROP COLUMN " + column,
      // another format
      "PRAGMA user_version = " + std::to_string(static_cast<int>(chance.below(7)) - 1),
      "PRAGMA application_id = " + std::to_string(chance.below(3)),
      // triggers
      "CREATE TRIGGER t AFTER INSERT ON " + table + " BEGIN DELETE FROM " + table_of(chance, sql) + "; END",
      "CREATE TRIGGER t BEFORE INSERT ON " + table + " BEGIN SELECT raise(ABORT, 'no\nFORGED-LINE'); END",
      // a view in the place of a table; the second never ends
      become_view + "SELECT * FROM real",
      become_view + "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c) SELECT real.* FROM c, real",
      // columns and pages that are not what they should be
      "ALTER TABLE " + table + " ADD COLUMN extra TEXT AS (hex(zeroblob(1000000000))) VIRTUAL",
      "UPDATE sqlite_schema SET sql = replace(sql, '" + column + "', 'zeroblob(10)')" + of_table,
      "UPDATE sqlite_schema SET rootpage = " + std::to_string(chance.below(40)) + of_one,
      "UPDATE sqlite_schema SET sql = 'CREATE TABLE " + table + "(a, b, c)'" + of_table,
      // more than there should be
      "CREATE VIRTUAL TABLE more USING fts5(a); CREATE TABLE \"two\nFORGED-LINE\" (a); CREATE UNIQUE INDEX i ON " +
          table + "(" + column + ")",
      "PRAGMA writable_schema = RESET; PRAGMA journal_mode = DELETE; PRAGMA page_size = " +
          std::to_string(512u << chance.below(8)) + "; PRAGMA auto_vacuum = " + std::to_string(chance.below(3)) +
          "; VACUUM"};
  const std::string& statement = chance.one_of(statements);
  sql.run(statement);
  return statement;
}

}  // namespace tuner::attack
