#include "bench/engine/stored_rows.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <sstream>

namespace tuner::bench {

namespace {

/// Every value of every row of the answer, one line a row; empty while there is nothing to be read.
std::string ask(const std::filesystem::path& folder, const std::string& sql) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2((folder / "decisions.db").c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
  if (opened != SQLITE_OK) return {};
  sqlite3_busy_timeout(raw, 1000);
  std::string answer;
  const auto add_row = [](void* text, int columns, char** values, char**) {
    for (int i = 0; i < columns; ++i)
      *static_cast<std::string*>(text) += std::string(values[i] != nullptr ? values[i] : "NULL") + ' ';
    *static_cast<std::string*>(text) += '\n';
    return 0;
  };
  return sqlite3_exec(raw, sql.c_str(), add_row, &answer, nullptr) == SQLITE_OK ? answer : std::string();
}

}  // namespace

Seen look_at(const std::filesystem::path& folder) {
  const std::string answer =
      ask(folder,
          "SELECT (SELECT count(*) FROM trial), (SELECT count(*) FROM decision),"
          " (SELECT count(DISTINCT session) FROM run WHERE run_id IN (SELECT run_id FROM trial)),"
          " (SELECT count(DISTINCT configuration) FROM trial)");
  Seen seen;
  std::istringstream(answer) >> seen.trials >> seen.decisions >> seen.sessions >> seen.configurations;
  return seen;
}

std::string trial_rows(const std::filesystem::path& folder, std::int64_t count) {
  return ask(folder, fmt::format("SELECT * FROM trial ORDER BY trial_id LIMIT {}", count));
}

}  // namespace tuner::bench
